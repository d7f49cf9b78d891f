import Foundation
import HubCore
import HubQueue
import Support
import Warehouse

/// The recorded readings over HTTP: `/v1/history`, `/v1/history.csv` and `/v1/alarms/NUMBER`.
struct HistoryAPI {
  let core: HubCore

  /// The error of a request.
  private struct Rejection: Error { let message: String }

  /// A parsed request.
  private struct Request {
    var tags: [WarehousePolicy.ExpectedTag]
    var from: Int64, to: Int64
    /// The length of an interval in nanoseconds; `nil` for single readings.
    var step: Int64?
    var after: Int64 = 0
    var limit = 1000
  }

  private static let names = ["tag", "zone", "from", "to", "every_s", "after", "limit"]
  private static let day: Int64 = 86_400_000_000_000

  /// Returns the response to a request for a history.
  func history(_ query: [(name: String, value: String)], isTable: Bool) throws -> HubAPI.Response {
    do {
      let request = try parse(query)
      guard let step = request.step else { return try readings(request, isTable) }
      let points = try ReadingHistory.points(
        of: core.queue, tags: request.tags.map(\.address), from: request.from, to: request.to,
        step: step)
      return isTable ? table(points) : summary(request, step, points)
    } catch let rejection as Rejection {
      return .failure(400, "bad_request", rejection.message)
    }
  }

  private func parse(_ query: [(name: String, value: String)]) throws -> Request {
    var values: [String: String] = [:]
    for (name, value) in query {
      guard Self.names.contains(name) else {
        throw Rejection(
          message: "unknown parameter '\(name.clipped)'"
            + NearestWord.hint(name.clipped, among: Self.names)
            + " (accepted: \(Self.names.joined(separator: ", ")))")
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw Rejection(message: "the parameter '\(name)' is given more than once")
      }
    }
    let now = core.snapshot.now
    let to = try time("to", values) ?? now
    var request = Request(
      tags: try tags(values), from: try time("from", values) ?? to - Self.day, to: to)
    guard request.from < request.to else { throw Rejection(message: "'from' must be before 'to'") }
    if let seconds = try number("every_s", values, 1...31_536_000) {
      let step = Int64(seconds) * 1_000_000_000
      guard (request.to - request.from) / step < Int64(ReadingHistory.mostIntervals) else {
        throw Rejection(
          message:
            "the period has more than \(ReadingHistory.mostIntervals) intervals; use a larger 'every_s'"
        )
      }
      // Intervals begin at multiples of their length.
      request.from -= (request.from % step + step) % step
      request.step = step
    }
    request.limit = try number("limit", values, 1...10_000) ?? 1000
    request.after = Int64(try number("after", values, 0...Int.max) ?? 0)
    return request
  }

  private func tags(_ values: [String: String]) throws -> [WarehousePolicy.ExpectedTag] {
    let all = core.policy.tags
    if let zone = values["zone"] {
      guard values["tag"] == nil else { throw Rejection(message: "give either 'tag' or 'zone'") }
      let zones = core.policy.zones.map(\.name)
      guard zones.contains(zone) else {
        throw Rejection(
          message: "unknown zone '\(zone.clipped)'" + NearestWord.hint(zone.clipped, among: zones))
      }
      return all.filter { $0.zone == zone }
    }
    guard let tag = values["tag"] else { return all }
    if let found = all.first(where: { $0.address == tag.uppercased() || $0.name == tag }) {
      return [found]
    }
    // The readings of a tag that the file no longer has are found by its address.
    let address = tag.uppercased()
    guard WarehousePolicy.ExpectedTag.isAddress(address) else {
      throw Rejection(
        message: "unknown tag '\(tag.clipped)'"
          + NearestWord.hint(tag.clipped, among: all.map(\.name)))
    }
    return [WarehousePolicy.ExpectedTag(address, name: address, zone: "", period: 0)]
  }

  private func time(_ name: String, _ values: [String: String]) throws -> Int64? {
    guard let text = values[name] else { return nil }
    // A date is its first moment; a plus sign that was not encoded arrives as a space.
    guard
      let time = UTCTime.parseLoosely(text.utf8.count == 10 ? text + " 00:00" : text)
        ?? UTCTime.parseLoosely(text.replacing(" ", with: "+"))
    else {
      throw Rejection(
        message:
          "'\(name)' must be a time such as 2026-01-31 or 2026-01-31T18:00:00Z, not '\(text.clipped)'"
      )
    }
    return time
  }

  private func number(_ name: String, _ values: [String: String], _ range: ClosedRange<Int>) throws
    -> Int?
  {
    guard let text = values[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let most = range.upperBound == .max ? "" : " to \(range.upperBound)"
      throw Rejection(
        message:
          "'\(name)' must be a whole number from \(range.lowerBound)\(most), not '\(text.clipped)'")
    }
    return number
  }

  // MARK: Responses

  private func summary(_ request: Request, _ step: Int64, _ points: [ReadingHistory.Point])
    -> HubAPI.Response
  {
    func json(_ summary: ReadingHistory.Summary?, _ decimals: Int) -> JSONValue? {
      summary.map {
        .array([
          .rounded($0.mean, decimals), .rounded($0.lowest, decimals),
          .rounded($0.highest, decimals),
        ])
      }
    }
    return .json(
      JSONValue.members([
        ("tags", .array(request.tags.map { .string($0.address) })),
        ("from", .string(UTCTime.stamp(request.from, decimals: 3))),
        ("to", .string(UTCTime.stamp(request.to, decimals: 3))),
        ("every_s", .integer(step / 1_000_000_000)),
        ("order", .array(["mean", "lowest", "highest"].map(JSONValue.string))),
        (
          "points",
          .array(
            points.map { point in
              JSONValue.members([
                ("time", .string(UTCTime.stamp(point.time, decimals: 3))),
                ("count", .integer(point.count)),
                ("temperature_c", json(point.temperature, 3)),
                ("humidity_rh", json(point.humidity, 3)),
                ("pressure_pa", json(point.pressure, 1)),
              ])
            })
        ),
      ]).compact)
  }

  private func table(_ points: [ReadingHistory.Point]) -> HubAPI.Response {
    let quantities = ["temperature_c", "humidity_rh", "pressure_pa"]
    let titles = quantities.flatMap { name in ["mean", "lowest", "highest"].map { "\(name)_\($0)" }
    }
    var lines = (["time", "count"] + titles).joined(separator: ",") + "\r\n"
    for point in points {
      let cells = [point.temperature, point.humidity, point.pressure].flatMap { summary in
        summary.map { [$0.mean, $0.lowest, $0.highest].map { Decimal.rounded($0, 3) } } ?? [
          "", "", "",
        ]
      }
      lines +=
        ([UTCTime.stamp(point.time, decimals: 3), "\(point.count)"] + cells).joined(separator: ",")
        + "\r\n"
    }
    return .csv(lines)
  }

  private func readings(_ request: Request, _ isTable: Bool) throws -> HubAPI.Response {
    let records = try ReadingHistory.readings(
      of: core.queue, tags: request.tags.map(\.address), from: request.from, to: request.to,
      after: request.after, limit: request.limit)
    // A full page is followed by another one, which begins after its last reading.
    let next = records.count == request.limit ? records.last?.sequence : nil
    if isTable {
      var response = HubAPI.Response.csv(ReadingTable.csv(records, core.queue))
      if let next { response.fields.append(("x-next-after", "\(next)")) }
      return response
    }
    let list = records.map { $0.json(hub: core.queue.hub, epoch: core.queue.epoch) }.joined(
      separator: ",")
    return .json("{\"readings\":[\(list)]" + (next.map { ",\"after\":\($0)" } ?? "") + "}")
  }

  /// Returns an alarm with its log entries, and the readings of its tag around it; `nil` if there is no such alarm.
  func alarm(_ number: UInt64) throws -> HubAPI.Response? {
    guard let alarm = try AlarmHistory.alarms(of: core.queue).first(where: { $0.number == number })
    else { return nil }
    let end = alarm.returned ?? alarm.closed ?? core.snapshot.now
    // As much time before and after as the alarm lasted, but 10 minutes to 6 hours.
    let margin = min(max(end - alarm.began, 600_000_000_000), 21_600_000_000_000)
    let records = try ReadingHistory.readings(
      of: core.queue, tags: [alarm.key.tag], from: alarm.began - margin, to: end + margin, after: 0,
      limit: 2000)
    let entries = try core.queue.history(
      kind: "alarm", from: alarm.began, to: .max, limit: 1_000_000
    ).filter { AlarmLog.entry($0.record)?.number == number }
    func json(_ records: [QueuedRecord]) -> String {
      records.map { $0.json(hub: core.queue.hub, epoch: core.queue.epoch) }.joined(separator: ",")
    }
    let head = JSONValue.members([
      ("number", .integer(alarm.number)), ("tag", .string(alarm.key.tag)),
      ("name", core.policy.tags.first { $0.address == alarm.key.tag }.map { .string($0.name) }),
      ("zone", .string(alarm.zone)), ("cause", .string(alarm.key.cause.rawValue)),
      ("level", .string(alarm.key.level.rawValue)), ("limit", .decimal(alarm.rule.limit)),
      ("hysteresis", .decimal(alarm.rule.hysteresis)),
      ("on_delay_s", .decimal(Double(alarm.rule.onDelay) / 1e9)),
      ("began", .string(UTCTime.stamp(alarm.began, decimals: 9))),
      ("raised", .string(UTCTime.stamp(alarm.raised, decimals: 9))),
      ("returned", alarm.returned.map { .string(UTCTime.stamp($0, decimals: 9)) }),
      ("closed", alarm.closed.map { .string(UTCTime.stamp($0, decimals: 9)) }),
      ("peak", .decimal(alarm.peak)),
      ("peak_time", .string(UTCTime.stamp(alarm.peakTime, decimals: 9))),
      ("phase", .string(alarm.phase.rawValue)),
    ]).compact
    return .json("\(head.dropLast()),\"log\":[\(json(entries))],\"readings\":[\(json(records))]}")
  }
}
