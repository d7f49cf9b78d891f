package import Forecasts
import Synchronization

/// Answers questions; knows nothing of sockets.
package struct Dispatcher: Sendable {
  /// The paths of GET, but `/v1/live`, which does not end.
  package static let live = "/v1/live"
  private static let routes =
    FourServices.Service.allCases.map(\.rawValue) + ["/v1/forecast", "/v1/history", "/v1/score"]

  /// The parameters of the station's own questions, and of the four services together; others are refused there, so that
  /// a slip is noticed.
  private static let parameters: [String: [String]] = [
    "/v1/station": [], "/v1/history": ["from", "to", "limit", "cursor", "every_s"],
    "/v1/score": ["date"],
  ].merging(FourServices.Service.allCases.map { ($0.rawValue, FourServices.parameters) }) { $1 }

  let core: StationCore
  let source: ForecastSource
  let metrics = Metrics()
  let page: PageAnswer
  private let kept = KeptAnswers()

  /// Creates it.
  package init(core: StationCore, source: ForecastSource) {
    (self.core, self.source) = (core, source)
    page = PageAnswer()
  }

  /// Answers a question that a client sent, and counts it.
  ///
  /// - Parameters:
  ///   - target: the path and the query.
  ///   - now: the time, in seconds since 1970.
  /// - Returns: the answer.
  package func answer(_ target: String, now: Int) -> Answer {
    let generation = source.generation
    if let (route, answer) = kept.answer(target, generation) {
      metrics.count(route, answer.status)
      return answer
    }
    guard let question = Question(target: target) else {
      let isLong = target.utf8.count > Question.longest
      metrics.count("other", isLong ? 414 : 400)
      return isLong
        ? .failure(
          414, "too_long", "the path and the query are longer than \(Question.longest) bytes")
        : .failure(400, "bad_request", "the request is not encoded as URLs are")
    }
    let (route, answer) = route(question, now)
    metrics.count(route, answer.status)
    return answer.isKept ? kept.keep(target, generation, route, answer) : answer
  }

  /// What is wrong with the parameters of a question, whatever they mean; `nil` if nothing is.
  private func refusal(_ question: Question) -> Refusal? {
    if let name = question.repeated {
      return Refusal(
        status: 400, code: "repeated_parameter",
        message: "the parameter \(Refusal.quoted(name)) is given more than once")
    }
    if let known = Self.parameters[question.path],
      let refusal = question.stranger(beside: known)
    {
      return refusal
    }
    guard ["/v1/history", "/v1/score", "/v1/forecast"].contains(question.path),
      let name = question.empty
    else { return nil }
    return Refusal(
      status: 400, code: "empty_parameter",
      message: "the parameter \(Refusal.quoted(name)) has no value; leave it out for its default")
  }

  private func route(_ question: Question, _ now: Int) -> (String, Answer) {
    if let refusal = refusal(question) {
      let isKnown = Self.routes.contains(question.path) || Self.parameters[question.path] != nil
      return (
        isKnown ? question.path : "other",
        question.path == "/v1/forecast" ? refusal.openMeteo : refusal.answer
      )
    }
    if let service = FourServices.Service(rawValue: question.path) {
      return (question.path, FourServices(source: source).answer(service, question))
    }
    let station = StationService(core: core)
    do {
      switch question.path {
      case "/": return ("/", page.answer)
      case "/worker.js": return (question.path, page.worker)
      case "/healthz": return ("/healthz", .json(.object([("status", .string("ok"))])))
      case "/v1/forecast":
        return (
          question.path, ForecastService(source: source, core: core).answer(question, now: now)
        )
      case "/v1/station": return (question.path, .json(station.station(now: now)))
      case "/v1/history": return (question.path, try station.history(question, now: now))
      case "/v1/score": return (question.path, try station.score(question, now: now))
      case "/metrics":
        let text = metrics.text(core, source, now: now)
        return (
          question.path,
          Answer(
            status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: Array(text.utf8))
        )
      case "/openapi.json":
        return (
          question.path,
          Answer(
            status: 200, type: "application/json; charset=utf-8",
            body: PackageResources.openapi_json)
        )
      default: return ("other", .failure(404, "not_found", "there is nothing at this path"))
      }
    } catch {
      return (
        question.path, .failure(503, "unavailable", "what is stored cannot be read now; try again")
      )
    }
  }
}

/// Answers that stay the same until the forecasts change.
private final class KeptAnswers: Sendable {
  private struct State {
    var generation = -1
    var answers: [String: (route: String, answer: Answer)] = [:]
  }

  private static let most = 4000
  private let state = Mutex(State())

  func answer(_ target: String, _ generation: Int) -> (route: String, answer: Answer)? {
    state.withLock { $0.generation == generation ? $0.answers[target] : nil }
  }

  /// Keeps an answer, and gives it the mark by which clients ask whether it has changed.
  func keep(_ target: String, _ generation: Int, _ route: String, _ answer: Answer) -> Answer {
    var answer = answer
    answer.fields.append(("etag", answer.tag))
    if answer.body.count > 300 { answer.squeezed = Gzip.squeezed(answer.body) }
    state.withLock { state in
      if state.generation != generation || state.answers.count >= Self.most {
        state.answers = [:]
        state.generation = generation
      }
      state.answers[target] = (route, answer)
    }
    return answer
  }
}
