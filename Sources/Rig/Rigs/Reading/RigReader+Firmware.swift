import Parts
package import Schema

extension RigReader {
  /// Reads what runs on a microcontroller.
  package mutating func firmware(_ value: CheckedValue, of rig: CheckedValue) -> FirmwarePlan? {
    guard value.isSound, let image = value["image"]?.text else { return nil }
    if rig["pipeline"] != nil {
      checker.note("a rig has a pipeline or firmware, not both", at: value.position)
    }
    if rig["duration"] == nil {
      checker.note("a rig with firmware needs a duration, for example 1h", at: value.position)
    }
    let ports = ports(of: value, in: rig)
    if let until = value["until"] { checkPattern(until) }
    return FirmwarePlan(
      image: document.named(image), builder: value["built_by"]?.text,
      microcontroller: value["mcu"]?.text,
      address: value["at"]?.integer.flatMap { UInt32(exactly: $0) }, ports: ports,
      until: value["until"]?.text, line: value.position.line)
  }

  /// N of the bus at each controller, and at each pair of pins.
  private mutating func ports(of value: CheckedValue, in rig: CheckedValue) -> [String: Int] {
    var ports: [String: Int] = [:]
    func hasBus(_ number: Int) -> Bool {
      (rig["buses"]?.list ?? []).contains { $0["number"]?.integer == number }
    }
    if case .section(let fields) = value["i2c"]?.content {
      for (name, field) in fields {
        ports[name] = field.integer
        let number = field.integer ?? 0
        if !hasBus(number) { checker.note("there is no bus number \(number)", at: field.position) }
      }
    }
    for pins in value["software_i2c"]?.list ?? [] {
      guard let clock = pins["scl"]?.text, let data = pins["sda"]?.text,
        let number = pins["bus"]?.integer
      else { continue }
      if !hasBus(number) { checker.note("there is no bus number \(number)", at: pins.position) }
      if ports.updateValue(number, forKey: "\(clock)/\(data)") != nil {
        checker.note("the pins \(clock) and \(data) are given twice", at: pins.position)
      }
    }
    return ports
  }

  /// Notes a text that is no regular expression.
  package mutating func checkPattern(_ value: CheckedValue) {
    guard let text = value.text, SerialPattern(text) == nil else { return }
    checker.note("this is no regular expression", at: value.position)
  }
}
