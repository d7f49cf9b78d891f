import Files
import Foundation
import Glibc
import Testing

@testable import PlainHTTP

/// A document comes over a socket of this machine, whole or not at all.
struct HTTPTests {
  @Test(
    "addresses are read",
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
    "what is no address is refused",
    arguments: [
      "https://host/", "host/path", "http://", "http://host:0/", "http://host:x/", "http://a b/",
      "http://name@host/", "http://host:70000/",
    ])
  func noAddress(_ text: String) {
    #expect(throws: Failure.self) { try HTTPAddress(text) }
  }

  @Test(
    "replies are read",
    arguments: [
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 200, "{}"),
      ("HTTP/1.0 404 Not Found\r\n\r\ngone", 404, "gone"),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{\"\r\n3;x\r\na\"}\r\n0\r\n\r\n",
        200, "{\"a\"}"
      ),
    ])
  func reply(_ text: String, _ status: Int, _ body: String) throws {
    let reply = try #require(HTTPReply(Array(text.utf8)))
    #expect(reply.status == status && String(decoding: reply.body, as: UTF8.self) == body)
  }

  @Test(
    "what is cut off, or no reply, is none",
    arguments: [
      "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}",
      "SSH-2.0-x\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", "HTTP/1.1 9 x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    ])
  func noReply(_ text: String) { #expect(HTTPReply(Array(text.utf8)) == nil) }

  @Test("a server of this machine is asked, and its document is given")
  func loopback() throws {
    let server = try LoopbackServer(
      reply: "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}")
    let address = try HTTPAddress("http://127.0.0.1:\(server.port)/x?y=1")
    #expect(try HTTPClient.get(address) == Array("{\"a\":1}".utf8))
    let request = server.request()
    #expect(request.hasPrefix("GET /x?y=1 HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"))
  }

  @Test(
    "another status, no reply and nobody at all are told",
    arguments: ["HTTP/1.1 500 Error\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", ""])
  func fails(_ reply: String) throws {
    let server = try LoopbackServer(reply: reply)
    let address = try HTTPAddress("http://127.0.0.1:\(server.port)/")
    #expect(throws: Failure.self) { try HTTPClient.get(address) }
    _ = server.request()
    #expect(throws: Failure.self) { try HTTPClient.get(address, within: 1) }
  }
}

/// A server on the loopback that answers one request.
final class LoopbackServer: @unchecked Sendable {
  let port: UInt16
  private let socket: Int32
  private let done = DispatchSemaphore(value: 0)
  private var received = ""

  init(reply: String) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = socket
    let status = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
        guard bind(socket, address, length) == 0, listen(socket, 1) == 0 else { return -1 }
        return getsockname(socket, address, &length)
      }
    }
    try #require(status == 0)
    port = UInt16(bigEndian: place.sin_port)
    Thread.detachNewThread { [self] in
      let client = accept(socket, nil, nil)
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = recv(client, &bytes, bytes.count, 0)
      received = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
      _ = send(client, reply, reply.utf8.count, Int32(MSG_NOSIGNAL))
      close(client)
      close(socket)
      done.signal()
    }
  }

  /// What was asked, once it has been answered.
  func request() -> String {
    done.wait()
    return received
  }
}
