package import BME280
import Glibc
package import Quantities

/// What is audited, and how.
package struct AuditSettings: Sendable {
  /// The program and its arguments; `{bus}` and `{address}` are replaced.
  package var program: [String]
  /// The firmware that is audited instead of a program.
  package var firmware: AuditedFirmware?
  /// Which chip the parts are.
  package var chip = Chip.bme280
  /// How its values are found; guessed when `nil`.
  package var form: OutputForm?
  /// The scenarios.
  package var scenarios = Scenario.all
  /// After how many readings a program is ended that goes on.
  package var readings = 4
  /// How much processor time a program may take in a scenario, and how long it may stand still, in seconds.
  package var timeoutSeconds = 10.0
  /// How many scenarios run at once.
  package var jobs = 1
  /// Where rigs and traces go; a temporary folder when `nil`.
  package var folder: String?
  /// The quantities that need not be judged.
  package var ignored: Set<Quantity> = []
  /// How many readings a program shows, at most, between two measurements.
  var readingsInRest = 1
  /// The board whose files programs find, as `exec --board` names it; `nil` for the machine's.
  package var board: String?
  /// Where the part is.
  package var place = Scenario.Place()

  /// Creates settings for a program.
  package init(_ program: [String]) { self.program = program }

  /// The scenarios that the chip can have.
  var fittingScenarios: [Scenario] { scenarios.compactMap { $0.fitted(with: chip) } }

  /// The calm scenario with the chip.
  var calm: Scenario { Scenario.calm.fitted(with: chip) ?? .calm }

  /// How many readings a program shows before it is ended: enough for what happens between two of them.
  func readings(in scenario: Scenario) -> Int {
    let isLong = scenario.needsSeveralReadings || scenario.name == Scenario.calm.name
    let count = max(readings, isLong ? 4 : 1) * scenario.readingsFactor
    // A course of its own ends by its time; the number is for programs whose time nobody sees.
    let course = scenario.lastRest.map { 2 * $0 + 8 } ?? 0
    return max(count, course, scenario.leastReadings) * readingsInRest
  }

  /// What is run as a process of ours for a scenario: `exec` with the program, or `firmware`.
  func launch(
    at place: Scenario.Place, rig: String, trace: String, events: String
  ) -> [String] {
    let common = [
      "--quiet", "--silent", "--events", events, "--trace", trace, "--parent", "\(getpid())",
      "--rig", rig, "--clock", "virtual", "--steps", "\(RunningProgram.stepsDescriptor)",
    ]
    if let firmware {
      return ["/proc/self/exe", "firmware"] + common + firmware.arguments
    }
    let shown = board.map { ["--board", $0] } ?? []
    let options = common + shown + ["--grace", "100ms", "--"]
    return ["/proc/self/exe", "exec"] + options + program(at: place)
  }

  /// The program with `{bus}` and `{address}` replaced.
  func program(at place: Scenario.Place) -> [String] {
    let address = "0x" + String(place.address, radix: 16)
    return program.map {
      $0.replacing("{bus}", with: "\(place.bus)").replacing("{address}", with: address)
    }
  }
}
