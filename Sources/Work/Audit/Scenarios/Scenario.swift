package import BME280
import Diagnosis
package import Environment
import I2C
package import Support

/// A bench that reveals specific driver defects in the output of a program.
package struct Scenario: Sendable {
  /// The name on the command line and in reports.
  package let name: String
  package internal(set) var summary: String
  /// The IDs of the defect classes that the scenario exposes, such as `B01`.
  package let classes: [String]

  /// The behaviour that a scenario expects of a correct program.
  package enum Wanted: Sendable {
    /// The program displays the values of the air.
    case values
    /// The program displays the values of the air, or reports an error.
    case valuesOrError
    /// The program reports an error.
    case error
  }

  /// A state of the air and of the inputs, and the time at which it starts.
  package struct Phase: Sendable {
    /// The start of a phase.
    package enum Start: Hashable, Sendable {
      /// A time in seconds since power-on.
      case seconds(Double)
      /// A time in the n-th pause between two readings, counted from the first event.
      case rest(Int)

      /// A time in the pause between two readings that contains the scenario's first event.
      package static var event: Start { .rest(0) }
    }

    package let start: Start
    package let air: Air
    /// The inputs of the part that do not follow from others, in the order of its file; empty for the usual values.
    package var inputs: [Double] = []

    /// Creates a phase.
    package init(start: Start, air: Air, inputs: [Double] = []) {
      (self.start, self.air, self.inputs) = (start, air, inputs)
    }
  }

  /// The calibration of the part.
  package var part = Part.real
  package var chip = Chip.bme280
  /// The part, if it is of another family; `nil` for `part` on `chip`.
  package var auditedPart: AuditedPart?
  package var phases: [Phase]
  /// The indices of the phases that a program may display; phases that ended before the program started are excluded.
  package var shown: Range<Int>
  /// Additional keys of the device in the rig.
  package var device: [String] = []
  /// The keys of the adapter in the rig.
  package var adapter = "frequency: \(I2CBusFrequency.standardText)"
  /// The faults in the rig; `{event}` is a time between two readings.
  package var faults: [String] = []
  package var wanted = Wanted.values
  /// The tolerance for displayed values, in addition to that for the displayed digits and the
  /// different correct formulas.
  package var slack = Air(pressure: 0, temperature: 0, humidity: 0)
  /// The factor by which the usual number of readings is multiplied.
  package var readingsFactor = 1
  /// `true` if the scenario concerns only humidity, which a BMP280 does not measure.
  package var concernsHumidity = false
  /// `true` if the scenario concerns the adapter, which for firmware is part of the microcontroller.
  package var concernsAdapter = false
  /// `true` if the scenario would give a false finding for firmware that displays the mean of a
  /// burst of measurements, one of which could not be read.
  ///
  /// For firmware, such a scenario is run only if the user names it.
  package var accusesMeans = false
  /// The way to recognise the scenario's defect on this bench alone; `nil` if all benches are necessary.
  package var recognition: Recognition?
  /// `true` if the failure is transient, after which a correct program displays values again.
  package var passes = false
  /// `true` if single transfers fail, many readings apart, and a correct program recovers from each.
  package var failsRepeatedly = false
  /// `true` if the faults may not fire for some correct programs, because these never perform the affected transfer.
  package var mayNotHappen = false
  /// `true` if the scenario says nothing about a program that none of its faults reach.
  package var needsFault = false
  /// The index of the pause in which the scenario ends; `nil` if it ends after a number of readings.
  package var lastRest: Int?
  /// `true` if each reading must match the air at its print time.
  package var isTimed = false
  /// `true` if the part stops responding at the first event.
  package var isGone = false
  /// `true` if a deviation gives a warning instead of a finding.
  package var isWarning = false
  /// The defect class of a program that displays the previous air.
  package var staleClass: String?
  /// The indices of the pauses between readings in which the program's resources are sampled.
  package var resourceLooks: [Int] = []
  /// The minimum number of readings.
  package var leastReadings = 0
  /// `true` if the bus has a second part, at the other address, which the program must ignore.
  package var hasDecoy = false
  /// The steps of the wall clock, as keys of a rig.
  package var clockSteps: [String] = []
  /// `true` if the program is given the part's other address; its arguments must contain `{address}`.
  package var isAtOtherAddress = false

  /// The recognition of a defect that no other bench reveals.
  package enum Recognition {
    /// All wrong values are the same fraction of the correct values, because readings are missing from a mean.
    case shareOfTruth
    /// Values are displayed although their calibration words were never received.
    case valuesWithoutWords
    /// The defect is the only one that produces the values, and other benches cannot contradict it.
    case explanation
  }

  package init(
    _ name: String, _ summary: String, exposes classes: [String], part: Part = .real,
    air: Air = .mild
  ) {
    self.init(
      name, summary, exposes: classes, part: part, phases: [Phase(start: .seconds(0), air: air)])
  }

  package init(
    _ name: String, _ summary: String, exposes classes: [String], part: Part = .real,
    phases: [Phase]
  ) {
    self.name = name
    self.summary = summary
    self.classes = classes
    self.part = part
    self.phases = phases
    shown = 0..<phases.count
  }

  /// Returns the scenario with changes.
  package func with(_ change: (inout Scenario) -> Void) -> Scenario {
    var scenario = self
    change(&scenario)
    return scenario
  }

  /// `true` if the air changes once, between two readings.
  package var changesOnce: Bool { !isTimed && phases.contains { $0.start == .event } }

  /// `true` if an event of the scenario occurs between two readings.
  package var needsSeveralReadings: Bool {
    isTimed || phases.contains { $0.start == .event } || faults.contains { $0.contains("{event") }
  }

  /// Returns the scenario with a different chip; `nil` if the chip does not have the tested feature.
  package func fitted(with chip: Chip) -> Scenario? {
    guard chip == .bmp280, auditedPart == nil else { return self }
    return concernsHumidity ? nil : with { $0.chip = .bmp280 }
  }

  /// Returns the end of the scenario in seconds since power-on; infinite if it ends after a number of readings.
  package func endSeconds(at place: Place) -> Double {
    lastRest.map { place.rest($0) } ?? .infinity
  }

  /// The states of air and inputs that a program may display, in chronological order.
  package var truths: [Phase] { Array(phases[shown]) }
}

extension Air {
  /// Ordinary air, far from special codes.
  package static let mild = Air(pressure: 100_937, temperature: 18.63, humidity: 42.6)
}

extension Scenario {
  /// All scenarios, the calm one first.
  package static let all = [calm] + parts + airs + codes + times + remains + buses + courses

  /// The baseline scenario; also used to infer the output format.
  package static let calm = Scenario(
    "calm", "A real part in mild air, without faults",
    exposes: [
      "B04", "B07", "B08", "B10", "B13", "B14", "B16", "B18", "B19", "B21", "B24", "B29",
      "B33", "B34", "B38", "B39", "B40", "B41", "B45", "B49", "B53", "B57", "B58",
      "B59", "B70",
    ])
}

extension Air {
  /// Air in which the raw temperature and pressure lie at boundaries at which their most
  /// significant bytes change.
  package static let aroundBoundary: Air = {
    let value = Part.packed.calibration.compensateSI(
      RawMeasurement(temperature: 0x7D000, pressure: 0x50000, humidity: 0x7000))
    return Air(
      pressure: value.pressure, temperature: value.temperature, humidity: value.humidity)
  }()
}

extension Scenario {
  /// Scenarios with calibrations that differ from those of common parts.
  package static let parts =
    humid + [
      Scenario(
        "negative-t3", "T3 is negative, in frost", exposes: ["B06", "B16b"], part: .negativeT3,
        air: .frost),
      Scenario(
        "unusual-signs",
        "The signs of the temperature and pressure words are those that the data sheet allows, but no known part has",
        exposes: ["B06"], part: .signs, air: .cold),
    ]

  /// Scenarios with unusual humidity calibrations.
  private static let humid = [
    Scenario(
      "packed-h5", "H4 and H5 share a register with different nibbles",
      exposes: ["B01", "B02", "B15", "B42"],
      part: .packed, air: .hot),
    Scenario("negative-h4", "H4 is negative", exposes: ["B03"], part: .negativeH4),
    Scenario(
      "negative-h5", "H5 is negative", exposes: ["B01", "B03", "B15", "B43"], part: .negativeH5,
      air: .hot),
    Scenario(
      "negative-h6", "H6 is negative", exposes: ["B04", "B06", "B52"], part: .negativeH6, air: .hot),
    Scenario("large-h3", "H3 is not 0", exposes: ["B04", "B06", "B51"], part: .largeH3, air: .hot),
    Scenario("large-h1", "H1 is 255", exposes: ["B05", "B06"], part: .largeH1, air: .damp),
    Scenario("negative-h2", "H2 is negative", exposes: ["B06"], part: .negativeH2),
  ].map { $0.with { $0.concernsHumidity = true } }
}

extension Air {
  package static let hot = Air(pressure: 100_937, temperature: 46.2, humidity: 37.4)
  package static let cold = Air(pressure: 98_413, temperature: 4.81, humidity: 71.3)
  package static let damp = Air(pressure: 100_211, temperature: 24.9, humidity: 88.6)
  package static let frost = Air(pressure: 102_640, temperature: -20.37, humidity: 61.5)
}

/// The calibration of a scenario's part.
package struct Part: Sendable {
  package let calibration: Calibration

  /// A real part (published with the tests of periph.io's bmxx80 driver).
  package static let real = Part(
    Calibration(
      t1: 28_176, t2: 26_220, t3: 50, p1: 38_237, p2: -10_824, p3: 3024, p4: 7799, p5: -99, p6: -7,
      p7: 9900, p8: -10_230, p9: 4285, h1: 75, h2: 366, h3: 0, h4: 309, h5: 0, h6: 30))
  /// A calibration whose words H4 and H5 have different nibbles in the register 0xE5, which they
  /// share, as in 22 of 31 known parts; bit 7 of the register is set.
  package static let packed = Part { $0.h5 = 58 }
  package static let negativeH4 = Part { ($0.h4, $0.h5) = (-29, 50) }
  package static let negativeH5 = Part { $0.h5 = -431 }
  package static let negativeH6 = Part { $0.h6 = -60 }
  package static let largeH3 = Part { ($0.h3, $0.h6) = (255, 100) }
  package static let largeH1 = Part { $0.h1 = 255 }
  package static let negativeH2 = Part { ($0.h2, $0.h4) = (-366, 1000) }
  package static let negativeT3 = Part { $0.t3 = -4000 }
  /// A calibration whose words for temperature and pressure have the opposite sign, or the opposite
  /// top bit, of those in real parts.
  package static let signs = Part {
    $0.t1 = 33_000
    ($0.p2, $0.p3, $0.p4, $0.p5) = (10_000, -3024, -3000, 150)
    ($0.p6, $0.p7, $0.p8, $0.p9) = (200, -9900, 10_230, -4285)
  }

  /// Another real part (published with the tests of bme280pi).
  package static let replacement = Part(
    Calibration(
      t1: 28_256, t2: 26_827, t3: 50, p1: 37_149, p2: -10_437, p3: 3024, p4: 9960, p5: -214, p6: -7,
      p7: 9900, p8: -10_230, p9: 4285, h1: 75, h2: 385, h3: 0, h4: 268, h5: 50, h6: 30))

  package init(_ calibration: Calibration) { self.calibration = calibration }

  /// Creates a part with the calibration of the real part, except for changed words.
  private init(_ change: (inout Calibration) -> Void) {
    var words = Self.real.calibration
    change(&words)
    calibration = words
  }
}

extension Scenario {
  /// The first line of each rig kept by an audit.
  private static let mark =
    "# Written by 'aneroid audit', which overwrites it; keep changes elsewhere.\n"

  /// Returns the rig as the audit writes it to a file, with the line that marks the file as its own.
  package func keptRig(at place: Place) -> String { Self.mark + rig(at: place) }

  /// Checks that an audit overwrites only files written by an audit.
  ///
  /// - Parameters:
  ///   - scenarios: the scenarios to run.
  ///   - folder: the folder for rigs and traces.
  /// - Throws: `Failure` of kind usage, which names a file that was not written by an audit.
  package static func check(_ scenarios: [Scenario], in folder: String) throws(Failure) {
    for scenario in scenarios {
      let (rig, trace) = ("\(folder)/\(scenario.name).yaml", "\(folder)/\(scenario.name).i2ctrace")
      let text = try? TextFile.read(rig)
      guard text?.hasPrefix(mark) != true,
        let file = [rig, trace].first(where: TextFile.exists)
      else { continue }
      throw Failure(
        .usage,
        "\(file): not written by an audit, and it would be overwritten; choose another folder")
    }
  }
}

/// The list of scenarios as text.
package enum ScenarioPage {
  /// Returns a list with one line per scenario that also names the classes of defects that it exposes.
  package static func list(of scenarios: [Scenario]) -> String {
    let width = scenarios.map(\.name.count).max() ?? 0
    let lines = scenarios.map { scenario in
      let name = scenario.name + String(repeating: " ", count: width - scenario.name.count)
      let classes = scenario.classes.isEmpty ? "" : "  (\(scenario.classes.joined(separator: " ")))"
      return "\(name)  \(scenario.summary)\(classes)"
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The documentation page that lists the scenarios, in Markdown.
  package static var page: String {
    var lines = [
      "# The scenarios of an audit",
      "",
      "Each scenario is a bench that reveals specific driver defects in the output of a program.",
      "",
      "## Overview",
      "",
      "`aneroid audit --list` lists them; `aneroid audit --show NAME` prints a scenario's rig, for",
      "`aneroid exec --rig`. The classes are those of the catalogue (`aneroid diagnose --catalogue`).",
      "",
    ]
    let rows = Scenario.all.map { scenario in
      let classes = scenario.classes.compactMap(DefectClass.named).map { "\($0.id) \($0.title)" }
      return ["`\(scenario.name)`", scenario.summary, classes.joined(separator: "; ")]
    }
    lines += MarkdownTable(["scenario", "situation", "exposes"], rows).lines
    return lines.joined(separator: "\n") + "\n"
  }
}
