import HubSettings
import Schema
import Text
import Warehouse

extension WarehouseReader {
  /// Adds a tag.
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

  /// The address of a tag by its place in the rig, from 0 on.
  private static func address(_ place: Int) -> String {
    let six = Array(Hexadecimal.digits(UInt(place + 1), 6).uppercased())
    return "A4:DA:32:\(six[0])\(six[1]):\(six[2])\(six[3]):\(six[4])\(six[5])"
  }

  private mutating func add(
    _ name: String, address: String, _ value: CheckedValue, warmer: Double, wetter: Double
  ) {
    let zone = value["zone"]?.text ?? ""
    let period = value["period"]?.nanoseconds ?? PolicyReader.usualPeriod
    if period < 300_000_000 {
      checker.note("period: a tag notifies every 300ms at most", at: value.position)
    }
    let kind = value["kind"]?.text.flatMap(TagCatalogue.kind(named:)) ?? TagCatalogue.all[0]
    let expected = value["expected"]?.nanoseconds ?? period
    tagPlaces[name] = tags.count
    reader.tags.append(value)
    tags.append(
      WarehouseRig.Tag(
        expected: WarehousePolicy.ExpectedTag(
          address, name: name, zone: zone, period: max(expected, period)),
        kind: kind, period: max(period, 1), battery: value["battery"]?.integer ?? 100,
        warmer: warmer, wetter: wetter, place: place(value["at"]), zone: zonePlaces[zone] ?? 0))
  }

  /// Where a tag stands that something names.
  mutating func tag(_ value: CheckedValue?) -> Int? {
    guard let value, let name = value.text else { return nil }
    if let place = tagPlaces[name] { return place }
    checker.note("there is no tag '\(name)'", at: value.position)
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
    guard zonePlaces[zone] != nil else {
      checker.note("there is no zone '\(zone)'", at: value.position)
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
        lasts: value["lasts"]?.nanoseconds, told: value["told"]?.list.compactMap(\.text),
        phase: value["phase"]?.text.flatMap(ZoneAlarm.Phase.init(rawValue:))))
  }
}
