package import HubCore
import HubPage
import HubQueue
package import HubSettings
import Warehouse

/// Answers questions and takes commands; knows nothing of sockets.
package struct HubAnswers: Sendable {
  /// What a client is told.
  package struct Answer: Sendable {
    /// The status of HTTP.
    package var status: Int
    /// The kind of the body.
    package var type: String
    /// The body.
    package var body: String
    /// More header fields.
    package var fields: [(String, String)] = []

    static func json(_ body: String, _ status: Int = 200) -> Answer {
      Answer(status: status, type: "application/json; charset=utf-8", body: body)
    }

    /// A refusal.
    package static func failure(_ status: Int, _ code: String, _ message: String) -> Answer {
      json(
        JSONText.object([
          (
            "error",
            JSONText.object([
              ("code", JSONText.quoted(code)), ("message", JSONText.quoted(message)),
            ])
          )
        ]), status)
    }
  }

  let core: HubCore
  let places: [String: HubSettings.Place]
  /// Who may do what by HTTP: with the token, anything.
  let gate = CommandGate(actions: ["acknowledge", "silence", "end-silence", "close"])
  let isBrokerThere: @Sendable () -> Bool?
  private let page: Answer

  /// Creates it.
  package init(
    core: HubCore, places: [String: HubSettings.Place],
    isBrokerThere: @escaping @Sendable () -> Bool? = { nil }
  ) {
    (self.core, self.places, self.isBrokerThere) = (core, places, isBrokerThere)
    let shown = WarehousePage.joined
    page = Answer(
      status: 200, type: "text/html; charset=utf-8", body: shown.html,
      fields: [
        ("content-security-policy", shown.contentSecurityPolicy(PageDigest.sha256Base64)),
        ("referrer-policy", "no-referrer"), ("x-frame-options", "DENY"),
      ])
  }

  /// Answers a question.
  ///
  /// - Parameter path: the path, without the query.
  /// - Returns: the answer.
  package func answer(_ path: String) -> Answer {
    do {
      switch path {
      case "/": return page
      case "/healthz": return .json(#"{"status":"ok"}"#)
      case "/v1/hub": return .json(try snapshot().text)
      case "/v1/alarms": return .json(#"{"alarms":"# + (try snapshot().alarms) + "}")
      case "/v1/log.jsonl": return try log()
      case "/v1/alarms.csv":
        return Answer(
          status: 200, type: "text/csv; charset=utf-8; header=present",
          body: AlarmTable.csv(try AlarmHistory.alarms(of: core.queue)))
      case "/metrics":
        let metrics = HubMetrics(
          snapshot: core.snapshot, standings: try core.queue.standings(),
          isBrokerThere: isBrokerThere())
        return Answer(
          status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: metrics.text)
      default: return .failure(404, "not_found", "there is nothing at this path")
      }
    } catch {
      return .failure(503, "unavailable", "what is stored cannot be read now; try again")
    }
  }

  /// Takes a command; who sends it has shown the token.
  package func command(_ body: [UInt8]) -> Answer {
    let (isDone, json) = gate.answer(body) { command throws(HubCommand.Refusal) in
      try core.obey(command)
    }
    return .json(json, isDone ? 200 : 422)
  }

  private func snapshot() throws -> SnapshotJSON {
    SnapshotJSON(
      snapshot: core.snapshot, places: places, standings: try core.queue.standings(),
      isBrokerThere: isBrokerThere())
  }

  /// The whole life of every alarm, a line each.
  private func log() throws -> Answer {
    let records = try core.queue.history(kind: "alarm", from: 0, to: .max, limit: 1_000_000)
    let lines = records.map { $0.json(hub: core.queue.hub, epoch: core.queue.epoch) + "\n" }
    return Answer(
      status: 200, type: "application/x-ndjson; charset=utf-8", body: lines.joined())
  }
}
