package import BME280
import Glibc

package struct AuditSettings: Sendable {
  /// The program and its arguments; `{bus}` and `{address}` in them are replaced by the bus number
  /// and the sensor's address.
  package var program: [String]
  /// The firmware to audit instead of a program.
  package var firmware: AuditedFirmware?
  /// The chip of the virtual parts.
  package var chip = Chip.bme280
  /// The part of the benches; `nil` for the chip of this family.
  package var part: AuditedPart?
  /// The format of the values; `nil` to infer it.
  package var form: OutputForm?
  package var scenarios = Scenario.all
  /// The number of readings after which a program is ended.
  package var readings = 4
  /// The limit for the CPU time of a scenario, and for the time without progress, in seconds.
  package var timeoutSeconds = 10.0
  /// The number of scenarios run in parallel.
  package var jobs = 1
  /// The folder for rigs and traces; `nil` for a temporary one.
  package var folder: String?
  /// `true` if firmware records which instructions it executed.
  package var recordsBlocks = false
  /// The quantities that the program need not display.
  package var ignored: Set<Measurand> = []
  /// The maximum number of readings that a program displays between two measurements.
  var readingsInRest = 1
  /// The board whose files the program sees, as with `exec --board`; `nil` for the files of this
  /// machine.
  package var board: String?
  /// The program's bus, sensor address and times.
  package var place = Scenario.Place()

  /// Creates settings for a program.
  package init(_ program: [String]) { self.program = program }

  /// The selected scenarios that are possible with the chip and the program, adapted to the chip.
  var fittingScenarios: [Scenario] {
    let takesAddress = firmware == nil && program.contains { $0.contains("{address}") }
    return scenarios.filter { !$0.isAtOtherAddress || takesAddress }
      .compactMap { $0.fitted(with: chip) }
  }

  /// The calm scenario, adapted to the chip.
  var calm: Scenario {
    part.map { Scenario.calm(of: $0) } ?? Scenario.calm.fitted(with: chip) ?? .calm
  }

  /// The quantities that the part measures.
  var measured: Set<Measurand> {
    part.map { Set($0.measurands) }
      ?? Set(Measurand.air.filter { chip.measuresHumidity || $0 != .humidity })
  }

  /// What a number in the output can be: the quantities of the air, and the inputs of the part.
  package var known: [Measurand] {
    guard let part, !part.inputs.isEmpty else { return Measurand.air }
    return part.measurands
  }

  /// Returns the number of readings in a scenario after which the audit ends the program, including
  /// the readings between the scenario's events.
  package func readings(in scenario: Scenario) -> Int {
    let isLong = scenario.needsSeveralReadings || scenario.name == Scenario.calm.name
    let count = max(readings, isLong ? 4 : 1) * scenario.readingsFactor
    // A timed scenario ends at its end time; the number of readings limits programs whose times are
    // unknown.
    let course = scenario.lastRest.map { 2 * $0 + 8 } ?? 0
    return max(count, course, scenario.leastReadings) * readingsInRest
  }

  /// Returns the command line that runs a scenario: `aneroid exec` with the program, or `aneroid
  /// firmware`.
  func launch(
    at place: Scenario.Place, rig: String, trace: String, events: String
  ) -> [String] {
    let common = [
      "--quiet", "--silent", "--events", events, "--trace", trace, "--parent", "\(getpid())",
      "--rig", rig, "--clock", "virtual", "--steps", "\(RunningProgram.stepsDescriptor)",
    ]
    if let firmware {
      let blocks = recordsBlocks ? ["--blocks", rig.replacing(".yaml", with: ".blocks")] : []
      return ["/proc/self/exe", "firmware"] + common + blocks + firmware.arguments
    }
    let shown = board.map { ["--board", $0] } ?? []
    let options = common + shown + ["--grace", "100ms", "--"]
    return ["/proc/self/exe", "exec"] + options + program(at: place)
  }

  /// Returns the program with `{bus}` and `{address}` replaced.
  func program(at place: Scenario.Place) -> [String] {
    let address = "0x" + String(place.address, radix: 16)
    return program.map {
      $0.replacing("{bus}", with: "\(place.bus)").replacing("{address}", with: address)
    }
  }
}

/// Firmware to audit on a virtual microcontroller.
package struct AuditedFirmware: Sendable {
  /// The path of the image.
  package let image: String
  /// The microcontroller; `nil` to detect it.
  package let microcontroller: String?
  /// The load address of a raw binary.
  package let address: UInt32?

  package init(image: String, microcontroller: String?, address: UInt32?) {
    self.image = image
    self.microcontroller = microcontroller
    self.address = address
  }

  /// The arguments of `aneroid firmware`; the audit ends the run after enough readings.
  var arguments: [String] {
    ["--for", "3650d"] + (microcontroller.map { ["--mcu", $0] } ?? [])
      + (address.map { ["--at", "\($0)"] } ?? []) + ["--", image]
  }
}
