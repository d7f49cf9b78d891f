import CCurl
import Foundation
import Support

/// One request of a channel to its server, executed by libcurl.
struct CurlRequest: Sendable {
  /// What is sent.
  enum Content: Sendable {
    /// A GET request.
    case nothing
    /// The body of a POST request.
    case body(String)
    /// A message (RFC 5322) from a sender to recipients.
    case mail(from: String, to: [String], message: String)
  }

  let address: String
  var content = Content.nothing
  /// The fields of the head, as `Name: value`.
  var fields: [String] = []
  var user: String?
  var password: String?
  /// `true` if mail is only sent over TLS.
  var needsTLS = true
  /// The path of the CA certificates of the server; `nil` for those of the system.
  var authority: String?
  /// The time limit of the whole request in seconds.
  ///
  /// A mail server may take minutes to accept a message (RFC 5321, section 4.5.3.2).
  var timeout: Int { if case .mail = content { 300 } else { 30 } }

  /// Executes the request on a thread of its own; a cancellation returns at once and leaves the request to its time limit.
  ///
  /// - Throws: `ChannelFailure` with the reason; `CancellationError`.
  func send() async throws {
    let (results, continuation) = AsyncStream.makeStream(of: ChannelFailure?.self)
    let thread = Thread {
      do throws(ChannelFailure) {
        try perform()
        continuation.yield(nil)
      } catch {
        continuation.yield(error)
      }
      continuation.finish()
    }
    thread.stackSize = 1 << 20
    thread.start()
    for await failure in results {
      if let failure { throw failure }
      return
    }
    throw CancellationError()
  }

  /// Executes the request, and blocks until it has ended.
  private func perform() throws(ChannelFailure) {
    _ = Self.isReady
    guard let handle = curl_easy_init() else {
      throw ChannelFailure(reason: "libcurl cannot start")
    }
    defer { curl_easy_cleanup(handle) }
    let lists = CurlLists()
    defer { lists.free() }
    let reasons = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    reasons.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    defer { reasons.deallocate() }
    let reply = UnsafeMutablePointer<curl_reply>.allocate(capacity: 1)
    reply.initialize(to: curl_reply())
    defer { reply.deallocate() }
    _ = curl_set_reasons(handle, reasons)
    _ = curl_set_reply(handle, reply)
    try prepare(handle, lists)
    let result = curl_easy_perform(handle)
    guard result == CURLE_OK else {
      let detail = String(cString: reasons)
      let reason = result == CURLE_WRITE_ERROR ? "the response exceeds 1 MiB" : detail
      let shown = (reason.isEmpty ? String(cString: curl_easy_strerror(result)) : reason).visible
      // libcurl ends the reason of a mail server's refusal with the server's code, as in "RCPT failed: 550".
      let isRefused = Int(shown.suffix(3)).map { (500..<600).contains($0) } ?? false
      throw ChannelFailure(reason: shown, isRejection: isRefused || result == CURLE_LOGIN_DENIED)
    }
    guard case .mail = content else { return try check(curl_status(handle), reply) }
  }

  /// Checks the status of an HTTP response.
  private func check(_ status: Int, _ reply: UnsafeMutablePointer<curl_reply>)
    throws(ChannelFailure)
  {
    guard !(200..<300).contains(status) else { return }
    let count = min(reply.pointee.count, 200)
    let text = withUnsafeBytes(of: &reply.pointee.text) {
      String(decoding: $0[..<count], as: UTF8.self)
    }
    let shown = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").visible
    let reason: String
    switch status {
    case 300..<400:
      reason = "HTTP status \(status): the server redirects; set the address that it names"
    default: reason = "HTTP status \(status)" + (shown.isEmpty ? "" : ": \(shown)")
    }
    // 408 and 429 ask for another attempt (RFC 9110, section 15.5.9; RFC 6585, section 4).
    throw ChannelFailure(
      reason: reason, isRejection: (300..<500).contains(status) && status != 408 && status != 429)
  }

  private func prepare(_ handle: UnsafeMutableRawPointer, _ lists: CurlLists) throws(ChannelFailure)
  {
    func text(_ option: CURLoption, _ value: String?) {
      if let value { _ = curl_set_text(handle, option, value) }
    }
    func number(_ option: CURLoption, _ value: Int) { _ = curl_set_number(handle, option, value) }
    text(CURLOPT_URL, address)
    text(CURLOPT_PROTOCOLS_STR, "http,https,smtp,smtps")
    text(CURLOPT_CAINFO, authority)
    text(CURLOPT_USERNAME, user)
    text(CURLOPT_PASSWORD, password)
    text(CURLOPT_USERAGENT, "aneroid/\(Version.text)")
    // Proxies are a matter of the machine's administrator, but never for a server on this machine.
    text(CURLOPT_NOPROXY, "localhost,127.0.0.1,::1")
    number(CURLOPT_NOSIGNAL, 1)
    number(CURLOPT_TIMEOUT, timeout)
    number(CURLOPT_CONNECTTIMEOUT, min(10, timeout))
    switch content {
    case .nothing: break
    case .body(let body):
      _ = curl_set_body(handle, body, body.utf8.count)
      // Without this, curl waits for a response before it sends a body of more than 1 MiB.
      _ = curl_set_list(handle, CURLOPT_HTTPHEADER, lists.list(fields + ["Expect:"]))
    case .mail(let from, let to, let message):
      number(CURLOPT_USE_SSL, Int(needsTLS ? CURLUSESSL_ALL.rawValue : CURLUSESSL_NONE.rawValue))
      text(CURLOPT_MAIL_FROM, from)
      _ = curl_set_list(handle, CURLOPT_MAIL_RCPT, lists.list(to))
      _ = curl_set_message(handle, lists.keep(message))
    }
  }

  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}

/// What a request refers to, which lives until the request has ended.
private final class CurlLists {
  private var lists: [UnsafeMutablePointer<curl_slist>] = []
  private var message: UnsafeMutablePointer<curl_message>?

  /// Returns a list of texts.
  func list(_ texts: [String]) -> UnsafeMutablePointer<curl_slist>? {
    var list: UnsafeMutablePointer<curl_slist>?
    for text in texts { list = curl_slist_append(list, text) }
    if let list { lists.append(list) }
    return list
  }

  /// Returns a message to send; only one per request.
  func keep(_ text: String) -> UnsafeMutablePointer<curl_message> {
    let message = UnsafeMutablePointer<curl_message>.allocate(capacity: 1)
    message.initialize(to: curl_message(bytes: strdup(text), count: text.utf8.count, sent: 0))
    self.message = message
    return message
  }

  func free() {
    for list in lists { curl_slist_free_all(list) }
    guard let message else { return }
    Foundation.free(UnsafeMutableRawPointer(mutating: message.pointee.bytes))
    message.deallocate()
  }
}

/// The reason why a channel could not deliver a message.
package struct ChannelFailure: Error, Sendable, CustomStringConvertible {
  package let reason: String
  /// `true` if the server understood the request and refused it, so that another attempt is not expected to succeed.
  package var isRejection = false

  package var description: String { reason }
}
