import BME280
import BME280Model
import Environment
import Text

extension Scenario {
  /// Where and when a scenario takes place.
  package struct Place: Sendable {
    /// N of the bus.
    package var bus = 1
    /// The address of the part.
    package var address: UInt8 = 0x76
    /// When the program first talks to the part, in seconds since power came on.
    package var first = 0.01
    /// A time between two readings of the program, in seconds since power came on.
    package var event = 1.5
    /// The time from one reading to the next, in seconds.
    package var pace = 1.0
    /// At which register the program's reads of data begin.
    package var data: UInt8 = 0xF7

    /// Creates a place: bus 1, 0x76.
    package init() {}

    /// A time in a rest between two readings, in seconds since power came on.
    func rest(_ index: Int) -> Double { event + Double(index) * pace }
  }

  /// The rig, as a user would write it.
  ///
  /// - Parameter place: where and when.
  /// - Returns: its text, which `aneroid exec --rig` takes.
  package func rig(at place: Place) -> String {
    let cited = classes.isEmpty ? "" : " Exposes \(classes.joined(separator: ", "))."
    var lines = ["# \(summary).\(cited)", "name: \(name)", "buses:", "  - number: \(place.bus)"]
    lines.append("    adapter: {\(adapter)}")
    lines.append("    devices:")
    lines += Self.lines(part, chip, at: place.address, device.map(place.filled))
    if hasDecoy { lines += Self.lines(.real, .bme280, at: place.address ^ 1, Self.decoy) }
    lines += ["environment:", "  steps:"]
    lines += phases.map { phase in
      let start: Double =
        switch phase.start {
        case .seconds(let seconds): seconds
        case .rest(let index): place.rest(index)
        }
      let air = phase.air
      return "    - {at: \(start)s, pressure: \(air.pressure)Pa, temperature: \(air.temperature)C, "
        + "humidity: \(air.humidity)%}"
    }
    if !faults.isEmpty { lines.append("faults:") }
    lines += faults.map { "  - {\(place.filled($0))}" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What is different about a part that is not the one that is meant.
  private static let decoy = ["offset: {pressure: -50hPa, temperature: 10C, humidity: 20%}"]

  private static func lines(
    _ part: Part, _ chip: Chip, at address: UInt8, _ keys: [String]
  ) -> [String] {
    let image = part.calibration.bytes
    let bytes = image.indices.map { image[$0] }
    let lower = bytes.prefix(min(Calibration.length(on: chip), Calibration.lowerLength))
    var registers = "0x88: \"\(hexadecimal(lower))\""
    if chip == .bme280 {
      registers += ", 0xE1: \"\(hexadecimal(bytes[Calibration.lowerLength...]))\""
    }
    return [
      "      - address: 0x\(hexadecimal([address]))",
      "        model: \(chip.name)",
      "        calibration: {\(registers)}",
    ] + harsh(keys).map { "        \($0)" }
  }

  /// The keys with what the data sheet allows a part and captured parts do not do: config is ignored in normal mode
  /// (DS 5.4.6).
  private static func harsh(_ keys: [String]) -> [String] {
    let (group, choice) = ("unknown: {", "config_in_normal_mode: ignored")
    guard keys.contains(where: { $0.hasPrefix(group) }) else {
      return keys + ["\(group)\(choice)}"]
    }
    return keys.map {
      $0.hasPrefix(group) ? "\(group)\(choice), \($0.dropFirst(group.count))" : $0
    }
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map(Hexadecimal.digits).joined()
  }
}

extension Scenario.Place {
  /// A key of a rig with its times: `{event}` between two readings, `{starting}` 1.9 ms after the first transfer.
  ///
  /// `{event+3}` is a time three readings later and `{rests*3}` the length of three; `{data}` is the register at which
  /// the program reads data.
  fileprivate func filled(_ key: String) -> String {
    key.replacing("{data}", with: "0x\(Hexadecimal.digits(data).uppercased())").replacing(
      "{event}", with: "\(event)s"
    ).replacing("{starting}", with: "\(first + 0.0019)s")
      .replacing(/\{rests\*([0-9]+)\}/) { "\(pace * (Double($0.output.1) ?? 0))s" }
      .replacing(/\{event\+([0-9]+)\}/) { "\(rest(Int($0.output.1) ?? 0))s" }
  }
}
