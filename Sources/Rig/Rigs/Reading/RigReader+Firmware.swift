import Parts
package import Schema
import Support

extension RigReader {
  /// Reads the firmware section.
  package mutating func firmware(
    _ value: CheckedValue, of rig: CheckedValue
  ) -> FirmwareConfiguration? {
    guard value.isSound, let image = value["image"]?.text else { return nil }
    if rig["pipeline"] != nil {
      checker.note("'pipeline' and 'firmware' exclude each other", at: value.position)
    }
    if rig["duration"] == nil {
      checker.note("'firmware' needs 'duration' in the rig, for example 1h", at: value.position)
    }
    let ports = ports(of: value, in: rig)
    if let until = value["until"] { checkPattern(until) }
    return FirmwareConfiguration(
      image: document.named(image), builder: value["built_by"]?.text,
      microcontroller: value["mcu"]?.text,
      address: value["at"]?.integer.flatMap { UInt32(exactly: $0) }, ports: ports,
      until: value["until"]?.text, line: value.position.line)
  }

  /// Reads the bus number of each controller and of each pair of pins.
  private mutating func ports(of value: CheckedValue, in rig: CheckedValue) -> [String: Int] {
    var ports: [String: Int] = [:]
    let channels = (rig["buses"]?.list ?? []).flatMap { $0["devices"]?.list ?? [] }
      .flatMap { $0["channels"]?.list ?? [] }.compactMap(\.integer)
    func check(_ number: Int, at position: Position) {
      if !(rig["buses"]?.list ?? []).contains(where: { $0["number"]?.integer == number }) {
        checker.note("unknown bus '\(number)'", at: position)
      } else if channels.contains(number) {
        checker.note(
          "bus \(number) is behind a multiplexer: the firmware selects it on the bus above",
          at: position)
      }
    }
    if case .section(let fields) = value["i2c"]?.content {
      for (name, field) in fields {
        ports[name] = field.integer
        let number = field.integer ?? 0
        check(number, at: field.position)
      }
    }
    for pins in value["software_i2c"]?.list ?? [] {
      guard let clock = pins["scl"]?.text, let data = pins["sda"]?.text,
        let number = pins["bus"]?.integer
      else { continue }
      check(number, at: pins.position)
      if ports.updateValue(number, forKey: "\(clock)/\(data)") != nil {
        checker.note("duplicate pins \(clock) and \(data)", at: pins.position)
      }
    }
    return ports
  }

  /// Notes an error if a text is not a valid regular expression.
  package mutating func checkPattern(_ value: CheckedValue) {
    guard let text = value.text, SerialPattern(text) == nil else { return }
    checker.note("'\(text.clipped)' is not a valid regular expression", at: value.position)
  }
}

/// Expectations for the charge and the memory that firmware uses.
extension RigReader {
  mutating func energy(_ value: CheckedValue) -> [(Expectation.Condition, String)] {
    var found: [(Expectation.Condition, String)] = []
    if let below = value["below"], let charge = below.number {
      let span = value["per"]?.text.flatMap(CalendarSpan.init)
      found.append(
        (
          .energy(below: charge, per: span),
          "less than \(below.written.map(spaced) ?? "") is used"
            + (span.map { " per \($0.rawValue) on average" } ?? "")
        ))
    } else if value["per"] != nil {
      checker.note("'per' needs 'below'", at: value.position)
    }
    if let lasts = value["lasts"]?.nanoseconds.map(UInt64.init) {
      let capacity = value["on"]?.number ?? Self.coinCell
      let name = value["on"]?.written.map(spaced) ?? "225 mAh"
      found.append(
        (
          .battery(lasts: lasts, on: capacity),
          "a battery of \(name) lasts \(value["lasts"]?.written.map(spaced) ?? "")"
        ))
    } else if value["on"] != nil {
      checker.note("'on' needs 'lasts'", at: value.position)
    }
    if found.isEmpty { checker.note("no condition: set 'below' or 'lasts'", at: value.position) }
    return found
  }

  /// The capacity of a CR2032 in µC; according to datasheets it is 225 mAh.
  private static var coinCell: Double { 225 * 3.6e6 }

  mutating func memory(_ that: String, _ value: CheckedValue) -> [(Expectation.Condition, String)] {
    guard let memory = FirmwareMemory(rawValue: that), let below = value["below"],
      let size = below.number
    else { return [] }
    let (name, written) = (memory.title, below.written.map(spaced) ?? "")
    return [(.memory(memory, below: Int(size)), "\(name) is less than \(written)")]
  }
}

extension FirmwareMemory {
  /// The noun for the memory in the title of an expectation.
  fileprivate var title: String {
    switch self {
    case .flash: "the flash of the image"
    case .ram: "the RAM of its variables"
    case .stack: "the depth of its stack"
    }
  }
}
