import BluetoothLE
import Environment
import Parts
import Quantities
import Schema
package import Support
import Warehouse

extension WarehouseRig {
  /// Reads a warehouse rig.
  ///
  /// - Throws: `Failure` with all errors and their source locations.
  package init(path: String) throws(Failure) {
    try self.init(text: TextFile.read(path, longest: Document.longest), file: path)
  }

  /// Parses a warehouse rig; relative paths in the text are resolved against the path `file`.
  ///
  /// - Throws: `Failure` with all errors and their source locations.
  package init(text: String, file: String) throws(Failure) {
    var reader: WarehouseReader
    let value: CheckedValue
    do throws(DocumentError) {
      let (found, checker) = try Document.read(
        text, file: file, as: WarehouseKeys.rig, named: "the rig")
      value = found
      reader = WarehouseReader(file: file, checker: checker)
    } catch {
      throw Failure(.badRig, [error])
    }
    guard reader.checker.errors.isEmpty else {
      if let family = DocumentFamily(of: text), family != .warehouse {
        throw Failure(.badRig, [family.wrongKindError(expected: "a warehouse rig", file: file)])
      }
      throw Failure(.badRig, reader.checker.findings)
    }
    let summary = text.split(separator: "\n").prefix { $0.hasPrefix("#") }
      .filter { !$0.hasPrefix("# yaml-language-server:") }
      .map { String($0.drop { $0 == "#" }).trimmed }.joined(separator: " ")
    let rig = try reader.rig(value, summary: summary)
    guard reader.checker.errors.isEmpty else { throw Failure(.badRig, reader.checker.findings) }
    self = rig
  }
}

/// Creates a warehouse from a file that complies with the schema, and reports errors that the schema cannot express.
struct WarehouseReader {
  let file: String
  var checker: Checker
  /// The indices of the tags and zones, by name.
  var tagIndices: [String: Int] = [:]
  var zoneIndices: [String: Int] = [:]
  var tags: [WarehouseRig.Tag] = []

  /// The reader for the parts that rigs share with hub files.
  var reader = PolicyReader()

  init(file: String, checker: Checker) { (self.file, self.checker) = (file, checker) }

  mutating func rig(_ value: CheckedValue, summary: String) throws(Failure) -> WarehouseRig {
    let duration = value["duration"]?.nanoseconds ?? 0
    let plan = value["warehouse"]
    var zones: [WarehousePolicy.Zone] = []
    var courses: [WarehouseRig.Course] = []
    var start = value["start"]?.nanoseconds
    for zone in plan?["zones"]?.list ?? [] {
      zoneIndices[zone["name"]?.text ?? ""] = zones.count
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
    let roundRobin = roundRobin(plan?["link"])
    let policy = policy(plan, zones, roundRobin)
    var times = ListenerTimings()
    PolicyKeys.listening.read(plan?["link"], into: &times, &checker)
    for wrong in reader.notes { checker.note(wrong.message, at: wrong.value.position) }
    for error in policy.errors {
      let wrong = reader.value(of: error.location) ?? plan ?? value
      checker.note(error.message, at: wrong.position)
    }
    return WarehouseRig(
      summary: summary, name: value["name"]?.text ?? "", seed: UInt64(value["seed"]?.integer ?? 0),
      start: start ?? 1_767_225_600_000_000_000, duration: duration,
      isOnStack: isOnStack(plan), policy: policy, courses: courses, tags: tags,
      roundRobin: roundRobin,
      times: times, air: waves(plan?["link"]), position: position(plan?["link"]?["at"]),
      isConfirmedByReceiver: plan?["broker"]?["confirm"]?.text != "broker",
      away: (plan?["broker"]?["away"]?.list ?? []).map { span($0, to: duration) },
      commands: (plan?["commands"]?.list ?? []).map { command($0) },
      faults: (plan?["faults"]?.list ?? []).compactMap { fault($0, to: duration) },
      kills: kills(plan?["kills"]),
      expectations: (value["expect"]?.list ?? []).compactMap { expectation($0) })
  }

  private mutating func policy(
    _ plan: CheckedValue?, _ zones: [WarehousePolicy.Zone], _ roundRobin: RoundRobin
  ) -> WarehousePolicy {
    WarehousePolicy(
      hub: plan?["hub"]?.text ?? "hub", zones: zones,
      tags: tags.map { tag in
        var expected = tag.expected
        // If tags take turns, each one reports once per round, plus at most one period.
        if roundRobin.sharesConnections { expected.period = roundRobin.round + tag.period }
        return expected
      }, onCall: reader.onCall(plan?["duty"], &checker))
  }

  private mutating func roundRobin(_ link: CheckedValue?) -> RoundRobin {
    let longest = tags.map(\.period).max() ?? 1
    let stay = link?["stay"]?.nanoseconds ?? 2 * longest
    let roundRobin = RoundRobin(
      tags: tags.count, connections: link?["connections"]?.integer ?? max(tags.count, 1),
      stay: stay, connecting: link?["connecting"]?.nanoseconds ?? 170_000_000)
    if roundRobin.sharesConnections, stay < longest, let link {
      checker.note("stay: must be at least the period of the tags", at: link.position)
    }
    return roundRobin
  }

  /// Returns `true` if the run uses a Bluetooth stack, and reports the keys that are not supported
  /// with one.
  private mutating func isOnStack(_ plan: CheckedValue?) -> Bool {
    guard plan?["link"]?["over"]?.text == "bumble" else { return false }
    for key in ["loss", "range", "fading", "at"] {
      guard let value = plan?["link"]?[key] else { continue }
      checker.note("\(key): is not supported over a Bluetooth stack", at: value.position)
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

extension WarehouseReader {
  /// Adds the tag that a value describes.
  mutating func add(_ value: CheckedValue) {
    let name = value["name"]?.text ?? ""
    let address = value["address"].map { reader.address($0) } ?? Self.address(tags.count)
    add(
      name, address: address, value, warmer: value["warmer"]?.number ?? 0,
      wetter: value["wetter"]?.number ?? 0)
  }

  mutating func add(fleet value: CheckedValue) {
    let name = value["name"]?.text ?? ""
    for number in 1...max(value["count"]?.integer ?? 1, 1) {
      add("\(name)\(number)", address: Self.address(tags.count), value, warmer: 0, wetter: 0)
    }
  }

  /// Returns the default address of the tag with an index in the rig, starting at 0.
  private static func address(_ index: Int) -> String {
    let six = Array(Hexadecimal.digits(UInt(index + 1), 6).uppercased())
    return "A4:DA:32:\(six[0])\(six[1]):\(six[2])\(six[3]):\(six[4])\(six[5])"
  }

  private mutating func add(
    _ name: String, address: String, _ value: CheckedValue, warmer: Double, wetter: Double
  ) {
    let zone = value["zone"]?.text ?? ""
    let period = value["period"]?.nanoseconds ?? PolicyReader.usualPeriod
    if period < 300_000_000 {
      checker.note("period: must be at least 300ms", at: value.position)
    }
    let kind = value["kind"]?.text.flatMap(TagCatalogue.kind(named:)) ?? TagCatalogue.all[0]
    let expected = value["expected"]?.nanoseconds ?? period
    tagIndices[name] = tags.count
    reader.tags.append(value)
    tags.append(
      WarehouseRig.Tag(
        expected: WarehousePolicy.ExpectedTag(
          address, name: name, zone: zone, period: max(expected, period)),
        kind: kind, period: max(period, 1), battery: value["battery"]?.integer ?? 100,
        warmer: warmer, wetter: wetter, position: position(value["at"]),
        zone: zoneIndices[zone] ?? 0))
  }

  /// Returns the index of the tag that a value names; reports an unknown name as an error.
  mutating func tag(_ value: CheckedValue?) -> Int? {
    guard let value, let name = value.text else { return nil }
    if let index = tagIndices[name] { return index }
    checker.note("unknown tag '\(name)'", at: value.position)
    return nil
  }

  mutating func fault(_ value: CheckedValue, to end: Int64) -> WarehouseRig.TagFault? {
    guard let tag = tag(value["tag"]) else { return nil }
    let kind: WarehouseRig.TagFault.Kind =
      switch value["kind"]?.text {
      case "off": .off
      case "silent": .silent
      case "battery": .battery(value["percent"]?.integer ?? 0)
      default: .dead
      }
    return WarehouseRig.TagFault(kind: kind, tag: tag, span: span(value, to: end))
  }

  func command(_ value: CheckedValue) -> (time: Int64, command: HubCommand) {
    let name = value["name"]?.text ?? ""
    let note = value["note"]?.text ?? ""
    let number = UInt64(value["alarm"]?.integer ?? 0)
    let zone = value["zone"]?.text ?? ""
    let length = value["for"]?.nanoseconds
    let command: HubCommand =
      switch value["do"]?.text {
      case "silence": .silence(zone: zone, name: name, note: note, duration: length ?? 0)
      case "end-silence": .endSilence(zone: zone, name: name)
      case "close": .close(number, name: name, note: note)
      default: .acknowledge(number, name: name, note: note, duration: length)
      }
    return (value["at"]?.nanoseconds ?? 0, command)
  }

  mutating func expectation(_ value: CheckedValue) -> WarehouseExpectation? {
    switch value["that"]?.text {
    case "alarm": return alarm(value)
    case "alarms":
      return .alarms(
        value["count"]?.integer ?? 0, value["cause"]?.text.flatMap(AlarmCause.init(rawValue:)))
    case "delivery": return .delivery(isOnce: value["is"]?.text == "exactly-once")
    case "article-hears":
      return .hears(
        tags: value["tags"]?.integer ?? 0, until: value["until"]?.nanoseconds,
        within: value["within"]?.nanoseconds ?? 60_000_000_000)
    case "article-copies":
      return .copies(value: value["bytes"]?.integer ?? 0, taken: value["is"]?.integer ?? 0)
    case "readings": return .readings(value["least"]?.integer ?? 0)
    case "held-back": return .heldBack(value["count"]?.integer ?? 0)
    case "article":
      return .article(
        falseAlarms: value["false"]?.integer ?? 0, missed: value["missed"]?.integer ?? 0)
    case "shown":
      return tag(value["tag"]).map {
        .shown(
          tag: $0, at: value["at"]?.nanoseconds ?? 0, right: value["true"]?.number ?? 0,
          shown: value["is"]?.number ?? 0)
      }
    case "trips":
      return tag(value["tag"]).map {
        .trips(
          tag: $0, limit: value["limit"]?.number ?? 0, right: value["true"]?.number ?? 0,
          within: value["within"]?.number ?? 0.3)
      }
    case "storage": return storage(value)
    case "kinetic-mean":
      return tag(value["tag"]).map {
        .kineticMean(
          tag: $0, celsius: value["is"]?.number ?? 0, within: value["within"]?.number ?? 0.1)
      }
    case "monitor":
      return tag(value["tag"]).map {
        .monitor(
          value["reason"]?.text.flatMap(MappingStudy.Reason.init(rawValue:)) ?? .hottest,
          tagName: tags[$0].expected.name)
      }
    default: return nil
    }
  }

  private mutating func storage(_ value: CheckedValue) -> WarehouseExpectation? {
    let zone = value["zone"]?.text ?? ""
    guard zoneIndices[zone] != nil else {
      checker.note("unknown zone '\(zone)'", at: value.position)
      return nil
    }
    return .storage(zone: zone, isKept: value["kept"]?.boolean ?? true)
  }

  private mutating func alarm(_ value: CheckedValue) -> WarehouseExpectation? {
    guard let tag = tag(value["tag"]),
      let cause = value["cause"]?.text.flatMap(AlarmCause.init(rawValue:))
    else { return nil }
    let level = value["level"]?.text.flatMap(AlarmLevel.init(rawValue:)) ?? .alarm
    let expected = tags[tag].expected
    return .alarm(
      WarehouseExpectation.Wanted(
        key: AlarmKey(tag: expected.address, cause: cause, level: level), tagName: expected.name,
        raised: value["raised"]?.nanoseconds ?? 0,
        within: value["within"]?.nanoseconds ?? 60_000_000_000,
        lasts: value["lasts"]?.nanoseconds, notifications: value["told"]?.list.compactMap(\.text),
        phase: value["phase"]?.text.flatMap(ZoneAlarm.Phase.init(rawValue:))))
  }
}

extension WarehouseReader {
  mutating func course(_ value: CheckedValue?) -> WarehouseRig.Course {
    var points: [(time: Int64, temperature: Double, humidity: Double)] = []
    for point in value?.list ?? [] {
      let time = point["at"]?.nanoseconds ?? 0
      if let last = points.last, time <= last.time {
        checker.note(
          "air: the time must be later than that of the previous point", at: point.position)
      } else if points.isEmpty, time != 0 {
        checker.note("air: the first point must be at 0s", at: point.position)
      }
      let last = points.last ?? (0, 21, 50)
      points.append(
        (
          time, point["temperature"]?.number ?? last.temperature,
          point["humidity"]?.number ?? last.humidity
        ))
    }
    if points.isEmpty { points = [(0, 21, 50)] }
    return WarehouseRig.Course(
      temperature: Profile(
        points.map { Profile.Point(time: $0.time, value: $0.temperature) }, interpolation: .linear),
      humidity: Profile(
        points.map { Profile.Point(time: $0.time, value: $0.humidity) }, interpolation: .linear))
  }

  /// Reads the temperature and humidity over time from a table.
  func log(
    _ value: CheckedValue, start: Int64?, duration: Int64
  ) throws(Failure) -> WeatherSeries {
    func column(_ quantity: QuantityKind) -> WeatherTable.Column? {
      let column = value[quantity.rawValue]
      return column?["name"]?.text.flatMap { name in
        quantity.unit(column?["unit"]?.text ?? "").map {
          WeatherTable.Column(name: name, quantity: quantity, unit: $0)
        }
      }
    }
    let path = TextFile.resolve(value["file"]?.text ?? "", relativeTo: file)
    let table = WeatherTable(
      path: path, time: value["time"]?.text ?? "", start: start, duration: duration,
      columns: [column(.temperature), column(.humidity)].compactMap { $0 },
      missing: value["missing"]?.text, longestGap: value["gaps"]?.nanoseconds)
    return try table.read()
  }
}

extension WarehouseReader {
  /// Reads the options of the radio propagation.
  func waves(_ link: CheckedValue?) -> BLEAir.Options {
    var options = BLEAir.Options()
    options.loss = link?["loss"]?.number ?? options.loss
    options.fading = link?["fading"]?.number ?? options.fading
    if let range = link?["range"]?.number { options.reach(range) }
    return options
  }

  /// Reads a position, a list of distances: along the hall, across the hall, and optionally above
  /// its floor.
  mutating func position(_ value: CheckedValue?) -> BLEPosition {
    let lengths = value?.list.compactMap(\.number) ?? []
    guard let value else { return BLEPosition() }
    guard (2...3).contains(lengths.count) else {
      checker.note(
        "at: the position must have two lengths, along the hall and across it, or three: [2m, 3.5m]",
        at: value.position)
      return BLEPosition()
    }
    return BLEPosition(x: lengths[0], y: lengths[1], z: lengths.count > 2 ? lengths[2] : 0)
  }
}
