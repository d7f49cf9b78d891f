import BME280
import BME280Model
import Environment
import Support

extension Scenario {
  /// The bus, the address and the times of an audited program.
  package struct Place: Sendable {
    /// The bus number, N in /dev/i2c-N.
    package var bus = 1
    /// The address of the part.
    package var address: UInt8 = 0x76
    /// The time of the first transfer with the part, in seconds since power-on.
    package var first = 0.01
    /// The time of the scenario's first event, which lies between two readings of the program, in
    /// seconds since power-on.
    package var event = 1.5
    /// The interval between readings in seconds.
    package var pace = 1.0
    /// The register address at which the program's data reads start.
    package var data: UInt8 = 0xF7

    /// Creates the default: bus 1, 0x76.
    package init() {}

    /// Returns a time in the pause with an index between two readings, in seconds since power-on;
    /// index 0 is the pause that contains the first event.
    func rest(_ index: Int) -> Double { event + Double(index) * pace }

    /// Returns the start of a phase in seconds since power-on.
    func seconds(_ start: Phase.Start) -> Double {
      switch start {
      case .seconds(let seconds): seconds
      case .rest(let index): rest(index)
      }
    }
  }

  /// Returns the place of a program in this scenario, which may have the part's other address.
  package func place(_ place: Place) -> Place {
    guard isAtOtherAddress else { return place }
    var place = place
    let own = place.address
    place.address = auditedPart.map { $0.address(besides: own) ?? own } ?? own ^ 1
    return place
  }

  /// Creates the text of the scenario's rig.
  ///
  /// - Parameter place: the bus, the address and the times.
  /// - Returns: the rig, for `aneroid exec --rig`.
  package func rig(at place: Place) -> String {
    let cited = classes.isEmpty ? "" : " Exposes \(classes.joined(separator: ", "))."
    var lines = ["# \(summary).\(cited)", "name: \(name)", "buses:", "  - number: \(place.bus)"]
    lines.append("    adapter: {\(adapter)}")
    lines.append("    devices:")
    if let auditedPart {
      lines += auditedPart.device(at: place.address)
      lines += device.map { "        \(place.filled($0))" }
      lines += auditedPart.inputLines(phases.map { (place.seconds($0.start), $0.inputs) })
    } else {
      lines += Self.lines(part, chip, at: place.address, device.map(place.filled))
    }
    if hasDecoy, let auditedPart {
      lines += auditedPart.decoy(besides: place.address)
    } else if hasDecoy {
      lines += Self.lines(.real, .bme280, at: place.address ^ 1, Self.decoy)
    }
    lines += ["environment:", "  steps:"]
    lines += phases.map { phase in
      let air = phase.air
      return
        "    - {at: \(place.seconds(phase.start))s, pressure: \(air.pressure)Pa, temperature: \(air.temperature)C, "
        + "humidity: \(air.humidity)%}"
    }
    if !clockSteps.isEmpty { lines.append("clock_steps:") }
    lines += clockSteps.map { "  - {\(place.filled($0))}" }
    if !faults.isEmpty { lines.append("faults:") }
    lines += faults.map { fault in
      "  - {\(place.filled(fault).replacing("{other}", with: Self.digits(.replacement, chip)))}"
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The keys of the second part, at the other address, in scenarios with two parts on the bus.
  private static let decoy = ["offset: {pressure: -50hPa, temperature: 10C, humidity: 20%}"]

  private static func lines(
    _ part: Part, _ chip: Chip, at address: UInt8, _ keys: [String]
  ) -> [String] {
    let digits = digits(part, chip)
    var registers = "0x88: \"\(digits.prefix(2 * Calibration.lowerLength))\""
    if chip == .bme280 {
      registers += ", 0xE1: \"\(digits.dropFirst(2 * Calibration.lowerLength))\""
    }
    return [
      "      - address: 0x\(hexadecimal([address]))",
      "        model: \(chip.name)",
      "        calibration: {\(registers)}",
    ] + harsh(keys).map { "        \($0)" }
  }

  /// Adds to a device's keys the behaviour that writes to the config register are ignored in normal
  /// mode, which the datasheet permits (DS 5.4.6) but no captured part exhibits.
  private static func harsh(_ keys: [String]) -> [String] {
    let (group, choice) = ("unknown: {", "config_in_normal_mode: ignored")
    guard keys.contains(where: { $0.hasPrefix(group) }) else {
      return keys + ["\(group)\(choice)}"]
    }
    return keys.map {
      $0.hasPrefix(group) ? "\(group)\(choice), \($0.dropFirst(group.count))" : $0
    }
  }

  /// Returns the bytes of a part's calibration.
  private static func digits(_ part: Part, _ chip: Chip) -> String {
    let image = part.calibration.bytes
    return hexadecimal(image.indices.prefix(Calibration.length(on: chip)).map { image[$0] })
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map(Hexadecimal.digits).joined()
  }
}

extension Scenario.Place {
  /// Replaces the placeholders in a rig key: `{event}` is a time between two readings, and
  /// `{starting}` is 1.9 ms after the first transfer, and `{powering}` 1 ms before it.
  ///
  /// `{event+3}` is a time three readings later, `{rests*3}` is the length of three intervals, and
  /// `{data}` is the register address of the program's data reads.
  fileprivate func filled(_ key: String) -> String {
    key.replacing("{data}", with: "0x\(Hexadecimal.digits(data).uppercased())").replacing(
      "{event}", with: "\(event)s"
    ).replacing("{starting}", with: "\(first + 0.0019)s")
      .replacing("{powering}", with: "\(max(first - 0.001, 0.0001))s")
      .replacing(/\{rests\*([0-9]+)\}/) { "\(pace * (Double($0.output.1) ?? 0))s" }
      .replacing(/\{event\+([0-9.]+)\}/) { "\(event + (Double($0.output.1) ?? 0) * pace)s" }
  }
}
