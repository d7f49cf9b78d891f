import BME280
import DriverDefects
import Environment
package import Files
import I2C
import Text

/// A bench that reveals specific driver defects in the output of a program.
package struct Scenario: Sendable {
  /// The name on the command line and in reports.
  package let name: String
  /// The summary.
  package let summary: String
  /// The classes of defects (`B01` to `B37`) that it exposes.
  package let classes: [String]

  /// The behaviour of a correct program.
  enum Wanted: Sendable {
    /// Displays the air.
    case values
    /// Displays the air, or reports an error.
    case valuesOrError
    /// Reports an error.
    case error
  }

  /// Air from a time on.
  struct Phase: Sendable {
    /// The start of a phase.
    enum Start: Hashable, Sendable {
      /// In seconds since power-on.
      case seconds(Double)
      /// In the n-th pause between two readings, counted from the first event.
      case rest(Int)

      /// In the first of these pauses.
      static var event: Start { .rest(0) }
    }

    let start: Start
    let air: Air
  }

  /// The calibration of the part.
  var part = Part.real
  var chip = Chip.bme280
  var phases: [Phase]
  /// The phases that a program may display; phases that ended before it started are excluded.
  var shown: Range<Int>
  /// Additional keys of the device in the rig.
  var device: [String] = []
  /// The keys of the adapter in the rig.
  var adapter = "frequency: \(I2CBusFrequency.standardText)"
  /// The faults in the rig; `{event}` is a time between two readings.
  var faults: [String] = []
  var wanted = Wanted.values
  /// Additional tolerance beyond digits and formulas.
  var slack = Air(pressure: 0, temperature: 0, humidity: 0)
  /// The factor by which the usual number of readings is multiplied.
  var readingsFactor = 1
  /// Whether it only concerns humidity, which a BMP280 does not measure.
  var concernsHumidity = false
  /// Whether it concerns the adapter, which firmware has in its own microcontroller.
  var concernsAdapter = false
  /// Whether it would report firmware that displays the mean of a burst with a failed read.
  ///
  /// For firmware, it is run only if named.
  var accusesMeans = false
  /// How its defect is recognised on this bench alone; `nil` if all benches are needed.
  var recognition: Recognition?
  /// Whether the failure is transient, so that a program displays values again.
  var passes = false
  /// Whether its faults may not fire for some correct programs, which never perform the affected
  /// transfer.
  var mayNotHappen = false
  /// The pause in which it ends; `nil` if the number of readings decides.
  var lastRest: Int?
  /// Whether each reading must match the air of its time.
  var isTimed = false
  /// Whether the part stops responding at the first event.
  var isGone = false
  /// Whether a deviation is a warning instead of a verdict.
  var isWarning = false
  /// The class of a reading that shows the previous air.
  var staleClass: String?
  /// The numbers of readings after which the program's resources are sampled.
  var resourceLooks: [Int] = []
  /// The minimum number of readings.
  var leastReadings = 0
  /// Whether a second part at the other address must be ignored.
  var hasDecoy = false

  /// The recognition of a defect that no other bench reveals.
  enum Recognition {
    /// All wrong values are the same fraction of the truth: a mean lacks readings.
    case shareOfTruth
    /// Values are displayed although their calibration words were never received.
    case valuesWithoutWords
    /// The defect is the only one that produces the values; other benches cannot contradict it.
    case explanation
  }

  init(
    _ name: String, _ summary: String, exposes classes: [String], part: Part = .real,
    air: Air = .mild
  ) {
    self.init(
      name, summary, exposes: classes, part: part, phases: [Phase(start: .seconds(0), air: air)])
  }

  init(
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
  func with(_ change: (inout Scenario) -> Void) -> Scenario {
    var scenario = self
    change(&scenario)
    return scenario
  }

  /// Whether its air changes once, between two readings.
  var changesOnce: Bool { !isTimed && phases.contains { $0.start == .event } }

  /// Whether it needs events between two readings.
  package var needsSeveralReadings: Bool {
    isTimed || phases.contains { $0.start == .event } || faults.contains { $0.contains("{event") }
  }

  /// Returns the scenario with another chip; `nil` if that lacks the tested feature.
  func fitted(with chip: Chip) -> Scenario? {
    guard chip == .bmp280 else { return self }
    return concernsHumidity ? nil : with { $0.chip = .bmp280 }
  }

  /// Returns the end in seconds since power-on; infinite if the number of readings decides.
  func endSeconds(at place: Place) -> Double {
    lastRest.map { place.rest($0) } ?? .infinity
  }

  /// The airs that a program may display, in order.
  var truths: [Air] { phases[shown].map(\.air) }
}

extension Air {
  /// Ordinary air, far from special codes.
  static let mild = Air(pressure: 100_937, temperature: 18.63, humidity: 42.6)
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
      "B59",
    ])
}

extension Air {
  /// Air at which the most significant bytes of temperature and pressure change.
  static let aroundBoundary: Air = {
    let value = Part.packed.calibration.compensateSI(
      RawMeasurement(temperature: 0x7D000, pressure: 0x50000, humidity: 0x7000))
    return Air(
      pressure: value.pressure, temperature: value.temperature, humidity: value.humidity)
  }()
}

extension Scenario {
  /// Calibrations that differ from those of common parts.
  static let parts =
    humid + [
      Scenario(
        "negative-t3", "T3 is negative, in frost", exposes: ["B06", "B16b"], part: .negativeT3,
        air: .frost),
      Scenario(
        "unusual-signs",
        "The temperature and pressure words have signs that real parts do not have",
        exposes: ["B06"], part: .signs, air: .cold),
    ]

  /// Calibrations of humidity.
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
  static let hot = Air(pressure: 100_937, temperature: 46.2, humidity: 37.4)
  static let cold = Air(pressure: 98_413, temperature: 4.81, humidity: 71.3)
  static let damp = Air(pressure: 100_211, temperature: 24.9, humidity: 88.6)
  static let frost = Air(pressure: 102_640, temperature: -20.37, humidity: 61.5)
}

/// The calibration of a scenario's part.
struct Part: Sendable {
  let calibration: Calibration

  /// A real part (published with the tests of periph.io's bmxx80 driver).
  static let real = Part(
    Calibration(
      t1: 28_176, t2: 26_220, t3: 50, p1: 38_237, p2: -10_824, p3: 3024, p4: 7799, p5: -99, p6: -7,
      p7: 9900, p8: -10_230, p9: 4285, h1: 75, h2: 366, h3: 0, h4: 309, h5: 0, h6: 30))
  /// H4 and H5 share 0xE5 with different nibbles, as in 22 of 31 known parts; bit 7 of the byte is set.
  static let packed = Part { $0.h5 = 58 }
  static let negativeH4 = Part { ($0.h4, $0.h5) = (-29, 50) }
  static let negativeH5 = Part { $0.h5 = -431 }
  static let negativeH6 = Part { $0.h6 = -60 }
  static let largeH3 = Part { ($0.h3, $0.h6) = (255, 100) }
  static let largeH1 = Part { $0.h1 = 255 }
  static let negativeH2 = Part { ($0.h2, $0.h4) = (-366, 1000) }
  static let negativeT3 = Part { $0.t3 = -4000 }
  /// All words of temperature and pressure have the opposite sign, or top bit, of real parts.
  static let signs = Part {
    $0.t1 = 33_000
    ($0.p2, $0.p3, $0.p4, $0.p5) = (10_000, -3024, -3000, 150)
    ($0.p6, $0.p7, $0.p8, $0.p9) = (200, -9900, 10_230, -4285)
  }

  init(_ calibration: Calibration) { self.calibration = calibration }

  /// Creates the real part with changed words.
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

  /// Returns the rig with the first line of a kept file.
  func keptRig(at place: Place) -> String { Self.mark + rig(at: place) }

  /// Checks that an audit overwrites only files written by an audit.
  ///
  /// - Parameters:
  ///   - scenarios: the scenarios to run.
  ///   - folder: the folder for rigs and traces.
  /// - Throws: `Failure` of kind usage with the name of another file.
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
  /// One line per scenario, with the classes that it exposes.
  package static var list: String {
    let width = Scenario.all.map(\.name.count).max() ?? 0
    let lines = Scenario.all.map { scenario in
      let name = scenario.name + String(repeating: " ", count: width - scenario.name.count)
      let classes = scenario.classes.isEmpty ? "" : "  (\(scenario.classes.joined(separator: " ")))"
      return "\(name)  \(scenario.summary)\(classes)"
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The page of the documentation.
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
