package import Barometry
package import Environment
import Parts
package import Quantities
import Reports
package import Rigs
package import Runs
package import Support

/// The state of a watch: its samples, their analysis, and the user's actions.
package struct WatchState {
  /// The purpose of a watch.
  package enum Purpose: String, CaseIterable, Sendable {
    /// The watch detects leaks of a cabin.
    case cabin
    case weather
  }

  package struct Sample {
    package let time: Double
    package let values: AirReading
    /// The quantities outside the sensor's specified range.
    package let outside: [Quantity]

    /// The pressure in Pa, which every sample has.
    var pascals: Double { values.pressure ?? .nan }
    /// The temperature in °C, which every sample has.
    var celsius: Double { values.temperature ?? .nan }
  }

  /// A named time in the watch, such as the time of a pause or an alarm.
  package struct Mark: Hashable {
    package let time: Double
    package let name: String
  }

  package let purpose: Purpose
  /// The name of the sensor.
  package let name: String
  /// `true` if calendar times are known; otherwise only the time since the start is known.
  package let hasDate: Bool
  /// The user's settings.
  package var settings: WatchSettings

  package private(set) var samples: [Sample] = []
  /// The number of samples, including those recalled from a recording.
  package private(set) var count = 0
  package private(set) var marks: [Mark] = []
  /// The search for a leak, with the analysis of the pressure.
  var search: LeakSearch
  /// The locations of the modules in the drawing; `nil` without a known plan.
  let layout: CabinDrawing.Layout?
  /// `true` if the volumes of the modules are known.
  ///
  /// Default: `false`.
  package var knowsVolumes = false
  /// `true` if equal samples in sequence indicate a fault of the sensor.
  ///
  /// Default: `true`.
  package var expectsNoise = true
  /// A sentence about a history that cannot be used, or only in part; `nil` if there is none.
  package var historyNotice: String?
  /// `true` if the guided search for a leak is active.
  var isSearching = false
  /// The result of the last hatch test.
  var answer: String?
  /// The state of the alarm that calls the crew to its safe haven when the reserve time is short.
  private(set) var haven: SafeHaven
  /// The last reported pressure level.
  private var level = CabinLevel.usual
  /// `true` if the terminal's bell must ring.
  private var isRinging = false
  /// The pressures of the last hours, at sea level if the altitude is known.
  private(set) var history = PressureHistory(retention: 4 * TimeSpan.hour)
  /// The station whose forecasts are displayed.
  package private(set) var station: WatchStation
  /// Returns how often rain followed a forecast, as a sentence; `nil` if unknown.
  ///
  /// Default: no odds.
  package var odds: ((Pipeline.Forecaster, String) -> String?)?
  /// The state of a measurement.
  package enum Course: Hashable, Sendable {
    /// Samples are being taken.
    case running
    /// Paused; the measurement can be resumed.
    case paused
    /// Ended; a new measurement can be started.
    case stopped
  }

  /// The state of this measurement.
  package internal(set) var course = Course.running
  /// `true` if samples are being taken.
  package var isRunning: Bool { course == .running }
  /// The error of the last sample.
  private(set) var failure: String?
  /// The displayed time, in seconds of the sensor's clock and in nanoseconds since 1970.
  private(set) var now = 0.0, moment: Int64 = 0
  /// A page that is displayed instead of the current values.
  package enum Page: Hashable {
    /// A page of the help or of the marks, by index from 0.
    case help(Int), marks(Int)
    /// The chart of the crew's reserve time.
    case chart
    /// The drawing of the cabin.
    case drawing
  }

  /// The page that is displayed instead of the current values; `nil` for none.
  package var page: Page?

  /// The visible section of the graph.
  package internal(set) var view = GraphView()
  /// The open prompt; `nil` for none.
  package internal(set) var prompt: Prompt?
  /// The status of the recording.
  private(set) var recording: String?
  private(set) var recordingFails = false
  /// The result of the last export.
  private(set) var export: (sentence: String, isFailure: Bool)?
  /// The marks that are not recorded yet.
  private var unrecordedMark = ""

  /// The number of marks that the user has set.
  private var typedMarks = 0

  /// The maximum number of samples in the graph.
  private static let capacity = 20_000

  /// Creates a watch.
  ///
  /// - Parameters:
  ///   - purpose: the purpose.
  ///   - name: the name of the sensor.
  ///   - settings: the user's settings.
  ///   - limit: the evacuation pressure in Pa. Default: 490 mmHg.
  ///   - hasDate: `true` if calendar times are known.
  ///   - cabin: the modules and hatches, if known, and the module of the sensor.
  ///   - specified: the specified pressure range of the sensor in Pa, if known.
  ///   - haven: the reserve time in seconds below which the safe haven is called.
  ///   - station: the station whose forecasts are displayed. Default: Zambretti's, at unknown
  ///     altitude.
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
    layout = cabin.map { CabinDrawing.Layout($0.plan) }
    search = LeakSearch(analysis, plan: cabin?.plan, module: cabin?.module ?? 0)
    self.haven = SafeHaven(least: haven)
  }

  /// The analysis of the pressure.
  package var analysis: LeakAnalysis { search.analysis }

  /// Restores recorded samples, so the graph and the trend continue.
  ///
  /// - Parameter past: the samples in order, in times of the sensor's clock; samples that are not
  ///   newer than the last existing one are skipped.
  package mutating func recall(_ past: [(time: Double, values: AirReading, mark: String)]) {
    for row in past {
      let words = RecordedMark(row.mark)
      let names = words.mark.split(separator: ";").map { $0.drop { $0 == " " } }
      if names.contains(RecordedMark.newRun[...]) {
        // The times do not continue: the earlier samples belong to another run.
        (samples, marks) = ([], [])
        history = PressureHistory(retention: 4 * TimeSpan.hour)
        restart()
      } else if names.contains(RecordedMark.start[...]) {
        restart()
      } else if names.contains(RecordedMark.resumed[...]) {
        search.restart()
      }
      if !words.mark.isEmpty { marks.append(Mark(time: row.time, name: words.mark)) }
      // A mark between samples has a row without values.
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

  /// Advances the displayed time, and updates the forecasts or alarms that depend on it.
  package mutating func pass(to now: Double, moment: Int64) {
    (self.now, self.moment) = (now, moment)
    guard purpose == .cabin else { return station.pass(to: Self.nanoseconds(now)) }
    for sentence in search.move(until: UInt64(max(now, 0) * 1e9)) { note(sentence) }
    judgeHaven()
  }

  /// Calls the crew to its safe haven as soon as the reserve time is too short.
  private mutating func judgeHaven() {
    guard course != .stopped, let found = analysis.assessment(at: now) else { return }
    // The call is the first word, also in the recording.
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

  /// Returns `true` if the bell must ring, and resets that state.
  package mutating func takeBell() -> Bool {
    defer { isRinging = false }
    return isRinging
  }

  /// Requests a forecast now.
  ///
  /// - Returns: the time in seconds until the answer; `nil` if it is unknown.
  @discardableResult
  package mutating func requestForecast() -> Double? {
    guard purpose == .weather else { return nil }
    note("forecast requested")
    return station.request(at: Self.nanoseconds(now)).map { Double($0) / 1e9 - now }
  }

  /// The forecasts of the last cycle, as an answer to a request; `nil` before the end of a cycle.
  package var answerToRequests: ForecastAnswer? {
    guard let end = station.end else { return nil }
    let time = moment + end - Self.nanoseconds(now)
    let forecasts = station.outlooks(month: UTCTime.month(time)).map { method, outlook in
      switch outlook {
      case .forecast(let word, let text, let rate):
        ForecastAnswer.Forecast(method: method.rawValue, word: word, text: text, rate: rate)
      case .pending(let reason, _):
        ForecastAnswer.Forecast(method: method.rawValue, word: nil, text: reason, rate: nil)
      }
    }
    return ForecastAnswer(station: name, moment: time, pressure: station.mean, forecasts)
  }

  /// Adds a mark at the current time, also in the recording.
  mutating func note(_ words: String) {
    marks.append(Mark(time: now, name: words))
    // The marks share one field of a recorded row, which contains no commas.
    let plain = words.replacing(",", with: ";")
    unrecordedMark += unrecordedMark.isEmpty ? plain : "; \(plain)"
  }

  /// Handles an event of the sensor: a reading or an error.
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
      return fail("the sensor does not measure pressure and temperature")
    }
    failure = nil
    if samples.count == Self.capacity { samples.removeFirst(Self.capacity / 4) }
    samples.append(Sample(time: time, values: sample.values, outside: outside))
    count += 1
    search.analysis.period = Double(settings.period)
    if let finding = search.take(pascals, celsius: celsius, at: time), purpose == .cabin {
      let sentence = RunEvent.SearchStep.Step(finding).sentence
      // The request says that a hatch is overdue; the answer of the test remains.
      if case .overdue = finding {} else { answer = sentence }
      note(sentence)
    }
    guard purpose == .weather else { return }
    let reduced = station.forecasters.reduced(pascals, at: Self.nanoseconds(time), celsius)
    try? history.append(PressurePoint(time: Self.nanoseconds(time), pascals: reduced))
    station.take(sample.values, outside: outside, at: Self.nanoseconds(time))
  }

  /// Converts a time of the sensor's clock to the history's unit.
  private static func nanoseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }

  /// Returns the last field of the last sample's row in the recording, and clears the marks that it
  /// contains.
  package mutating func takeMark() -> String {
    defer { unrecordedMark = "" }
    return RecordedMark(unrecordedMark, outside: samples.last?.outside ?? []).text
  }

  /// Returns and clears the marks set between samples, for a separate row.
  ///
  /// - Returns: the marks and their time in nanoseconds since 1970; `nil` if there are none.
  package mutating func takeLoneMark() -> (mark: String, moment: Int64)? {
    guard !unrecordedMark.isEmpty else { return nil }
    defer { unrecordedMark = "" }
    return (unrecordedMark, moment)
  }

  /// Updates the status of the recording.
  package mutating func recorded(_ rows: Int, runs: Int = 1, _ failure: String?) {
    recording =
      failure.map { "RECORDING FAILS: \($0)" }
      ?? "recorded \(rows) rows\(runs > 1 ? ", run \(runs)" : "")"
    recordingFails = failure != nil
  }

  /// Records the error of a sample.
  private mutating func fail(_ reason: String) {
    failure = reason
    search.fail()
  }

  /// Updates the result of the last export.
  package mutating func exported(_ sentence: String, isFailure: Bool, hasEnded: Bool) {
    export = (sentence, isFailure)
    if hasEnded { (recording, recordingFails) = (nil, false) }
  }
}

/// Derived properties of a watch.
extension WatchState {
  /// The number of latest samples that are identical; a large number indicates a fault, because a
  /// working sensor has noise.
  package var alike: Int {
    guard let last = samples.last else { return 0 }
    return samples.reversed().prefix { $0.values == last.values }.count
  }

  /// `true` if the guided search for a leak has requested an action that the user can confirm.
  var canConfirm: Bool { isSearching && search.advice(at: now).action != nil }
}

/// The hatches of a cabin in command-line notation: `node-service,service-cargo`.
package struct HatchList {
  /// The modules and hatches, and the module of the sensor; volumes and air are unknown.
  package let plan: (plan: CabinPlan, module: Int)

  /// Parses a list.
  ///
  /// - Parameters:
  ///   - text: pairs of modules separated by hyphens, with commas between the pairs.
  ///   - sensor: the module of the sensor. Default: the first module named.
  /// - Throws: `Failure` of kind usage if the list is invalid.
  package init(_ text: String, sensor: String?) throws(Failure) {
    var names: [String] = []
    var hatches: [CabinPlan.Hatch] = []
    func index(_ name: String) -> Int {
      if let index = names.firstIndex(of: name) { return index }
      names.append(name)
      return names.count - 1
    }
    guard let pairs = CSV.fields(of: text.utf8, CSV.Form(isPadded: true)), !pairs.isEmpty else {
      throw Failure(
        .usage, "--hatches: '\(text)' is not a list of hatches such as node-service,service-cargo")
    }
    for pair in pairs {
      let ends = pair.split(separator: "-", omittingEmptySubsequences: false).map {
        String($0.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
      }
      guard ends.count == 2, ends.allSatisfy({ !$0.isEmpty }), ends[0] != ends[1] else {
        throw Failure(
          .usage,
          "--hatches: '\(pair)' is not a pair of modules such as node-service")
      }
      hatches.append(CabinPlan.Hatch(index(ends[0]), index(ends[1])))
    }
    guard let module = sensor.map({ names.firstIndex(of: $0) }) ?? 0 else {
      let hint = NearestWord.hint(sensor ?? "", among: names)
      throw Failure(.usage, "--module: unknown module '\(sensor ?? "")'\(hint)")
    }
    let plan = CabinPlan(
      modules: names.map { CabinPlan.Module(name: $0, volume: 1) }, hatches: hatches,
      air: Air(pressure: 101_325, temperature: 21, humidity: 50))
    self.plan = (plan, module)
  }
}

/// The keys of a watch.
extension WatchState {
  /// Handles a key.
  package mutating func press(_ key: Character) -> Effect {
    if turn(key) { return .redraw }
    if let prompt, key != "\u{3}" { return answer(prompt, with: key) }
    let past = (samples.last?.time ?? 0) - (samples.first?.time ?? 0)
    if view.press(key, scale: Double(settings.scale), past: past) { return .redraw }
    switch key {
    case "q", "\u{3}": return .quit
    case " ", "p", "x", "b": return steer(key)
    case "m":
      // Recorded at once, so that the words can be typed later.
      typedMarks += 1
      note("mark \(typedMarks)")
      prompt = .mark(typedMarks, typed: [])
      return .redraw
    case "a" where purpose == .weather:
      requestForecast()
      return .redraw
    case "e" where recording != nil:
      prompt = .export
      return .redraw
    case "o" where purpose == .cabin:
      view.showsRun.toggle()
      return .redraw
    case "v" where purpose == .cabin && search.plan != nil:
      page = .drawing
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

  /// Handles pasted text, which belongs to the words of a mark; it is never a command.
  package mutating func paste(_ text: [UInt8]) -> Effect {
    for byte in text {
      guard case .mark(let number, let typed) = prompt else { break }
      // The end of a line does not end the words.
      let scalar = Unicode.Scalar(byte < 0x20 || byte == 0x7F ? 0x20 : byte)
      _ = type(Character(scalar), mark: number, after: typed)
    }
    return .redraw
  }

  /// Handles the keys of the help and marks pages.
  ///
  /// Any other key except Ctrl-C closes the page. Returns `true` if the key was handled.
  private mutating func turn(_ key: Character) -> Bool {
    switch (key, page) {
    case ("?", .help(let number)): page = .help(number + 1)
    case ("?", _) where prompt == nil: page = .help(0)
    case ("n", .marks(let number)): page = .marks(number + 1)
    case ("n", nil) where prompt == nil: page = .marks(0)
    case ("\u{3}", _), (_, nil): return false
    default:
      page = nil
      // A key that acts on the cabin is not lost because a page was open.
      return !"xghym".contains(key)
    }
    return true
  }

  /// Pauses, resumes, stops or restarts the measurement.
  private mutating func steer(_ key: Character) -> Effect {
    switch (key, course) {
    case (" ", .running), ("p", .running):
      course = .paused
      note("pause")
    case (" ", .paused), ("p", .paused):
      course = .running
      search.restart()
      note(RecordedMark.resumed)
    case ("x", .running), ("x", .paused): prompt = .stop
    case ("b", .stopped):
      course = .running
      restart()
      note(RecordedMark.start)
    default: return .nothing
    }
    return .redraw
  }

  /// Discards all results; the next sample starts a new measurement.
  mutating func restart() {
    search.begin()
    search.restart()
    search.analysis.begin()
  }

  /// Handles the key by which the crew confirms that it has moved the hatch that the guided search
  /// requested.
  private mutating func confirm() -> Effect {
    guard let action = search.advice(at: now).action else { return .nothing }
    switch action {
    case .close(let hatch): note(search.moved(hatch, isOpen: false, at: now))
    case .open(let hatch): note(search.moved(hatch, isOpen: true, at: now))
    default: return .nothing
    }
    return .moved(action)
  }

  /// Handles the key by which the crew reports that an unspecified hatch was moved, which
  /// invalidates the earlier results of the search.
  private mutating func movedElsewhere() -> Effect {
    search.movedElsewhere()
    note("hatch")
    return .redraw
  }

  /// Handles a key while the words of a mark are typed.
  private mutating func type(
    _ key: Character, mark number: Int, after typed: [UInt8]
  ) -> Effect {
    var typed = typed
    switch key.unicodeScalars.first?.value ?? 0 {
    case 0x0A, 0x0D:
      let words = Prompt.words(typed)
      guard !words.isEmpty else { return .redraw }
      let index = marks.lastIndex { $0.name == "mark \(number)" }
      note("mark \(number): \(words)")
      let last = marks.removeLast()
      // On the screen, the words are at the time of the key.
      if let index { marks[index] = Mark(time: marks[index].time, name: last.name) }
      return .redraw
    case 0x1B: return .redraw
    case 0x08, 0x7F:
      // A character of UTF-8 has up to three bytes after the first.
      while let byte = typed.popLast(), byte & 0xC0 == 0x80 {}
    case let byte where byte >= 0x20 && byte <= 0xFF && typed.count < 120:
      typed.append(UInt8(byte))
    default: break
    }
    prompt = .mark(number, typed: typed)
    return .redraw
  }

  /// Handles the answer to a prompt; unexpected keys cancel the prompt.
  private mutating func answer(_ prompt: Prompt, with key: Character) -> Effect {
    self.prompt = nil
    if case .mark(let number, let typed) = prompt { return type(key, mark: number, after: typed) }
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
}

extension WatchState {
  /// A prompt before an action that cannot be undone.
  package enum Prompt: Hashable, Sendable {
    /// Asks whether the recording ends or continues after its export.
    case export
    /// Asks whether to reset the initial pressure.
    case initial
    /// Asks whether to end the measurement.
    case stop
    /// Asks for the words of a mark, which are typed as UTF-8.
    case mark(Int, typed: [UInt8])
    /// Asks which hatch was moved; the texts name each hatch and its state.
    case hatch([String])

    /// The text of the prompt.
    var text: String {
      switch self {
      case .export: "export: s stop recording, g continue recording, any other key: cancel"
      case .initial: "use this pressure as the initial pressure? y yes, any other key: no"
      case .stop: "stop measuring? a new measurement can be started later. y yes, any other key: no"
      case .mark(let number, let typed):
        "mark \(number): \(Self.words(typed))▏ Enter sets these words, Esc none"
      case .hatch(let names):
        "which hatch was moved? "
          + zip(Self.keys, names).map { "\($0) \($1)".replacing(" ", with: "\u{A0}") }
          .joined(separator: ", ") + ", 0\u{A0}another\u{A0}hatch, any other key: cancel"
      }
    }

    /// Returns the typed words without control characters and surrounding blanks.
    static func words(_ typed: [UInt8]) -> String {
      String(decoding: typed, as: UTF8.self).visible.split(separator: " ").joined(separator: " ")
    }

    /// The keys that select hatches, in order.
    static let keys = "123456789abcdefghijklmnopqrstuvwxyz"

    /// Returns the index of the hatch that a key selects.
    static func hatch(_ key: Character) -> Int? {
      keys.firstIndex(of: key).map { keys.distance(from: keys.startIndex, to: $0) }
    }
  }

  /// The effect of a key.
  package enum Effect: Sendable {
    /// Redraws the screen.
    case redraw
    /// Saves the changed settings.
    case settings
    /// The crew moved a hatch.
    case moved(CabinPlan.Action)
    /// The crew moves the hatches from now on, so the rig's schedule of moves is cancelled.
    case leads
    /// Exports the recording and ends or continues it.
    case export(ends: Bool)
    /// Ends the watch.
    case quit
    /// No effect.
    case nothing
  }
}
