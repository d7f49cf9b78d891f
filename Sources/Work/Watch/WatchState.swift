import Barometry
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

    /// The pressure in Pa and the temperature in °C, which every sample has.
    var pascals: Double { values.pressure ?? .nan }
    var celsius: Double { values.temperature ?? .nan }
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
  private(set) var marks: [Double] = []
  private(set) var analysis: LeakAnalysis
  private(set) var history = PressureHistory(retention: 4 * TimeSpan.hour)
  /// Whether samples are taken.
  package private(set) var isRunning = true
  /// Why the last sample failed.
  private(set) var failure: String?
  /// The time of the screen, in seconds of the sensor's clock, and the moment in nanoseconds since 1970.
  private(set) var now = 0.0, moment: Int64 = 0
  /// Which page of the help is shown; `nil` where the watch is.
  private(set) var help: Int?

  /// What there is to say of the recording.
  private(set) var recording: String?
  private(set) var recordingFails = false
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
  package init(
    _ purpose: Purpose, of name: String, _ settings: WatchSettings, limit: Double?,
    hasDate: Bool = true
  ) {
    self.purpose = purpose
    self.name = name
    self.hasDate = hasDate
    self.settings = settings
    analysis = LeakAnalysis(period: Double(settings.period))
    if let limit { analysis.limit = limit }
  }

  /// Lets time pass.
  package mutating func pass(to now: Double, moment: Int64) {
    (self.now, self.moment) = (now, moment)
  }

  /// Takes what happened: a reading, or that there was none.
  package mutating func take(_ event: RunEvent) {
    switch event {
    case .reading(let reading): take(reading.sample, at: Double(reading.time) / 1e9)
    case .error(let error): fail("\(error.error)")
    default: break
    }
  }

  private mutating func take(_ sample: Parts.Sample, at time: Double) {
    guard let pascals = sample.pascals, let celsius = sample.celsius else {
      return fail("the sensor measures no pressure or temperature")
    }
    failure = nil
    if samples.count == Self.capacity { samples.removeFirst(Self.capacity / 4) }
    samples.append(Sample(time: time, values: sample.values))
    analysis.period = Double(settings.period)
    analysis.take(pascals, celsius: celsius, at: time)
    try? history.append(PressurePoint(time: Int64(time * 1e9) + 1, pascals: pascals))
  }

  /// How many samples were exactly alike in the end; a part that measures has noise.
  package var alike: Int {
    guard let last = samples.last else { return 0 }
    return samples.reversed().prefix { $0.values == last.values }.count
  }

  /// What the viewer has marked since the last sample, for the recording.
  package mutating func takeMark() -> String {
    defer { unrecordedMark = "" }
    return unrecordedMark
  }

  /// Notes what is recorded, and why the youngest rows are not.
  package mutating func recorded(_ rows: Int, _ failure: String?) {
    recording = failure.map { "RECORDING FAILS: \($0)" } ?? "recorded \(rows) rows"
    recordingFails = failure != nil
  }

  /// Notes that a sample failed.
  private mutating func fail(_ reason: String) {
    failure = reason
    analysis.fail()
  }

  /// What a key does.
  package enum Effect: Sendable {
    /// The screen changes.
    case redraw
    /// The settings change, and are to be kept.
    case settings
    /// The watch ends.
    case quit
    /// Nothing.
    case nothing
  }

  /// Does what a key means.
  package mutating func press(_ key: Character) -> Effect {
    if key == "?" {
      help = (help ?? -1) + 1
      return .redraw
    }
    if key != "q", key != "\u{3}", help != nil {
      help = nil
      return .redraw
    }
    switch key {
    case "q", "\u{3}": return .quit
    case " ":
      isRunning.toggle()
      if isRunning { analysis.restart() }
      return .redraw
    case "m":
      marks.append(now)
      unrecordedMark = "mark"
      return .redraw
    case "h" where purpose == .cabin:
      // A hatch was moved: what was before tells nothing of what is now.
      analysis.restart()
      marks.append(now)
      unrecordedMark = "hatch"
      return .redraw
    case "u":
      let symbols = PressureUnit.allCases.map { "\($0.symbol)" }
      settings.unit = WatchSettings.next(settings.unit, of: symbols)
    case "d": settings.digits = (settings.digits + 1) % 5
    case "z": settings.scale = WatchSettings.next(settings.scale, of: WatchSettings.scales)
    case "s": settings.scrolls.toggle()
    case "l":
      settings.layout = WatchSettings.next(settings.layout, of: WatchSettings.Layout.allCases)
    case "r": settings.period = WatchSettings.next(settings.period, of: WatchSettings.periods)
    default: return .nothing
    }
    return .settings
  }
}
