import BME280
import Environment
import I2C

/// A bench made to make some historical defects of drivers visible in what a program shows.
package struct Scenario: Sendable {
  /// Its name on the command line and in reports.
  package let name: String
  /// What is special about it.
  package let summary: String
  /// The classes of defects (`B01` to `B37`) that it exposes.
  package let classes: [String]

  /// What a right program does.
  enum Wanted: Sendable {
    /// It shows the air.
    case values
    /// It shows the air, or says that it cannot.
    case valuesOrError
    /// It says that there is nothing to show.
    case error
  }

  /// Air from a time on.
  struct Phase: Sendable {
    /// When it begins.
    enum Start: Hashable, Sendable {
      /// In seconds since power came on.
      case seconds(Double)
      /// In the n-th rest between two readings of the program, counted from the first event.
      case rest(Int)

      /// In the first of these rests.
      static var event: Start { .rest(0) }
    }

    let start: Start
    let air: Air
  }

  /// The calibration of the part.
  var part = Part.real
  var chip = Chip.bme280
  var phases: [Phase]
  /// What a program may be shown: phases that were over when it began are not.
  var shown: Range<Int>
  /// Further keys of the device, as in a rig.
  var device: [String] = []
  /// The keys of the adapter, as in a rig.
  var adapter = "frequency: \(I2CBusFrequency.standardText)"
  /// The failures, as in a rig; `{event}` is a time between two readings.
  var faults: [String] = []
  var wanted = Wanted.values
  /// By how much values may be off in addition to what digits and formulas allow.
  var slack = Air(pressure: 0, temperature: 0, humidity: 0)
  /// How many times as many readings as usual it takes.
  var readingsFactor = 1
  /// Whether it is about humidity alone, which a BMP280 does not measure.
  var concernsHumidity = false
  /// Whether it is about the adapter, which firmware has in its own microcontroller.
  var concernsAdapter = false
  /// Whether it accuses firmware that shows the mean of what is left of a burst in which a read failed: of firmware it is
  /// run only where it is named.
  var accusesMeans = false
  /// How the defect that it is made for is recognised by its values on this bench alone; `nil` where all benches tell.
  var recognition: Recognition?
  /// Whether what fails is soon over, so that a program that goes on shows values again.
  var passes = false
  /// Whether there are right programs to which its faults never happen, as they ask for nothing that meets them.
  var mayNotHappen = false
  /// In which rest it ends; `nil` where the number of readings decides.
  var lastRest: Int?
  /// Whether each reading must show the air of its time.
  var isTimed = false
  /// Whether there is nothing to measure from the first event on.
  var isGone = false
  /// Whether what it shows is worth a warning, and no verdict.
  var isWarning = false
  /// The class of a reading that shows the air of before.
  var staleClass: String?
  /// After how many readings the program's descriptors, threads and memory are counted.
  var resourceLooks: [Int] = []
  /// How many readings it takes at least.
  var leastReadings = 0
  /// Whether a program at the other address must ignore this one.
  var hasDecoy = false

  /// What tells a defect that no other bench shows.
  enum Recognition {
    /// All wrong values are one share of the truth: a mean lacks some of its readings.
    case shareOfTruth
    /// Values are shown although words that they need never came.
    case valuesWithoutWords
    /// The defect, and nothing else, gives the values; other benches cannot contradict it.
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

  /// The scenario with some changes.
  func with(_ change: (inout Scenario) -> Void) -> Scenario {
    var scenario = self
    change(&scenario)
    return scenario
  }

  /// Whether its air changes between two readings.
  var changesOnce: Bool { !isTimed && phases.contains { $0.start == .event } }

  /// Whether something happens between two readings, for which the program must go on.
  package var needsSeveralReadings: Bool {
    isTimed || phases.contains { $0.start == .event } || faults.contains { $0.contains("{event") }
  }

  /// The scenario with another chip; `nil` where it is about what that does not have.
  func fitted(with chip: Chip) -> Scenario? {
    guard chip == .bmp280 else { return self }
    return concernsHumidity ? nil : with { $0.chip = .bmp280 }
  }

  /// When it ends, in seconds since power came on; infinite where the number of readings decides.
  func endSeconds(at place: Place) -> Double {
    lastRest.map { place.rest($0) } ?? .infinity
  }

  /// The air that a program may show, in its order.
  var truths: [Air] { phases[shown].map(\.air) }
}

extension Air {
  /// Air in which nothing is special, far from the values of codes that have a meaning.
  static let mild = Air(pressure: 100_937, temperature: 18.63, humidity: 42.6)
}
