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
  private(set) var search: LeakSearch
  /// Whether the screen leads the crew through the hatches.
  private(set) var isSearching = false
  /// The last answer of a hatch, in words.
  private(set) var answer: String?
  /// The call to the safe haven.
  private(set) var haven: SafeHaven
  /// Where the pressure lay when that was told last.
  private var level = CabinLevel.usual
  /// Whether the bell is to ring.
  private var isRinging = false
  private(set) var history = PressureHistory(retention: 4 * TimeSpan.hour)
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
  package private(set) var course = Course.running
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
  private(set) var page: Page?

  /// Which part of the graph is looked at.
  package private(set) var view = GraphView()
  /// What the viewer is asked; `nil` where nothing is.
  package private(set) var prompt: Prompt?
  /// What there is to say of the recording.
  private(set) var recording: String?
  private(set) var recordingFails = false
  /// What became of the last export.
  private(set) var export: (sentence: String, isFailure: Bool)?
  private var unrecordedMark = ""

  /// How far in seconds recorded samples may lie before the start: a history counts from above 0.
  private static let earliest = 1e9
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
  package init(
    _ purpose: Purpose, of name: String, _ settings: WatchSettings, limit: Double?,
    hasDate: Bool = true, cabin: (plan: CabinPlan, module: Int)? = nil,
    specified: ClosedRange<Double>? = nil, haven: Double = 600
  ) {
    self.purpose = purpose
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
      guard row.time > samples.last?.time ?? -.infinity else { continue }
      take(
        Parts.Sample(
          celsius: row.values.temperature, pascals: row.values.pressure,
          relativeHumidity: row.values.humidity), at: row.time, outside: words.outside)
      if !words.mark.isEmpty { marks.append(Mark(time: row.time, name: words.mark)) }
    }
    unrecordedMark = ""
  }

  /// Lets time pass.
  package mutating func pass(to now: Double, moment: Int64) {
    (self.now, self.moment) = (now, moment)
    guard purpose == .cabin else { return }
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
  private mutating func note(_ words: String) {
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
    case .error(let error): fail("\(error.sentence)")
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
    try? history.append(
      PressurePoint(time: Int64((time + Self.earliest) * 1e9) + 1, pascals: pascals))
  }

  /// What the viewer has marked since the last sample, for the recording.
  package mutating func takeMark() -> String {
    defer { unrecordedMark = "" }
    return RecordedMark(unrecordedMark, outside: samples.last?.outside ?? []).text
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

  /// Does what a key means.
  package mutating func press(_ key: Character) -> Effect {
    if turn(key) { return .redraw }
    if let prompt, key != "\u{3}" { return answer(prompt, with: key) }
    let past = (samples.last?.time ?? 0) - (samples.first?.time ?? 0)
    if view.press(key, scale: Double(settings.scale), past: past) { return .redraw }
    switch key {
    case "q", "\u{3}": return .quit
    case " ", "p", "x", "b": return steer(key)
    case "m":
      note("mark")
      return .redraw
    case "e" where recording != nil:
      prompt = .export
      return .redraw
    case "t" where purpose == .cabin:
      page = .chart
      return .redraw
    case "i" where !samples.isEmpty:
      prompt = .initial
      return .redraw
    case "h" where purpose == .cabin:
      guard let plan = search.plan, !plan.hatches.isEmpty else { return movedElsewhere() }
      prompt = .hatch(
        plan.hatches.indices.map {
          "\(search.name($0)) (\(search.isOpen[$0] ? "open" : "closed"))"
        })
      return .redraw
    case "g" where purpose == .cabin && search.plan?.hatches.isEmpty == false:
      isSearching.toggle()
      search.dropPlan()
      answer = nil
      note(isSearching ? "search begins" : "search ends")
      return .leads
    case "y" where isSearching: return confirm()
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

  /// Turns pages, and goes back from them with any other key but Ctrl-C; whether the key did so.
  private mutating func turn(_ key: Character) -> Bool {
    switch (key, page) {
    case ("?", .help(let number)): page = .help(number + 1)
    case ("?", _): page = .help(0)
    case ("n", .marks(let number)): page = .marks(number + 1)
    case ("n", nil) where prompt == nil: page = .marks(0)
    case ("\u{3}", _), (_, nil): return false
    default: page = nil
    }
    return true
  }

  /// Pauses and goes on, stops, or begins anew.
  private mutating func steer(_ key: Character) -> Effect {
    switch (key, course) {
    case (" ", .running), ("p", .running):
      course = .paused
      note("pause")
    case (" ", .paused), ("p", .paused):
      course = .running
      search.restart()
      note(RecordedMark.goesOn)
    case ("x", .running), ("x", .paused): prompt = .stop
    case ("b", .stopped):
      course = .running
      beginAnew()
      note(RecordedMark.start)
    default: return .nothing
    }
    return .redraw
  }

  /// Forgets all that was found: the next sample is the first of another measurement.
  private mutating func beginAnew() {
    search.begin()
    search.restart()
    search.analysis.begin()
  }

  /// Notes that what was asked for has been done.
  private mutating func confirm() -> Effect {
    guard let action = search.advice(at: now).action else { return .nothing }
    switch action {
    case .close(let hatch): note(search.moved(hatch, isOpen: false, at: now))
    case .open(let hatch): note(search.moved(hatch, isOpen: true, at: now))
    default: return .nothing
    }
    return .moved(action)
  }

  /// Notes a hatch that was moved and is not known: what was before tells nothing of what is now.
  private mutating func movedElsewhere() -> Effect {
    search.movedElsewhere()
    note("hatch")
    return .redraw
  }

  /// Does what an answer means; any other key than those asked for does nothing.
  private mutating func answer(_ prompt: Prompt, with key: Character) -> Effect {
    self.prompt = nil
    switch (prompt, key) {
    case (.export, "s"): return .export(ends: true)
    case (.export, "g"): return .export(ends: false)
    case (.stop, "y"):
      course = .stopped
      isSearching = false
      note("stop")
      return .redraw
    case (.initial, "y"):
      search.analysis.resetInitial()
      note("initial")
      return .redraw
    case (.hatch, "0"): return movedElsewhere()
    case (.hatch(let names), _):
      guard let hatch = Prompt.hatch(key), hatch < names.count else { return .redraw }
      let opens = !search.isOpen[hatch]
      search.dropPlan()
      note(search.moved(hatch, isOpen: opens, at: now))
      return .moved(opens ? .open(hatch) : .close(hatch))
    default: return .redraw
    }
  }

  /// Notes what became of an export.
  package mutating func exported(_ sentence: String, isFailure: Bool, hasEnded: Bool) {
    export = (sentence, isFailure)
    if hasEnded { (recording, recordingFails) = (nil, false) }
  }
}
