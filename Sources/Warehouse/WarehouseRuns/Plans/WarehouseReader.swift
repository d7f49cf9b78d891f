import Environment
package import Files
import HubSettings
import Quantities
import Schema
import Text
import Warehouse
import WeatherTables

extension WarehouseRig {
  /// Reads the file of a warehouse.
  ///
  /// - Throws: `Failure` with every mistake and its place.
  package init(path: String) throws(Failure) {
    try self.init(text: TextFile.read(path, longest: Document.longest), file: path)
  }

  /// Reads the text of a warehouse; files that it names are found next to `file`.
  ///
  /// - Throws: `Failure` with every mistake and its place.
  package init(text: String, file: String) throws(Failure) {
    var reader: WarehouseReader
    let value: CheckedValue
    do throws(Mistake) {
      let (found, checker) = try Document.read(
        text, file: file, as: WarehouseKeys.rig, named: "the rig")
      value = found
      reader = WarehouseReader(file: file, checker: checker)
    } catch {
      throw Failure(.badRig, [error])
    }
    guard reader.checker.mistakes.isEmpty else {
      if let family = DocumentFamily(of: text), family != .warehouse {
        throw Failure(.badRig, [family.refusal("a rig that is a warehouse", file: file)])
      }
      throw Failure(.badRig, reader.checker.findings)
    }
    let summary = text.split(separator: "\n").prefix { $0.hasPrefix("#") }
      .filter { !$0.hasPrefix("# yaml-language-server:") }
      .map { String($0.drop { $0 == "#" }).trimmed }.joined(separator: " ")
    let rig = try reader.rig(value, summary: summary)
    guard reader.checker.mistakes.isEmpty else { throw Failure(.badRig, reader.checker.findings) }
    self = rig
  }
}

/// Makes a warehouse of a file that has the right shape, and notes what its shape cannot say.
struct WarehouseReader {
  let file: String
  var checker: Checker
  /// Where each tag and each zone stands, by its name.
  var tagPlaces: [String: Int] = [:]
  var zonePlaces: [String: Int] = [:]
  var tags: [WarehouseRig.Tag] = []

  /// What it shares with the file of a hub.
  var reader = PolicyReader()

  init(file: String, checker: Checker) { (self.file, self.checker) = (file, checker) }

  mutating func rig(_ value: CheckedValue, summary: String) throws(Failure) -> WarehouseRig {
    let duration = value["duration"]?.nanoseconds ?? 0
    let plan = value["warehouse"]
    var zones: [WarehousePolicy.Zone] = []
    var courses: [WarehouseRig.Course] = []
    var start = value["start"]?.nanoseconds
    for zone in plan?["zones"]?.list ?? [] {
      zonePlaces[zone["name"]?.text ?? ""] = zones.count
      zones.append(reader.zone(zone))
      if let log = zone["log"] {
        let series = try self.log(log, start: start, duration: duration)
        start = start ?? series.start
        courses.append(
          WarehouseRig.Course(temperature: series.temperature, humidity: series.humidity))
      } else {
        courses.append(course(zone["air"]))
      }
    }
    for tag in plan?["tags"]?.list ?? [] { add(tag) }
    for fleet in plan?["fleets"]?.list ?? [] { add(fleet: fleet) }
    if tags.isEmpty { checker.note("the warehouse has no tags", at: value.position) }
    let rota = rota(plan?["link"])
    let policy = policy(plan, zones, rota)
    let times = reader.listening(plan?["link"])
    for wrong in reader.notes { checker.note(wrong.message, at: wrong.value.position) }
    for mistake in policy.mistakes {
      let wrong = reader.value(of: mistake.place) ?? plan ?? value
      checker.note(mistake.message, at: wrong.position)
    }
    return WarehouseRig(
      summary: summary, name: value["name"]?.text ?? "", seed: UInt64(value["seed"]?.integer ?? 0),
      start: start ?? 1_767_225_600_000_000_000, duration: duration,
      isOnStack: isOnStack(plan), policy: policy, courses: courses, tags: tags, rota: rota,
      times: times, air: waves(plan?["link"]), place: place(plan?["link"]?["at"]),
      isConfirmedByReceiver: plan?["broker"]?["confirm"]?.text != "broker",
      away: (plan?["broker"]?["away"]?.list ?? []).map { span($0, to: duration) },
      commands: (plan?["commands"]?.list ?? []).map { command($0) },
      faults: (plan?["faults"]?.list ?? []).compactMap { fault($0, to: duration) },
      kills: kills(plan?["kills"]),
      expectations: (value["expect"]?.list ?? []).compactMap { expectation($0) })
  }

  private mutating func policy(
    _ plan: CheckedValue?, _ zones: [WarehousePolicy.Zone], _ rota: ConnectionRota
  ) -> WarehousePolicy {
    WarehousePolicy(
      hub: plan?["hub"]?.text ?? "hub", zones: zones,
      tags: tags.map { tag in
        var expected = tag.expected
        // A tag that takes turns is heard once a round, or a period later.
        if rota.rotates { expected.period = rota.round + tag.period }
        return expected
      }, duty: reader.duty(plan?["duty"]))
  }

  private mutating func rota(_ link: CheckedValue?) -> ConnectionRota {
    let longest = tags.map(\.period).max() ?? 1
    let stay = link?["stay"]?.nanoseconds ?? 2 * longest
    let rota = ConnectionRota(
      tags: tags.count, connections: link?["connections"]?.integer ?? max(tags.count, 1),
      stay: stay, connecting: link?["connecting"]?.nanoseconds ?? 170_000_000)
    if rota.rotates, stay < longest, let link {
      checker.note("stay: a tag must stay for its period at least, to be heard", at: link.position)
    }
    return rota
  }

  /// Whether the run goes over a stack; what it cannot do there is a mistake.
  private mutating func isOnStack(_ plan: CheckedValue?) -> Bool {
    guard plan?["link"]?["over"]?.text == "bumble" else { return false }
    for key in ["loss", "range", "fading", "at"] {
      guard let value = plan?["link"]?[key] else { continue }
      checker.note("\(key): the radios of a stack have no distance", at: value.position)
    }
    return true
  }

  private func kills(_ value: CheckedValue?) -> (count: Int, of: [WarehouseRig.Program]) {
    let words = value?["of"]?.list.compactMap(\.text) ?? []
    let programs = words.compactMap(WarehouseRig.Program.init(rawValue:))
    return (
      value?["count"]?.integer ?? 0, programs.isEmpty ? WarehouseRig.Program.allCases : programs
    )
  }

  func span(_ value: CheckedValue, to end: Int64) -> Range<Int64> {
    let begin = max(value["at"]?.nanoseconds ?? 0, 0)
    let length = value["for"]?.nanoseconds ?? max(end - begin, 0)
    return begin..<(begin + max(length, 0))
  }
}
