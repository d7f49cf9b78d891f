import Foundation
import HTTPTypes
package import HubCore
import HubPage
import HubQueue
import Hummingbird
import NIOCore
package import Notify
import PlainHTTP
import Support
import Synchronization
import Warehouse
package import WarehouseRuns

/// Authorizes HTTP requests and sends the responses of the API.
struct HubResponder: HTTPResponder {
  typealias Context = BasicRequestContext

  let api: HubAPI
  /// The rule for the host names that requests may use.
  let hosts: HostRule
  /// The token required for changes.
  let token: String
  /// The number of slow responses that are being computed.
  private let underWay = SlowResponses()

  init(api: HubAPI, hosts: HostRule, token: String) {
    (self.api, self.hosts, self.token) = (api, hosts, token)
  }

  func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    if let rejection = rejection(request) { return response(rejection, request) }
    let target = request.head.path ?? "/"
    let path = String(target.prefix { $0 != "?" })
    guard request.method == .post else {
      let query = String(target.dropFirst(path.count + 1))
      guard HubAPI.isSlow(path) else { return response(api.response(path, query: query), request) }
      return response(await slow { api.response(path, query: query) }, request)
    }
    guard path == "/v1/command" else {
      return response(.failure(404, "not_found", "commands must be posted to /v1/command"), request)
    }
    var request = request
    let body: ByteBuffer
    do {
      body = try await request.collectBody(upTo: 8192)
    } catch {
      return response(.failure(413, "too_large", "a command may have at most 8192 bytes"), request)
    }
    return response(api.command(Array(body.readableBytesView)), request)
  }

  /// Computes a response that may take seconds on a thread of its own, a few at a time, so that alarms and other requests
  /// do not wait for it.
  private func slow(_ make: @escaping @Sendable () -> HubAPI.Response) async -> HubAPI.Response {
    guard underWay.begin(atMost: Self.mostSlow) else {
      var response = HubAPI.Response.failure(
        503, "busy", "other requests for the history are under way; try again in a second")
      response.fields = [("retry-after", "1")]
      return response
    }
    return await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .utility).async { [underWay] in
        let response = make()
        underWay.end()
        continuation.resume(returning: response)
      }
    }
  }

  /// The maximum number of slow responses that are computed at the same time.
  private static let mostSlow = 2

  /// Returns the response if the request is rejected before routing; otherwise `nil`.
  private func rejection(_ request: Request) -> HubAPI.Response? {
    let authority = request.head.authority ?? ""
    // A second Host field is stored among the other fields.
    let others = HTTPField.Name("host").map { request.headers[values: $0] } ?? []
    switch hosts.judge([authority] + others) {
    case .own: break
    case .several: return .failure(400, "bad_host", "a request must have exactly one Host")
    case .foreign:
      return .failure(
        421, "wrong_host", "this host name is not configured for the hub; see 'hosts' in its file")
    }
    switch request.method {
    case .get, .head: return nil
    case .post: break
    default:
      var response = HubAPI.Response.failure(
        405, "bad_method", "the accepted methods are GET, HEAD and POST")
      response.fields = [("allow", "GET, HEAD, POST")]
      return response
    }
    // Browsers let pages of other sites send requests, but always add an Origin to them.
    if let origin = request.headers[.origin], origin != "http://\(authority)",
      origin != "https://\(authority)"
    {
      return .failure(403, "wrong_origin", "pages of other sites may not send commands")
    }
    guard request.headers[.contentType]?.hasPrefix("application/json") == true else {
      return .failure(415, "bad_type", "a command must be application/json")
    }
    let given = request.headers[.authorization]
    guard let given, Self.isSame(given, "Bearer \(token)") else {
      var response =
        given == nil
        ? HubAPI.Response.failure(
          401, "no_token", "commands need the hub's token from the file 'token_file'")
        : HubAPI.Response.failure(
          401, "wrong_token", "this is not the hub's token, which is in the file 'token_file'")
      response.fields = [("www-authenticate", "Bearer")]
      return response
    }
    return nil
  }

  /// Compares two texts in a time that does not depend on where they differ.
  static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private func response(_ response: HubAPI.Response, _ request: Request) -> Response {
    var fields = HTTPFields()
    fields[.contentType] = response.type
    fields[.xContentTypeOptions] = "nosniff"
    fields[.cacheControl] = "no-store"
    for (name, value) in response.fields {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    let status = HTTPResponse.Status(code: response.status)
    guard request.method != .head else {
      fields[.contentLength] = String(response.body.utf8.count)
      return Response(status: status, headers: fields)
    }
    return Response(
      status: status, headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(string: response.body)))
  }
}

/// The number of slow responses that are being computed.
private final class SlowResponses: Sendable {
  private let count = Atomic<Int>(0)

  /// Counts another response; returns `false`, and does not count it, if there are too many.
  func begin(atMost most: Int) -> Bool {
    guard count.add(1, ordering: .relaxed).newValue > most else { return true }
    end()
    return false
  }

  func end() { count.subtract(1, ordering: .relaxed) }
}

/// The HTTP API of the hub, which does not depend on the server.
package struct HubAPI: Sendable {
  package struct Response: Sendable {
    /// The HTTP status.
    package var status: Int
    /// The media type of the body.
    package var type: String
    package var body: String
    /// The additional header fields.
    package var fields: [(String, String)] = []

    static func json(_ body: String, _ status: Int = 200) -> Response {
      Response(status: status, type: "application/json; charset=utf-8", body: body)
    }

    static func csv(_ body: String) -> Response {
      Response(status: 200, type: "text/csv; charset=utf-8; header=present", body: body)
    }

    /// Returns an error response.
    package static func failure(_ status: Int, _ code: String, _ message: String) -> Response {
      json(
        JSONValue.object([
          ("error", .object([("code", .string(code)), ("message", .string(message))]))
        ]).compact, status)
    }
  }

  let core: HubCore
  let positions: [String: HubSettings.Coordinates]
  /// The filter for commands over HTTP; a client that sent the token may use all of them.
  let gate = CommandGate(actions: ["acknowledge", "silence", "end-silence", "close"])
  let isBrokerThere: @Sendable () -> Bool?
  let channels: @Sendable () -> [(NotificationChannel, Notifier.Health)]
  private let report: @Sendable (String) -> Void
  private let page: Response

  /// Creates the API of a hub.
  package init(
    core: HubCore, positions: [String: HubSettings.Coordinates],
    isBrokerThere: @escaping @Sendable () -> Bool? = { nil },
    channels: @escaping @Sendable () -> [(NotificationChannel, Notifier.Health)] = { [] },
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (self.core, self.positions, self.isBrokerThere) = (core, positions, isBrokerThere)
    (self.channels, self.report) = (channels, report)
    let shown = WarehousePage.joined
    page = Response(
      status: 200, type: "text/html; charset=utf-8", body: shown.html,
      fields: [
        ("content-security-policy", shown.contentSecurityPolicy(PageDigest.sha256Base64)),
        ("referrer-policy", "no-referrer"), ("x-frame-options", "DENY"),
      ])
  }

  /// Returns `true` for paths whose response reads many records.
  static func isSlow(_ path: String) -> Bool {
    path.hasPrefix("/v1/history") || path.hasPrefix("/v1/alarms/") || path == "/v1/log.jsonl"
      || path == "/v1/alarms.csv"
  }

  /// Returns the response to a GET request.
  ///
  /// - Parameters:
  ///   - path: The path without the query.
  ///   - query: The query, which only the history has.
  /// - Returns: The response.
  package func response(_ path: String, query: String = "") -> Response {
    do {
      switch path {
      case "/": return page
      case "/manifest.webmanifest":
        return Response(
          status: 200, type: "application/manifest+json",
          body: WarehousePage.manifest(hub: core.queue.hub))
      case "/icon.svg":
        return Response(status: 200, type: "image/svg+xml", body: WarehousePage.icon)
      case "/healthz": return .json(#"{"status":"ok"}"#)
      case "/v1/hub": return .json(try snapshot().text)
      case "/v1/alarms":
        return .json(JSONValue.object([("alarms", try snapshot().alarms)]).compact)
      case "/v1/log.jsonl": return try log()
      case "/v1/alarms.csv":
        return .csv(AlarmTable.csv(try AlarmHistory.alarms(of: core.queue)))
      case "/v1/history", "/v1/history.csv":
        guard let items = Self.items(query) else {
          return .failure(400, "bad_request", "the encoding of the query is invalid")
        }
        return try HistoryAPI(core: core).history(items, isTable: path.hasSuffix(".csv"))
      case "/v1/alarms/closed":
        let closed = try AlarmHistory.alarms(of: core.queue).filter { !$0.isOpen }
        return .json(
          JSONValue.object([("alarms", try snapshot().list(closed.suffix(100).reversed()))]).compact
        )
      case "/metrics":
        let metrics = HubMetrics(
          snapshot: core.snapshot, standings: try core.queue.standings(),
          isBrokerThere: isBrokerThere(), channels: channels())
        return Response(
          status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: metrics.text)
      default:
        let prefix = "/v1/alarms/"
        if path.hasPrefix(prefix), let number = UInt64(path.dropFirst(prefix.count)) {
          return try HistoryAPI(core: core).alarm(number)
            ?? .failure(404, "not_found", "there is no alarm \(number)")
        }
        return .failure(404, "not_found", "unknown path")
      }
    } catch {
      // The reason may contain paths, and appears only in the operator's log.
      report("cannot read the stored data: \(error)")
      return .failure(503, "unavailable", "the stored data cannot be read now; try again")
    }
  }

  /// Returns the decoded names and values of a query; `nil` if its encoding is invalid.
  static func items(_ query: String) -> [(name: String, value: String)]? {
    var items: [(name: String, value: String)] = []
    for pair in query.split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let decoded = sides.map { $0.replacing("+", with: " ").removingPercentEncoding }
      guard let name = decoded[0], let value = decoded.count > 1 ? decoded[1] : "" else {
        return nil
      }
      items.append((name, value))
    }
    return items
  }

  /// Executes a command from a client that sent the token.
  package func command(_ body: [UInt8]) -> Response {
    let (isDone, json) = gate.response(body) { command throws(HubCommand.Rejection) in
      try core.execute(command)
    }
    return .json(json, isDone ? 200 : 422)
  }

  private func snapshot() throws -> SnapshotJSON {
    SnapshotJSON(
      snapshot: core.snapshot, positions: positions, standings: try core.queue.standings(),
      isBrokerThere: isBrokerThere(), channels: channels())
  }

  /// Returns the complete alarm log, one entry per line.
  private func log() throws -> Response {
    let records = try core.queue.history(kind: "alarm", from: 0, to: .max, limit: 1_000_000)
    let lines = records.map { $0.json(hub: core.queue.hub, epoch: core.queue.epoch) + "\n" }
    return Response(
      status: 200, type: "application/x-ndjson; charset=utf-8", body: lines.joined())
  }
}
