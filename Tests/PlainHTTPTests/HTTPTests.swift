import Foundation
import Glibc
import PlainHTTP
import Support
import Testing

/// A document is received over a local socket completely or not at all.
struct HTTPTests {
  @Test(
    "a valid address is split into host, port and path",
    arguments: [
      ("http://127.0.0.1:8080/v1/forecast?a=b", "127.0.0.1", 8080, "/v1/forecast?a=b"),
      ("http://host", "host", 80, "/"), ("http://host?x", "host", 80, "/?x"),
      ("http://[::1]:81/a#b", "::1", 81, "/a"), ("http://[::1]/", "::1", 80, "/"),
    ])
  func address(_ text: String, _ host: String, _ port: Int, _ path: String) throws {
    let address = try HTTPAddress(text)
    #expect(address.host == host && Int(address.port) == port && address.path == path)
  }

  @Test(
    "invalid addresses are rejected",
    arguments: [
      "https://host/", "host/path", "http://", "http://host:0/", "http://host:x/", "http://a b/",
      "http://name@host/", "http://host:70000/",
    ])
  func noAddress(_ text: String) {
    #expect(throws: Failure.self) { try HTTPAddress(text) }
  }

  @Test("an https address is rejected, and the message states that only plain http is supported")
  func encrypted() {
    let failure = #expect(throws: Failure.self) { try HTTPAddress("HTTPS://host/") }
    #expect("\(failure!)".contains("only plain http"))
  }

  @Test(
    "responses are parsed",
    arguments: [
      ("HTTP/1.1 200 OK\r\nContent-Length: 2 \r\n\r\n{}", 200, "{}"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length:2\r\n\r\n{}more", 200, "{}"),
      ("HTTP/1.0 200 OK\r\n\r\ngone", 200, "gone"),
      ("HTTP/1.0 404 Not Found\r\n\r\ngone", 404, ""),
      ("HTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{}", 200, "{}"),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{\"\r\n3;x\r\na\"}\r\n0\r\n\r\n",
        200, "{\"a\"}"
      ),
    ])
  func reply(_ text: String, _ status: Int, _ body: String) throws {
    let reply = try #require(try HTTPReply(Array(text.utf8), isClosed: true))
    #expect(reply.status == status && String(decoding: reply.body, as: UTF8.self) == body)
  }

  @Test(
    "an incomplete response waits for more data, and is an error after the connection closes",
    arguments: [
      "", "HTT", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n",
    ])
  func cutOff(_ text: String) throws {
    #expect(try HTTPReply(Array(text.utf8), isClosed: false) == nil)
    let error = #expect(throws: HTTPReply.FormatError.self) {
      try HTTPReply(Array(text.utf8), isClosed: true)
    }
    #expect(error?.message == "the response is truncated")
  }

  @Test(
    "an invalid response is rejected at once",
    arguments: [
      "SSH-2.0-x", "HTTP/2 200\r\n\r\n", "HTTP/1.1 9 x\r\n\r\n", "HTTP/1.1 +20 x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nx",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nab\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nab\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
      "HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 20_000),
    ])
  func noReply(_ text: String) {
    #expect(throws: HTTPReply.FormatError.self) {
      try HTTPReply(Array(text.utf8), isClosed: false)
    }
  }

  @Test("the client requests a document from a local server and returns it")
  func loopback() throws {
    let server = try LoopbackServer(
      reply: "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}")
    let address = try HTTPAddress("http://127.0.0.1:\(server.port)/x?y=1")
    #expect(try HTTPClient.get(address) == Array("{\"a\":1}".utf8))
    let request = server.request()
    #expect(request.hasPrefix("GET /x?y=1 HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"))
  }

  @Test(
    "the client does not wait for a server to close its connection",
    arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ])
  func staysOpen(_ reply: String) throws {
    let server = try LoopbackServer(reply: reply, stays: true)
    defer { server.end() }
    let begin = ContinuousClock.now
    let document = try HTTPClient.get(
      HTTPAddress("http://127.0.0.1:\(server.port)/"), within: 240)
    #expect(document == Array("{}".utf8))
    #expect(ContinuousClock.now - begin < .seconds(120))
  }

  @Test("a silent server times out, and a redirection is not followed")
  func silent() throws {
    let silent = try LoopbackServer(reply: "", stays: true)
    defer { silent.end() }
    let late = #expect(throws: Failure.self) {
      try HTTPClient.get(HTTPAddress("http://127.0.0.1:\(silent.port)/"), within: 0.3)
    }
    #expect("\(late!)".contains("the response timed out before it was complete"))
    let moved = try LoopbackServer(
      reply: "HTTP/1.1 301 Moved\r\nLocation: https://elsewhere/x\r\n\r\n")
    let failure = #expect(throws: Failure.self) {
      try HTTPClient.get(HTTPAddress("http://127.0.0.1:\(moved.port)/"))
    }
    #expect("\(failure!)".contains("https://elsewhere/x, which requires https"))
  }

  @Test("an endless response is rejected at its limit")
  func endless() throws {
    let long = String(repeating: "x", count: HTTPClient.longest + 1)
    let server = try LoopbackServer(reply: "HTTP/1.1 200 OK\r\n\r\n" + long)
    let failure = #expect(throws: Failure.self) {
      try HTTPClient.get(HTTPAddress("http://127.0.0.1:\(server.port)/"))
    }
    #expect("\(failure!)".contains("longer than 1 MiB"))
  }

  @Test(
    "a status other than 200, an invalid response and a missing server are reported",
    arguments: ["HTTP/1.1 500 Error\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", ""])
  func fails(_ reply: String) throws {
    let server = try LoopbackServer(reply: reply)
    let address = try HTTPAddress("http://127.0.0.1:\(server.port)/")
    #expect(throws: Failure.self) { try HTTPClient.get(address) }
    _ = server.request()
    #expect(throws: Failure.self) { try HTTPClient.get(address, within: 1) }
  }
}

/// A loopback server that responds to one request.
final class LoopbackServer: @unchecked Sendable {
  let port: UInt16
  private let socket: Int32
  private let done = DispatchSemaphore(value: 0)
  private let mayEnd = DispatchSemaphore(value: 0)
  private var received = ""

  /// Creates a server; if `stays` is `true`, the connection stays open until ``end()`` is called.
  init(reply: String, stays: Bool = false) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = socket
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
        guard bind(socket, address, length) == 0, listen(socket, 1) == 0 else { return -1 }
        return getsockname(socket, address, &length)
      }
    }
    try #require(status == 0)
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in
      let client = accept(socket, nil, nil)
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = recv(client, &bytes, bytes.count, 0)
      received = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
      _ = send(client, reply, reply.utf8.count, Int32(MSG_NOSIGNAL))
      if stays { mayEnd.wait() }
      close(client)
      close(socket)
      done.signal()
    }
  }

  /// Closes a connection that was kept open.
  func end() {
    mayEnd.signal()
    done.wait()
  }

  /// Returns the request, after the server has responded to it.
  func request() -> String {
    done.wait()
    return received
  }
}
