import HTTPTypes
import Hummingbird
import NIOCore
import PlainHTTP

/// Checks requests, asks for answers, and writes them.
struct HubResponder: HTTPResponder {
  typealias Context = BasicRequestContext

  let answers: HubAnswers
  /// The names by which the hub may be addressed.
  let hosts: HostRule
  /// What every change needs.
  let token: String

  func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    if let refusal = refusal(request) { return response(refusal, request) }
    let path = String((request.head.path ?? "/").prefix { $0 != "?" })
    guard request.method == .post else {
      return response(answers.answer(path), request)
    }
    guard path == "/v1/command" else {
      return response(.failure(404, "not_found", "commands go to /v1/command"), request)
    }
    var request = request
    let body: ByteBuffer
    do {
      body = try await request.collectBody(upTo: 8192)
    } catch {
      return response(.failure(413, "too_large", "a command has at most 8192 bytes"), request)
    }
    return response(answers.command(Array(body.readableBytesView)), request)
  }

  /// Why a request is not even looked at.
  private func refusal(_ request: Request) -> HubAnswers.Answer? {
    let authority = request.head.authority ?? ""
    // A second Host is left among the other fields.
    let others = HTTPField.Name("host").map { request.headers[values: $0] } ?? []
    switch hosts.judge([authority] + others) {
    case .own: break
    case .several: return .failure(400, "bad_host", "a request has one Host")
    case .stranger:
      return .failure(
        421, "wrong_host", "this hub is not addressed by that name; see 'hosts' in its file")
    }
    switch request.method {
    case .get, .head: return nil
    case .post: break
    default:
      var answer = HubAnswers.Answer.failure(405, "bad_method", "GET, HEAD and POST are answered")
      answer.fields = [("allow", "GET, HEAD, POST")]
      return answer
    }
    // A page of somebody else may send a request, but not without saying where it comes from.
    if let origin = request.headers[.origin], origin != "http://\(authority)",
      origin != "https://\(authority)"
    {
      return .failure(403, "wrong_origin", "a page of another server may change nothing here")
    }
    guard request.headers[.contentType]?.hasPrefix("application/json") == true else {
      return .failure(415, "bad_type", "a command is application/json")
    }
    guard let given = request.headers[.authorization], Self.isSame(given, "Bearer \(token)") else {
      var answer = HubAnswers.Answer.failure(
        401, "no_token", "a change needs the token of this hub, in the file 'token_file'")
      answer.fields = [("www-authenticate", "Bearer")]
      return answer
    }
    return nil
  }

  /// Whether two texts are the same; how long it takes tells nothing of where they differ.
  static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private func response(_ answer: HubAnswers.Answer, _ request: Request) -> Response {
    var fields = HTTPFields()
    fields[.contentType] = answer.type
    fields[.xContentTypeOptions] = "nosniff"
    fields[.cacheControl] = "no-store"
    for (name, value) in answer.fields {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    let status = HTTPResponse.Status(code: answer.status)
    guard request.method != .head else {
      fields[.contentLength] = String(answer.body.utf8.count)
      return Response(status: status, headers: fields)
    }
    return Response(
      status: status, headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(string: answer.body)))
  }
}
