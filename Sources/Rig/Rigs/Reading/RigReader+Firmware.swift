import Parts
package import Schema
package import Support

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
      image: document.named(image),
      others: (value["also"]?.list ?? []).compactMap(\.text).map { document.named($0) },
      fuses: fuses(value["fuses"]), builder: value["built_by"]?.text,
      microcontroller: value["mcu"]?.text,
      address: value["at"]?.integer.flatMap { UInt32(exactly: $0) }, ports: ports,
      until: value["until"]?.text, line: value.position.line)
  }

  private func fuses(_ value: CheckedValue?) -> [String: UInt8] {
    guard case .section(let fields)? = value?.content else { return [:] }
    return fields.compactMapValues { $0.integer.map { UInt8($0) } }
  }

  /// Reads the bus number of each controller and of each pair of pins.
  private mutating func ports(of value: CheckedValue, in rig: CheckedValue) -> [String: Int] {
    var ports: [String: Int] = [:]
    let buses = rig["buses"]?.list ?? []
    let devices = buses.flatMap { $0["devices"]?.list ?? [] }
    let channels = devices.flatMap { $0["channels"]?.list ?? [] }.compactMap(\.integer)
    func check(_ number: Int, at position: Position) {
      if !buses.contains(where: { $0["number"]?.integer == number }) {
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

/// Expectations for the pins that firmware drives, and for the charge and the memory that it uses.
extension RigReader {
  mutating func pin(_ value: CheckedValue) -> [(Expectation.Condition, String)] {
    let name = value["pin"]?.text ?? ""
    let isHigh = value["level"]?.text != "low"
    let word = isHigh ? "high" : "low"
    let after = value["after"]?.nanoseconds.map(UInt64.init) ?? 0
    var found: [(Expectation.Condition, String)] = []
    func add(_ requirement: Expectation.PinCondition.Requirement, _ title: String) {
      found.append((.pin(.init(pin: name, requirement, after: after)), "\(name): \(title)"))
    }
    func written(_ key: String, _ unit: String = "") -> String {
      (value[key]?.list ?? []).map { entry in
        entry.written.map(spaced) ?? entry.number.map { Decimal.shortest($0) + unit } ?? ""
      }.joined(separator: " to ")
    }
    if let time = value["at"]?.nanoseconds.map(UInt64.init) {
      add(.level(isHigh, at: time), "\(word) at \(Decimal.duration(time))")
    }
    if let time = value["by"]?.nanoseconds.map(UInt64.init) {
      add(.reached(isHigh, by: time), "\(word) by \(Decimal.duration(time))")
    }
    if let range = limits("frequency", of: value) {
      add(.frequency(range), "the frequency of every period is \(written("frequency"))")
    }
    if let range = limits("duty", of: value) {
      add(.duty(range), "the duty cycle of every period is \(written("duty", " %"))")
    }
    if let range = limits("pulse", of: value) {
      add(
        .pulse(isHigh, UInt64(range.lowerBound)...UInt64(range.upperBound)),
        "every \(word) pulse lasts \(written("pulse"))")
    }
    let keys = ["at", "by", "frequency", "duty", "pulse"]
    if !keys.contains(where: { value[$0] != nil }) {
      if value["level"] != nil {
        add(.reached(isHigh, by: nil), "\(word) at some time")
      } else {
        checker.note(
          "no condition: set 'level', \(keys.map { "'\($0)'" }.joined(separator: ", "))",
          at: value.position)
      }
    }
    return found
  }

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

extension RigReader {
  /// Reads the stimuli of a rig.
  ///
  /// - Parameters:
  ///   - value: the list of stimuli; invalid ones are skipped, with their errors noted.
  ///   - duration: the length of the run in nanoseconds, if known; later stimuli are errors.
  /// - Returns: the valid stimuli.
  package mutating func stimuli(_ value: CheckedValue?, duration: Int64?) -> [Stimulus] {
    var stimuli: [Stimulus] = []
    for given in value?.list ?? [] where given.isSound {
      guard var stimulus = Stimulus.keys.value(given, &checker) else { continue }
      stimulus.fileLine = given.position.line
      var errors = stimulus.errors
      if stimulus.trigger == nil, let duration, stimulus.time > UInt64(max(duration, 0)) {
        errors.append("the time is after the end of the run")
      }
      for error in errors { checker.note(error, at: given.position) }
      if errors.isEmpty { stimuli.append(stimulus) }
    }
    return stimuli
  }
}

extension Rig {
  /// Adds a stimulus.
  ///
  /// - Parameter text: the keys of the stimulus as in a rig, such as `at: 1s, pin: PC13, level: low`.
  /// - Throws: `Failure` with all errors.
  package mutating func plan(stimulus text: String) throws(Failure) {
    stimuli += try Stimulus.read(text)
  }
}

extension Stimulus {
  /// Reads the keys of a stimulus as in a rig, which may be in braces.
  ///
  /// - Parameter text: the keys, such as `at: 1s, pin: PC13, level: low`.
  /// - Returns: a list that contains the stimulus.
  /// - Throws: `Failure` with all errors.
  package static func read(_ text: String) throws(Failure) -> [Stimulus] {
    let list = OptionList(key: "stimuli", option: "--stimulus", noun: "the stimulus")
    return try list.read(text, .list(.section(keys.section))) { $0.stimuli($1, duration: nil) }
      .map { stimulus in
        var stimulus = stimulus
        stimulus.fileLine = 0
        return stimulus
      }
  }
}
