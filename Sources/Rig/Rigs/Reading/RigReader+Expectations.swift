package import Barometry
import I2C
import Quantities
package import Schema
import Support

extension RigReader {
  /// Reads the expectations of a rig, and rejects those that could not fail or could not be met.
  package mutating func expectations(
    _ value: CheckedValue?, pipeline: Pipeline?, firmware: FirmwareConfiguration?, faults: [Fault],
    duration: Int64?
  ) -> [Expectation] {
    var expectations: [Expectation] = []
    if let firmware {
      expectations.append(
        Expectation(
          condition: .firmwareRuns, title: "the firmware runs without a failure",
          line: firmware.line))
    }
    if let line = value?["uart"] { expectations += awaited(line, firmware) }
    for value in value?.list ?? [] where value.isSound {
      guard pipeline != nil || firmware != nil else {
        checker.note("'expect' needs 'pipeline' or 'firmware' in the rig", at: value.position)
        break
      }
      let that = value["that"]?.text ?? ""
      let ofFirmware = ["uart", "pin", "energy"] + FirmwareMemory.allCases.map(\.rawValue)
      if (firmware == nil) == ofFirmware.contains(that), !["faults", "transfers"].contains(that) {
        checker.note(
          firmware == nil
            ? "'that: \(that)' needs 'firmware' in the rig"
            : "'that: \(that)' is not available with firmware (accepted: "
              + "\(ofFirmware.joined(separator: ", ")), transfers, faults)", at: value.position)
        continue
      }
      for (condition, title) in conditions(that, value, pipeline, faults, duration) {
        expectations.append(
          Expectation(condition: condition, title: title, line: value.position.line))
      }
    }
    return expectations
  }

  /// Reads the expected line that ends the run of firmware.
  private mutating func awaited(
    _ line: CheckedValue, _ firmware: FirmwareConfiguration?
  ) -> [Expectation] {
    guard let text = line.text else { return [] }
    guard firmware != nil else {
      checker.note("'uart' needs 'firmware' in the rig", at: line.position)
      return []
    }
    checkPattern(line)
    return [
      Expectation(
        condition: .serial(text, port: nil), title: "a line matches \(text)",
        line: line.position.line)
    ]
  }

  private mutating func conditions(
    _ that: String, _ value: CheckedValue, _ pipeline: Pipeline?, _ faults: [Fault],
    _ duration: Int64?
  ) -> [(Expectation.Condition, String)] {
    switch that {
    case "forecast":
      if pipeline?.forecasters.contains(.thesis) != true {
        noteOnce("'that: forecast' needs 'forecast: thesis' in the pipeline", at: value)
      }
      return forecastConditions(value, duration)
    case "leak", "safe-haven", "pressure-alarm": return alarm(that, value, pipeline)
    case "faults":
      if faults.isEmpty { noteOnce("'that: faults' needs 'faults' in the rig", at: value) }
      return [(.faultsFired, "every fault fired")]
    case "transfers":
      let count = value["errors"]?.integer ?? 0
      let bus = value["bus"]?.integer
      if let bus, knowsAllSensors, !sensorIDs.contains(where: { $0.bus == bus }) {
        checker.note("unknown bus '\(bus)'", at: value.position)
      }
      let location = bus.map { " on bus \($0)" } ?? ""
      return [(.transferErrors(count, bus: bus), "\(count) failed transfers\(location)")]
    case "beside": return compared(value, pipeline)
    case "uart":
      if let pattern = value["matches"] { checkPattern(pattern) }
      let (text, port) = (value["matches"]?.text ?? "", value["port"]?.text)
      let location = port.map { " of \($0)" } ?? ""
      return [(.serial(text, port: port), "a line\(location) matches \(text)")]
    case "pin": return pin(value)
    case "energy": return energy(value)
    case "flash", "ram", "stack": return memory(that, value)
    case "readings":
      let count = value["count"]?.integer ?? 0
      return [(.readings(count), "\(count) readings")]
    default:
      return [agreement(that, value), limits(that, value)].compactMap { $0 }
    }
  }

  /// Notes an error only once, at the first of the expectations that cause it.
  private mutating func noteOnce(_ message: String, at value: CheckedValue) {
    guard !checker.errors.contains(where: { $0.message == message }) else { return }
    checker.note(message, at: value.position)
  }

  /// Reads the expectations for an alarm of a cabin.
  private mutating func alarm(
    _ that: String, _ value: CheckedValue, _ pipeline: Pipeline?
  ) -> [(Expectation.Condition, String)] {
    if pipeline?.leak == nil {
      noteOnce(
        "leak, safe-haven and pressure-alarm need 'leak: {}' in the pipeline", at: value)
    }
    let name = value["is"]?.text
    let level = name.flatMap(CabinLevel.init(alarm:))
    func condition(_ time: UInt64?) -> Expectation.Condition {
      switch that {
      case "leak": .leak(by: time)
      case "safe-haven": .haven(by: time)
      default: .level(level, by: time)
      }
    }
    let words =
      switch that {
      case "leak": ("a leak is declared", "no leak is declared")
      case "safe-haven": ("the safe haven is called", "the safe haven is never called")
      default:
        (
          "the alarm \(name ?? "of the pressure") is raised",
          "no alarm \(name ?? "of the pressure") is raised"
        )
      }
    var found: [(Expectation.Condition, String)] = []
    if let time = value["by"]?.nanoseconds.map(UInt64.init) {
      found.append((condition(time), "\(words.0) by \(Decimal.duration(time))"))
    }
    if let name = value["found"]?.text {
      found.append((.leakFound(name), "the leak is found in \(name)"))
    }
    if let never = value["never"], never.boolean == true {
      let other = ["by", "found"].first { value[$0] != nil }
      if let other {
        checker.note(
          "'\(other)' and 'never' exclude each other", at: never.position)
      }
      found.append((condition(nil), words.1))
    }
    if found.isEmpty { checker.note("no condition: set 'by' or 'never'", at: value.position) }
    return found
  }

  private mutating func compared(
    _ value: CheckedValue, _ pipeline: Pipeline?
  ) -> [(Expectation.Condition, String)] {
    if pipeline?.comparedProgram == nil {
      noteOnce("'that: beside' needs 'compare' in the pipeline", at: value)
    }
    var found: [(Expectation.Condition, String)] = []
    for channel in [Quantity.pressure, .temperature] {
      guard let list = value[channel.rawValue]?.list else { continue }
      guard let range = limits(channel.rawValue, of: value) else { continue }
      let written = list.compactMap(\.written).map(spaced)
      let text =
        written.count == 2
        ? written.joined(separator: " to ")
        : "\(Decimal.shortest(range.lowerBound)) to \(Decimal.shortest(range.upperBound)) \(channel.keptSymbol)"
      let unit = writtenUnit(list.first, of: channel).symbol
      let time = value["at"]?.nanoseconds.map(UInt64.init)
      let which = time.map { "the mean \(channel.rawValue) at \(Decimal.duration($0))" }
      found.append(
        (
          .compared(channel, range, unit: unit, at: time),
          "beside: \(which ?? "every \(channel.rawValue)") is \(text)"
        ))
    }
    if found.isEmpty {
      checker.note("no condition: set 'pressure' or 'temperature'", at: value.position)
    }
    return found
  }

  /// Reads a list of a lower and an upper limit; `nil` if it is missing, or invalid with the error noted.
  mutating func limits(_ key: String, of value: CheckedValue) -> ClosedRange<Double>? {
    guard let list = value[key]?.list else { return nil }
    let ends = list.compactMap(\.number)
    guard ends.count == 2, ends[0] <= ends[1] else {
      checker.note(
        "'\(key)' must have two values, the lower and the upper limit", at: value.position)
      return nil
    }
    return ends[0]...ends[1]
  }

  private mutating func forecastConditions(
    _ value: CheckedValue, _ duration: Int64?
  ) -> [(Expectation.Condition, String)] {
    var found: [(Expectation.Condition, String)] = []
    func trends(_ key: String) -> [PressureTrend] {
      (value[key]?.list ?? []).compactMap { PressureTrend(named: $0.text ?? "") }
    }
    if let word = value["is"]?.text, let time = value["at"]?.nanoseconds {
      if let duration, time > duration {
        checker.note("the time is after the end of the run", at: value.position)
      }
      let condition = Expectation.Condition.forecast(
        at: UInt64(time), is: PressureTrend(named: word))
      found.append((condition, "forecast at \(Decimal.duration(UInt64(time))) is \(word)"))
    } else if value["is"] != nil || value["at"] != nil {
      checker.note("'at' and 'is' need each other", at: value.position)
    }
    if value["reaches"] != nil {
      let names = trends("reaches").map { "\($0.name)" }.joined(separator: ", ")
      found.append((.reaches(trends("reaches")), "forecasts reach \(names)"))
    }
    if value["never"] != nil {
      let names = trends("never").map { "\($0.name)" }.joined(separator: ", ")
      found.append((.never(trends("never")), "forecasts never reach \(names)"))
    }
    if found.isEmpty, value["is"] == nil, value["at"] == nil {
      checker.note("no condition: set 'at' and 'is', 'reaches' or 'never'", at: value.position)
    }
    return found
  }

  /// Reads the selection of readings that an expectation checks, and describes it.
  private mutating func selection(
    _ value: CheckedValue
  ) -> (selection: Expectation.Selection, words: String) {
    let bus = value["bus"]?.integer
    let address = value["address"]?.integer.flatMap { I2CAddress(rawValue: UInt16($0)) }
    let isJudged = sensorIDs.contains { sensorID in
      (bus.map { $0 == sensorID.bus } ?? true) && (address.map { $0 == sensorID.address } ?? true)
    }
    if !isJudged, knowsAllSensors { checker.note("no sensor at this address", at: value.position) }
    let after = UInt64(value["after"]?.nanoseconds ?? 0)
    let words =
      (after > 0 ? " after \(Decimal.duration(after))" : "")
      + (bus.map { " on bus \($0)" } ?? "") + (address.map { " at \($0)" } ?? "")
    return (
      Expectation.Selection(
        after: after, concernsMeans: value["mean"]?.boolean ?? false, bus: bus, address: address),
      words
    )
  }

  private mutating func agreement(
    _ that: String, _ value: CheckedValue
  ) -> (Expectation.Condition, String)? {
    guard (value["within"] == nil) == (value["of"] == nil) else {
      checker.note(
        "'within' and 'of' need each other; use 'min' and 'max' for a range",
        at: value.position)
      return nil
    }
    guard let channel = Quantity(rawValue: that),
      let tolerance = value["within"]?.number
    else { return nil }
    let (selection, words) = selection(value)
    let fixed = value["of"]?.number
    let unit = writtenUnit(value["within"], of: channel)
    let wanted = fixed.flatMap { _ in value["of"]?.written.map { spaced($0) } }
    let near = "\(Decimal.shortest(tolerance / unit.size)) \(unit.symbol)"
    let other = fixed.map { "\(Decimal.shortest($0)) \(channel.keptSymbol)" }
    let title =
      "every \(selection.concernsMeans ? "mean " : "")\(that) is within \(near) of "
      + (wanted ?? other ?? "the environment") + words
    let agreement = Expectation.Agreement(
      channel: channel, tolerance: tolerance, unit: unit.symbol, unitSize: unit.size,
      value: fixed, selection: selection)
    return (.agreement(agreement), title)
  }

  /// Reads the limits of a quantity.
  private mutating func limits(
    _ that: String, _ value: CheckedValue
  ) -> (Expectation.Condition, String)? {
    guard let channel = Quantity(rawValue: that) else { return nil }
    let (low, high) = (value["min"], value["max"])
    guard low?.number != nil || high?.number != nil else { return nil }
    if let lowest = low?.number, let highest = high?.number, lowest > highest {
      checker.note("'min' is above 'max'", at: value.position)
    }
    // An agreement in the same entry has already noted a missing sensor.
    let (selection, words) = selection(value)
    func text(_ limit: CheckedValue?) -> String? {
      limit?.number.map { number in
        limit?.written.map { spaced($0) } ?? "\(Decimal.shortest(number)) \(channel.keptSymbol)"
      }
    }
    let range =
      switch (text(low), text(high)) {
      case (let low?, let high?): "from \(low) to \(high)"
      case (let low?, nil): "at least \(low)"
      default: "at most \(text(high) ?? "")"
      }
    let limits = Expectation.Limits(
      channel: channel, lowest: low?.number, highest: high?.number,
      unit: writtenUnit(low ?? high, of: channel).symbol, selection: selection)
    return (
      .limits(limits), "every \(selection.concernsMeans ? "mean " : "")\(that) is \(range)\(words)"
    )
  }

  /// Returns the symbol of the unit in which a value is written in the rig, and the size of that
  /// unit in °C, Pa or %.
  private func writtenUnit(
    _ value: CheckedValue?, of channel: Quantity
  ) -> (symbol: String, size: Double) {
    let symbol = value?.written?.drop { $0.isNumber || "+-. eE".contains($0) }
    let unit = channel.units.first { "\($0.symbol)" == symbol }
    guard let unit, unit.size != 1 else { return ("\(channel.keptSymbol)", 1) }
    return ("\(unit.symbol)", unit.size)
  }

  /// Formats a quantity with a space between number and unit, as in reports.
  func spaced(_ written: String) -> String {
    let number = written.prefix { $0.isNumber || "+-.".contains($0) }
    return "\(number) \(written.dropFirst(number.count).trimmed)"
  }
}

extension PressureTrend {
  /// Creates the pressure trend that has a given name in rigs; `nil` for an unknown name.
  package init?(named name: String) {
    guard let trend = PressureTrend.allCases.first(where: { "\($0.name)" == name }) else {
      return nil
    }
    self = trend
  }
}
