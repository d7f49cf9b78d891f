import Barometry
package import Environment
import Parts
package import Quantities
package import Runs

/// What a watch knows: its samples, what they mean, and what the viewer has done.
package struct WatchState {
  /// What is watched for.
  package enum Purpose: String, CaseIterable, Sendable {
    /// A leak.
    case cabin
    /// The weather.
    case weather
  }

  /// One sample.
  package struct Sample {
    package let time: Double
    package let values: AirReading
    /// The quantities for which the sensor is not specified there.
    package let outside: [Quantity]

    /// The pressure in Pa and the temperature in °C, which every sample has.
    var pascals: Double { values.pressure ?? .nan }
    var celsius: Double { values.temperature ?? .nan }
  }

  /// A moment that has a name.
  package struct Mark: Hashable {
    package let time: Double
    package let name: String
  }

  /// What is watched for.
  package let purpose: Purpose
  /// What is watched.
  package let name: String
  /// Whether moments are those of a calendar; else only the time since the start is known.
  package let hasDate: Bool
  /// What the viewer has chosen.
  package var settings: WatchSettings

  private(set) var samples: [Sample] = []
  /// How many samples have been taken, those of before that were recorded included.
  private(set) var count = 0
  private(set) var marks: [Mark] = []
  /// The search for a leak, and the analysis behind all that is shown.
  var search: LeakSearch
  /// Whether the screen leads the crew through the hatches.
  var isSearching = false
  /// The last answer of a hatch, in words.
  var answer: String?
  /// The call to the safe haven.
  private(set) var haven: SafeHaven
  /// Where the pressure lay when that was told last.
  private var level = CabinLevel.usual
  /// Whether the bell is to ring.
  private var isRinging = false
  /// The pressures of the last hours, at sea level if the altitude is known.
  private(set) var history = PressureHistory(retention: 4 * TimeSpan.hour)
  /// The station whose forecasts are shown.
  package private(set) var station: WatchStation
  /// How a measurement goes on.
  package enum Course: Hashable, Sendable {
    /// They are.
    case running
    /// They rest for a while: what was is still this measurement's.
    case paused
    /// The measurement is over; a start begins another one.
    case stopped
  }

  /// How this one goes on.
  package internal(set) var course = Course.running
  /// Whether samples are taken.
  package var isRunning: Bool { course == .running }
  /// Why the last sample failed.
  private(set) var failure: String?
  /// The time of the screen, in seconds of the sensor's clock, and the moment in nanoseconds since 1970.
  private(set) var now = 0.0, moment: Int64 = 0
  /// What can be looked at in place of the watch.
  enum Page: Hashable {
    /// A page of the help, and one of the marks: which, from 0 on.
    case help(Int), marks(Int)
    /// The crew's chart.
    case chart
  }

  /// What is looked at in place of the watch; `nil` where nothing is.
  var page: Page?

  /// Which part of the graph is looked at.
  package internal(set) var view = GraphView()
  /// What the viewer is asked; `nil` where nothing is.
  package internal(set) var prompt: Prompt?
  /// What there is to say of the recording.
  private(set) var recording: String?
  private(set) var recordingFails = false
  /// What became of the last export.
  private(set) var export: (sentence: String, isFailure: Bool)?
  /// The marks that are not recorded yet.
  private var unrecordedMark = ""

  /// The most samples that the graph keeps.
  private static let capacity = 20_000

  /// Begins a watch.
  ///
  /// - Parameters:
  ///   - purpose: what is watched for.
  ///   - name: what is watched.
  ///   - settings: what the viewer has chosen.
  ///   - limit: the pressure in Pa at which the crew leaves; the usual one unless given.
  ///   - hasDate: whether the moments that will be told are those of a calendar.
  ///   - cabin: its modules and hatches, where they are known, and the module of the sensor.
  ///   - specified: the pressures in Pa that the sensor is specified for, where that is known.
  ///   - haven: below which reserve time in seconds the crew goes to its safe haven.
  ///   - station: whose forecasts are shown; Zambretti's for a sensor of unknown altitude unless given.
  package init(
    _ purpose: Purpose, of name: String, _ settings: WatchSettings, limit: Double?,
    hasDate: Bool = true, cabin: (plan: CabinPlan, module: Int)? = nil,
    specified: ClosedRange<Double>? = nil, haven: Double = 600,
    station: WatchStation = WatchStation()
  ) {
    self.purpose = purpose
    self.station = station
    self.name = name
    self.hasDate = hasDate
    self.settings = settings
    var analysis = LeakAnalysis(period: Double(settings.period))
    if let limit { analysis.limit = limit }
    analysis.specified = specified
    search = LeakSearch(analysis, plan: cabin?.plan, module: cabin?.module ?? 0)
    self.haven = SafeHaven(least: haven)
  }

  /// The analysis of the pressure.
  var analysis: LeakAnalysis { search.analysis }

  /// Takes what was recorded before this watch, so that the past is there at once and the trend goes on.
  ///
  /// - Parameter past: the samples in order, with times of the sensor's clock; those that are not older than all else are
  ///   passed over.
  package mutating func recall(_ past: [(time: Double, values: AirReading, mark: String)]) {
    for row in past {
      let words = RecordedMark(row.mark)
      let told = words.mark.split(separator: ";").map { $0.drop { $0 == " " } }
      if told.contains(RecordedMark.newRun[...]) {
        // Its times do not go on from those before: what was is another run.
        (samples, marks) = ([], [])
        history = PressureHistory(retention: 4 * TimeSpan.hour)
        beginAnew()
      } else if told.contains(RecordedMark.start[...]) {
        beginAnew()
      } else if told.contains(RecordedMark.goesOn[...]) {
        search.restart()
      }
      if !words.mark.isEmpty { marks.append(Mark(time: row.time, name: words.mark)) }
      // A mark between samples has a row without a measurement.
      guard row.values.pressure != nil, row.time > samples.last?.time ?? -.infinity else {
        continue
      }
      take(
        Parts.Sample(
          celsius: row.values.temperature, pascals: row.values.pressure,
          relativeHumidity: row.values.humidity), at: row.time, outside: words.outside)
    }
    unrecordedMark = ""
  }

  /// Lets time pass.
  package mutating func pass(to now: Double, moment: Int64) {
    (self.now, self.moment) = (now, moment)
    guard purpose == .cabin else { return station.pass(to: Self.nanoseconds(now)) }
    for sentence in search.move(until: UInt64(max(now, 0) * 1e9)) { note(sentence) }
    judgeHaven()
  }

  /// Calls the crew to its safe haven as soon as too little time is left.
  private mutating func judgeHaven() {
    guard course != .stopped, let found = analysis.assessment(at: now) else { return }
    // The call to the safe haven is the first word, in the recording too.
    switch haven.take(found) {
    case .called:
      isRinging = true
      isSearching = false
      note("SAFE HAVEN")
    case .over: note("safe haven over")
    case nil: break
    }
    guard found.level != level else { return }
    level = found.level
    if let words = level.words {
      isRinging = true
      note("\(words)")
    }
  }

  /// Whether the bell is to ring, once for each call.
  package mutating func takeBell() -> Bool {
    defer { isRinging = false }
    return isRinging
  }

  /// Marks this moment with words, also in the recording.
  mutating func note(_ words: String) {
    marks.append(Mark(time: now, name: words))
    // A row of the recording has one field for them, without commas.
    let plain = words.replacing(",", with: ";")
    unrecordedMark += unrecordedMark.isEmpty ? plain : "; \(plain)"
  }

  /// Takes what happened: a reading, or that there was none.
  package mutating func take(_ event: RunEvent) {
    switch event {
    case .reading(let reading):
      take(reading.sample, at: Double(reading.time) / 1e9, outside: reading.outside)
    case .error(let error):
      fail("\(error.sentence)")
      station.take(nil, at: Int64(clamping: error.time))
    default: break
    }
  }

  private mutating func take(_ sample: Parts.Sample, at time: Double, outside: [Quantity]) {
    guard let pascals = sample.pascals, let celsius = sample.celsius else {
      return fail("the sensor measures no pressure or temperature")
    }
    failure = nil
    if samples.count == Self.capacity { samples.removeFirst(Self.capacity / 4) }
    samples.append(Sample(time: time, values: sample.values, outside: outside))
    count += 1
    search.analysis.period = Double(settings.period)
    if let finding = search.take(pascals, celsius: celsius, at: time), purpose == .cabin {
      let sentence = RunEvent.SearchStep.Step(finding).sentence
      answer = sentence
      note(sentence)
    }
    guard purpose == .weather else { return }
    let reduced = station.forecasters.reduced(pascals, at: Self.nanoseconds(time), celsius)
    try? history.append(PressurePoint(time: Self.nanoseconds(time), pascals: reduced))
    station.take(sample.values, outside: outside, at: Self.nanoseconds(time))
  }

  /// A time of the sensor's clock as a history counts it.
  private static func nanoseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }

  /// What was marked together with the last sample, for its row of the recording.
  package mutating func takeMark() -> String {
    defer { unrecordedMark = "" }
    return RecordedMark(unrecordedMark, outside: samples.last?.outside ?? []).text
  }

  /// What was marked between samples, for a row of its own at this time.
  ///
  /// - Returns: the mark and its moment in nanoseconds since 1970; `nil` if there is none.
  package mutating func takeLoneMark() -> (mark: String, moment: Int64)? {
    guard !unrecordedMark.isEmpty else { return nil }
    defer { unrecordedMark = "" }
    return (unrecordedMark, moment)
  }

  /// Notes what is recorded, and why the youngest rows are not.
  package mutating func recorded(_ rows: Int, runs: Int = 1, _ failure: String?) {
    recording =
      failure.map { "RECORDING FAILS: \($0)" }
      ?? "recorded \(rows) rows\(runs > 1 ? ", run \(runs)" : "")"
    recordingFails = failure != nil
  }

  /// Notes that a sample failed.
  private mutating func fail(_ reason: String) {
    failure = reason
    search.fail()
  }

  /// Notes what became of an export.
  package mutating func exported(_ sentence: String, isFailure: Bool, hasEnded: Bool) {
    export = (sentence, isFailure)
    if hasEnded { (recording, recordingFails) = (nil, false) }
  }
}
