import Forecasts
import HTTPTypes
import Hummingbird
import NIOCore
import PlainHTTP

/// Checks requests, asks the dispatcher, and writes its answers.
struct StationResponder: HTTPResponder {
  typealias Context = StationContext

  let dispatcher: Dispatcher
  let core: StationCore
  let limit: RateLimit
  /// The names by which the station may be addressed.
  let hosts: HostRule
  let now: @Sendable () -> Int

  func respond(to request: Request, context: StationContext) async throws -> Response {
    let isHead = request.method == .head
    if let refusal = refusal(request, context) {
      dispatcher.metrics.count("refused", refusal.status)
      return response(refusal, request, isHead: isHead)
    }
    let target = request.head.path ?? "/"
    if target == Dispatcher.live { return live(request) }
    if target.hasPrefix(Dispatcher.live + "?") {
      let refusal = Question(target: target)?.stranger(beside: [])
      guard let refusal else { return live(request) }
      dispatcher.metrics.count(Dispatcher.live, refusal.status)
      return response(refusal.answer, request, isHead: isHead)
    }
    return response(dispatcher.answer(target, now: now()), request, isHead: isHead)
  }

  /// Why a request is not even looked at.
  private func refusal(_ request: Request, _ context: StationContext) -> Answer? {
    // A second Host is left among the other fields.
    let others = HTTPField.Name("host").map { request.headers[values: $0] } ?? []
    switch hosts.judge((request.head.authority.map { [$0] } ?? []) + others) {
    case .own: break
    case .several: return .failure(400, "bad_host", "a request has one Host")
    case .stranger:
      return .failure(
        421, "wrong_host",
        "this station is not addressed by that name; start it with --host NAME to allow one")
    }
    guard request.method == .get || request.method == .head else {
      var answer = Answer.failure(405, "bad_method", "only GET and HEAD are answered")
      answer.fields = [("allow", "GET, HEAD")]
      return answer
    }
    let length = request.headers[.contentLength] ?? "0"
    guard length == "0", request.headers[.transferEncoding] == nil else {
      return .failure(400, "bad_body", "a request has no body; what is asked stands in its address")
    }
    if limit.isOn, !limit.admits(context.sender?.ipAddress ?? "") {
      var answer = Answer.failure(429, "too_many", "too many requests; wait a second")
      answer.fields = [("retry-after", "1")]
      return answer
    }
    return nil
  }

  private func response(_ answer: Answer, _ request: Request, isHead: Bool) -> Response {
    var fields = HTTPFields()
    fields[.contentType] = answer.type
    fields[.xContentTypeOptions] = "nosniff"
    fields[.cacheControl] = "no-cache"
    if request.headers[.connection] == "close" { fields[.connection] = "close" }
    for (name, value) in answer.fields {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    if let tag = fields[.eTag], let known = request.headers[.ifNoneMatch],
      known == "*" || known.split(separator: ",").contains(where: { Self.plain($0) == tag })
    {
      fields[.contentType] = nil
      return Response(status: .notModified, headers: fields)
    }
    var body = answer.body
    if body.count > 300 {
      fields[.vary] = "accept-encoding"
      if Self.takesGzip(request.headers[.acceptEncoding]),
        let squeezed = answer.squeezed ?? Gzip.squeezed(body)
      {
        body = squeezed
        fields[.contentEncoding] = "gzip"
      }
    }
    let status = HTTPResponse.Status(code: answer.status)
    guard !isHead else {
      fields[.contentLength] = String(body.count)
      return Response(status: status, headers: fields)
    }
    return Response(
      status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  /// A tag without the mark of a weak one and blanks.
  private static func plain(_ tag: Substring) -> Substring {
    var tag = tag.drop { $0 == " " }
    while tag.last == " " { tag.removeLast() }
    return tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
  }

  private static func takesGzip(_ accepted: String?) -> Bool {
    guard let accepted else { return false }
    return accepted.split(separator: ",").contains { part in
      let words = part.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
      return ["gzip", "*"].contains(words.first)
        && !words.dropFirst().contains { ["q=0", "q=0.0"].contains($0) }
    }
  }

  /// Readings as they come, and those that a client has missed.
  private func live(_ request: Request) -> Response {
    let isHead = request.method == .head
    var fields = HTTPFields()
    fields[.contentType] = "text/event-stream; charset=utf-8"
    fields[.cacheControl] = "no-store"
    fields[.xContentTypeOptions] = "nosniff"
    if isHead {
      dispatcher.metrics.count(Dispatcher.live, 200)
      return Response(status: .ok, headers: fields)
    }
    guard let listening = core.listen() else {
      return response(
        .failure(503, "too_many_listeners", "too many listen; try again later"), request,
        isHead: false)
    }
    let last = HTTPField.Name("last-event-id").flatMap { request.headers[$0] }
      .flatMap(Question.whole).map { Int64($0) }
    let live = LiveReadings(core: core, now: now)
    dispatcher.metrics.count(Dispatcher.live, 200)
    return Response(
      status: .ok, headers: fields,
      body: ResponseBody { writer in
        try await live.write(listening, after: last, to: &writer)
      })
  }
}
