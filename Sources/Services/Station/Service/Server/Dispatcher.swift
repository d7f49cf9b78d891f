package import Forecasts
import Foundation
import Readings
import StationPage
import Support
import Synchronization

/// Routes requests to the services; it does not depend on the server.
package struct Dispatcher: Sendable {
  /// The path of the live readings, which the dispatcher does not serve, because their response
  /// does not end.
  package static let live = "/v1/live"
  private static let routes =
    FourServices.Service.allCases.map(\.rawValue) + [
      "/v1/forecast", "/v1/history", "/v1/score", MetNo.path, MetNo.completePath,
    ]

  /// The accepted parameters by path, for the station's own requests and for the four services; any
  /// others are rejected, so typing errors are detected.
  private static let parameters: [String: [String]] = [
    "/v1/station": [], "/v1/history": ["from", "to", "limit", "cursor", "every_s"],
    "/v1/score": ["date"], MetNo.path: MetNo.parameters,
    MetNo.completePath: MetNo.parameters,
  ].merging(FourServices.Service.allCases.map { ($0.rawValue, FourServices.parameters) }) { $1 }

  let core: StationCore
  let source: ForecastSource
  let metrics = Metrics()
  let page: PageAnswer
  private let kept = ResponseCache()

  package init(core: StationCore, source: ForecastSource) {
    (self.core, self.source) = (core, source)
    page = PageAnswer(station: core.site.name)
  }

  /// Returns `true` if the response to a request may have to wait for a file that is slow to read.
  func waits(_ target: String) -> Bool {
    guard source.isSlow, kept.response(target, source.generation) == nil else { return false }
    let path = String(target.prefix { $0 != "?" })
    return Self.routes.contains(path)
  }

  /// Returns the response to a request, and counts the response.
  ///
  /// - Parameters:
  ///   - target: The path and the query.
  ///   - now: The current time in seconds since 1970.
  /// - Returns: The response.
  package func response(_ target: String, now: Int) -> APIResponse {
    let generation = source.generation
    if let (route, response) = kept.response(target, generation) {
      metrics.count(route, response.status)
      return response
    }
    guard let query = APIRequest(target: target) else {
      let isLong = target.utf8.count > APIRequest.longest
      metrics.count("other", isLong ? 414 : 400)
      let error =
        isLong
        ? HTTPError(
          status: 414, code: "too_long",
          message:
            "the path and the query exceed \(APIRequest.longest) bytes; request fewer locations at once"
        )
        : HTTPError(
          status: 400, code: "bad_request", message: "the encoding of the URL is invalid")
      return error.response(for: target.prefix { $0 != "?" })
    }
    let (route, response) = route(query, now)
    metrics.count(route, response.status)
    return response.isKept ? kept.keep(target, generation, route, response) : response
  }

  /// Returns the error in a request's parameters, as far as it does not depend on their values;
  /// `nil` if there is none.
  private func rejection(_ query: APIRequest) -> HTTPError? {
    if let name = query.repeated {
      return HTTPError(
        status: 400, code: "repeated_parameter",
        message: "the parameter \(HTTPError.quoted(name)) is given more than once")
    }
    if let known = Self.parameters[query.path],
      let rejection = query.unknownParameter(known: known)
    {
      return rejection
    }
    guard ["/v1/history", "/v1/score", "/v1/forecast"].contains(query.path),
      let name = query.empty
    else { return nil }
    return HTTPError(
      status: 400, code: "empty_parameter",
      message: "the parameter \(HTTPError.quoted(name)) has no value; leave it out for its default")
  }

  private func route(_ query: APIRequest, _ now: Int) -> (String, APIResponse) {
    if let rejection = rejection(query) {
      let isKnown = Self.routes.contains(query.path) || Self.parameters[query.path] != nil
      return (
        isKnown ? query.path : "other",
        rejection.response(for: query.path)
      )
    }
    if let service = FourServices.Service(rawValue: query.path) {
      return (query.path, FourServices(source: source).response(service, query))
    }
    let station = StationService(core: core)
    do {
      switch query.path {
      case "/": return ("/", page.response)
      case "/worker.js": return (query.path, page.worker)
      case "/manifest.webmanifest": return (query.path, page.manifest)
      case "/healthz": return ("/healthz", .json(.object([("status", .string("ok"))])))
      case "/v1/forecast":
        return (
          query.path, ForecastService(source: source, core: core).response(query, now: now)
        )
      case MetNo.path, MetNo.completePath:
        let service = MetNo(source: source, isComplete: query.path == MetNo.completePath)
        do throws(HTTPError) {
          return (query.path, try service.response(query, now: now))
        } catch {
          return (query.path, error.response)
        }
      case "/v1/station": return (query.path, .json(station.station(now: now)))
      case "/v1/history": return (query.path, try station.history(query, now: now))
      case "/v1/score": return (query.path, try station.score(query, now: now))
      case "/metrics":
        let text = metrics.text(core, source, now: now)
        return (
          query.path,
          APIResponse(
            status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: Array(text.utf8))
        )
      case "/openapi.json":
        return (
          query.path,
          APIResponse(
            status: 200, type: "application/json; charset=utf-8",
            body: PackageResources.openapi_json)
        )
      default:
        if let icon = page.icons[query.path] { return (query.path, icon) }
        return ("other", .failure(404, "not_found", "unknown path"))
      }
    } catch {
      return (
        query.path, .failure(503, "unavailable", "the stored data cannot be read now; try again")
      )
    }
  }
}

/// The cache of responses that stay the same until the forecasts change.
private final class ResponseCache: Sendable {
  private struct State {
    var generation = -1
    var responses: [String: (route: String, response: APIResponse)] = [:]
  }

  private static let most = 4000
  private let state = Mutex(State())

  func response(_ target: String, _ generation: Int) -> (route: String, response: APIResponse)? {
    state.withLock { $0.generation == generation ? $0.responses[target] : nil }
  }

  /// Stores a response in the cache and adds an entity tag.
  func keep(_ target: String, _ generation: Int, _ route: String, _ response: APIResponse)
    -> APIResponse
  {
    var response = response
    response.fields.append(("etag", response.tag))
    if response.body.count > 300 { response.compressed = Gzip.compressed(response.body) }
    state.withLock { state in
      if state.generation != generation || state.responses.count >= Self.most {
        state.responses = [:]
        state.generation = generation
      }
      state.responses[target] = (route, response)
    }
    return response
  }
}

/// The responses that contain the page, with a content security policy that allows only the page's
/// own script.
struct PageAnswer: Sendable {
  /// The response with the page.
  let response: APIResponse
  /// The response with the service worker script for offline use.
  let worker: APIResponse
  /// The response with the web app manifest, with which phones install the page.
  let manifest: APIResponse
  /// The responses with the icons, by their paths.
  let icons: [String: APIResponse]

  /// Creates the responses of a station.
  ///
  /// - Parameter station: The name of the station.
  init(station: String) {
    let page = WeatherPage.joined
    var response = APIResponse(
      status: 200, type: "text/html; charset=utf-8", body: Array(page.html.utf8))
    let policy = page.contentSecurityPolicy { Data(SHA256.digest($0.utf8)).base64EncodedString() }
    response.fields = [
      ("content-security-policy", policy), ("referrer-policy", "no-referrer"),
      ("permissions-policy", "geolocation=(self), camera=(), microphone=()"),
      ("x-frame-options", "DENY"), ("etag", response.tag),
    ]
    response.compressed = Gzip.compressed(response.body)
    self.response = response
    var worker = APIResponse(
      status: 200, type: "text/javascript; charset=utf-8", body: Array(page.worker.utf8))
    worker.fields = [("etag", worker.tag)]
    self.worker = worker
    manifest = APIResponse(
      status: 200, type: "application/manifest+json",
      body: Array(Self.manifest(station).compact.utf8))
    icons = Dictionary(
      uniqueKeysWithValues: WeatherPage.icons.map { icon in
        var response = APIResponse(status: 200, type: icon.type, body: icon.bytes)
        response.fields = [("etag", response.tag)]
        return (icon.path, response)
      })
  }

  private static func manifest(_ station: String) -> JSONValue {
    let icons = WeatherPage.icons.prefix(3).map { icon in
      JSONValue.object([
        ("src", .string(icon.path)), ("type", .string(icon.type)), ("sizes", .string(icon.sizes)),
        ("purpose", .string("any maskable")),
      ])
    }
    return .object([
      ("id", .string("/")), ("name", .string("Aneroid \(station)")),
      ("short_name", .string("Aneroid")), ("start_url", .string("/")), ("scope", .string("/")),
      ("display", .string("standalone")), ("background_color", .string("#1f5591")),
      ("theme_color", .string("#1f5591")), ("icons", .array(Array(icons))),
    ])
  }
}

extension APIResponse {
  /// The entity tag, which is the 64-bit FNV-1a hash of the body.
  var tag: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in body { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "\"\(String(hash, radix: 16))\""
  }
}
