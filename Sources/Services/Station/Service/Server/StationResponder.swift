import Dispatch
import Forecasts
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import PlainHTTP
import Readings
import Synchronization

/// Authorizes HTTP requests, and sends the responses of the dispatcher.
struct StationResponder: HTTPResponder {
  typealias Context = StationContext

  /// The thread that reads slow files; the library reads one file at a time in any case.
  private static let slowReads = DispatchQueue(label: "slow files")

  let dispatcher: Dispatcher
  let core: StationCore
  let limit: RateLimit
  /// The rule for the host names that requests may use.
  let hosts: HostRule
  /// The header field in which a proxy on this machine names the client; `nil` for none.
  let clientHeader: HTTPField.Name?
  /// The origin whose pages may read responses, or `*` for all; `nil` for none but the station's own page.
  let allowedOrigin: String?
  let now: @Sendable () -> Int

  func respond(to request: Request, context: StationContext) async throws -> Response {
    let isHead = request.method == .head
    if let rejection = rejection(request, context) {
      dispatcher.metrics.count("refused", rejection.status)
      return response(rejection, request, isHead: isHead)
    }
    let target = request.head.path ?? "/"
    if target == Dispatcher.live { return live(request) }
    if target.hasPrefix(Dispatcher.live + "?") {
      let rejection = APIRequest(target: target)?.unknownParameter(known: [])
      guard let rejection else { return live(request) }
      dispatcher.metrics.count(Dispatcher.live, rejection.status)
      return response(rejection.response, request, isHead: isHead)
    }
    let (dispatcher, now) = (dispatcher, now())
    guard dispatcher.waits(target) else {
      return response(dispatcher.response(target, now: now), request, isHead: isHead)
    }
    // Slow files must not keep other requests waiting.
    let answer = await withCheckedContinuation { continuation in
      Self.slowReads.async {
        continuation.resume(returning: dispatcher.response(target, now: now))
      }
    }
    return response(answer, request, isHead: isHead)
  }

  /// Returns the response if the request is rejected before routing; otherwise `nil`.
  private func rejection(_ request: Request, _ context: StationContext) -> APIResponse? {
    func failure(_ status: Int, _ code: String, _ message: String) -> APIResponse {
      let path = (request.head.path ?? "/").prefix { $0 != "?" }
      return HTTPError(status: status, code: code, message: message).response(for: path)
    }
    // A second Host field is stored among the other fields.
    let others = HTTPField.Name("host").map { request.headers[values: $0] } ?? []
    switch hosts.judge((request.head.authority.map { [$0] } ?? []) + others) {
    case .own: break
    case .several: return .failure(400, "bad_host", "a request must have exactly one Host")
    case .foreign:
      return .failure(
        421, "wrong_host",
        "this host name is not configured for the station; allow it with --host NAME")
    }
    if allowedOrigin != nil, request.method == .options,
      request.headers[.accessControlRequestMethod] != nil
    {
      // What a browser asks before a request with header fields of the page's own.
      var response = APIResponse(status: 204, type: "text/plain", body: [])
      response.fields = [
        ("Access-Control-Allow-Methods", "GET, HEAD"), ("Access-Control-Allow-Headers", "*"),
        ("Access-Control-Max-Age", "86400"),
      ]
      return response
    }
    guard request.method == .get || request.method == .head else {
      var response = failure(405, "bad_method", "the accepted methods are GET and HEAD")
      response.fields = [("allow", "GET, HEAD")]
      return response
    }
    let length = request.headers[.contentLength] ?? "0"
    guard length == "0", request.headers[.transferEncoding] == nil else {
      return failure(
        400, "bad_body", "a request must not have a body; parameters are part of the URL")
    }
    if limit.isOn, !limit.admits(client(request, context)) {
      var response = failure(429, "too_many", "too many requests; wait a second")
      response.fields = [("retry-after", "1")]
      return response
    }
    return nil
  }

  /// Returns the address that a request counts for: that of the connection, or the one that a proxy states.
  ///
  /// Only a proxy on this machine is believed. It appends the address that it saw, so the last one in the field cannot
  /// be forged by the client.
  private func client(_ request: Request, _ context: StationContext) -> String {
    let sender = context.sender?.ipAddress ?? ""
    guard let clientHeader,
      sender.hasPrefix("127.") || sender == "::1" || sender.hasPrefix("::ffff:127."),
      let stated = request.headers[values: clientHeader].last?.split(separator: ",").last
    else { return sender }
    let address = stated.filter { $0 != " " }
    return address.isEmpty ? sender : String(address.prefix(64))
  }

  private func response(_ response: APIResponse, _ request: Request, isHead: Bool) -> Response {
    var fields = HTTPFields()
    fields[.contentType] = response.type
    fields[.xContentTypeOptions] = "nosniff"
    fields[.cacheControl] = "no-cache"
    fields[.accessControlAllowOrigin] = allowedOrigin
    if request.headers[.connection] == "close" { fields[.connection] = "close" }
    for (name, value) in response.fields {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    if let tag = fields[.eTag], let known = request.headers[.ifNoneMatch],
      known == "*" || known.split(separator: ",").contains(where: { Self.plain($0) == tag })
    {
      fields[.contentType] = nil
      return Response(status: .notModified, headers: fields)
    }
    if let modified = fields[.lastModified], modified == request.headers[.ifModifiedSince],
      request.headers[.ifNoneMatch] == nil
    {
      fields[.contentType] = nil
      return Response(status: .notModified, headers: fields)
    }
    var body = response.body
    if body.count > 300 {
      fields[.vary] = "accept-encoding"
      if Self.takesGzip(request.headers[.acceptEncoding]),
        let compressed = response.compressed ?? Gzip.compressed(body)
      {
        body = compressed
        fields[.contentEncoding] = "gzip"
      }
    }
    let status = HTTPResponse.Status(code: response.status)
    guard !isHead else {
      fields[.contentLength] = String(body.count)
      return Response(status: status, headers: fields)
    }
    return Response(
      status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  /// Returns an entity tag without spaces, and without the prefix of a weak tag.
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

  /// Streams new readings, preceded by those that the client has missed.
  private func live(_ request: Request) -> Response {
    let isHead = request.method == .head
    var fields = HTTPFields()
    fields[.contentType] = "text/event-stream; charset=utf-8"
    fields[.cacheControl] = "no-store"
    fields[.xContentTypeOptions] = "nosniff"
    fields[.accessControlAllowOrigin] = allowedOrigin
    if isHead {
      dispatcher.metrics.count(Dispatcher.live, 200)
      return Response(status: .ok, headers: fields)
    }
    guard let listening = core.listen() else {
      return response(
        .failure(503, "too_many_listeners", "too many clients are listening; try again later"),
        request,
        isHead: false)
    }
    let last = HTTPField.Name("last-event-id").flatMap { request.headers[$0] }
      .flatMap(APIRequest.whole).map { Int64($0) }
    let live = LiveReadings(core: core, now: now)
    dispatcher.metrics.count(Dispatcher.live, 200)
    return Response(
      status: .ok, headers: fields,
      body: ResponseBody { writer in
        try await live.write(listening, after: last, to: &writer)
      })
  }
}

/// The context of a request, which contains the client's address.
struct StationContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let sender: SocketAddress?

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    sender = source.channel.remoteAddress
  }
}

/// The station's metrics for Prometheus.
final class Metrics: Sendable {
  private struct Key: Hashable {
    let route: String
    let status: Int
  }

  private let counts = Mutex<[Key: Int]>([:])

  /// Counts a response; all unknown paths are counted under one name.
  func count(_ route: String, _ status: Int) {
    counts.withLock { $0[Key(route: route, status: status), default: 0] += 1 }
  }

  /// Returns the metrics in Prometheus text format 0.0.4.
  func text(_ core: StationCore, _ source: ForecastSource, now: Int) -> String {
    var lines = [
      "# HELP aneroid_requests_total Requests by route and status.",
      "# TYPE aneroid_requests_total counter",
    ]
    let all = counts.withLock { $0 }
    for (key, count) in all.sorted(by: {
      ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status)
    }) {
      lines.append(
        "aneroid_requests_total{route=\"\(key.route)\",status=\"\(key.status)\"} \(count)")
    }
    func gauge(_ name: String, _ help: String, _ value: Double?) {
      guard let value else { return }
      lines += ["# HELP \(name) \(help)", "# TYPE \(name) gauge", "\(name) \(value)"]
    }
    let reading = core.snapshot().state.reading
    gauge("aneroid_temperature_celsius", "Last temperature of the station.", reading?.celsius)
    gauge("aneroid_humidity_percent", "Last relative humidity of the station.", reading?.humidity)
    gauge("aneroid_pressure_pascals", "Last pressure of the station.", reading?.pascals)
    gauge(
      "aneroid_reading_age_seconds", "Age of the last reading.",
      core.age().map(Double.init))
    gauge(
      "aneroid_readings_waiting", "Readings that could not be stored yet.", Double(core.waiting))
    gauge(
      "aneroid_forecast_problems", "Forecast files that cannot be used.",
      Double(source.problems.count))
    gauge("aneroid_forecast_runs", "Number of model runs.", Double(source.set.files.count))
    gauge(
      "aneroid_forecast_run_age_seconds", "Age of the newest model run.",
      source.set.files.first.map { Double(now - $0.reference) })
    return lines.joined(separator: "\n") + "\n"
  }
}

/// The limit on the number of requests per second from each address, with a burst of four seconds.
final class RateLimit: Sendable {
  private struct Bucket {
    var tokens: Double
    var time: ContinuousClock.Instant
  }

  private static let mostAddresses = 10_000

  private let rate: Double
  private let buckets = Mutex<[String: Bucket]>([:])

  /// Creates a limit in requests per second; 0 disables the limit.
  init(rate: Int) { self.rate = Double(rate) }

  /// `true` if requests are limited.
  var isOn: Bool { rate > 0 }

  /// Counts a request from an address.
  ///
  /// - Returns: `true` if the request is within the limit.
  func admits(_ address: String) -> Bool {
    let now = ContinuousClock.now
    return buckets.withLock { buckets in
      if buckets.count >= Self.mostAddresses { buckets = [:] }
      var bucket = buckets[address] ?? Bucket(tokens: 4 * rate, time: now)
      let seconds = (now - bucket.time) / .seconds(1)
      bucket.tokens = min(4 * rate, bucket.tokens + seconds * rate)
      bucket.time = now
      let isAdmitted = bucket.tokens >= 1
      if isAdmitted { bucket.tokens -= 1 }
      buckets[address] = bucket
      return isAdmitted
    }
  }
}
