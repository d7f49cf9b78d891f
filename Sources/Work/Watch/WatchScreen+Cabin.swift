package import Barometry
import Environment
import Quantities
import Reports
import Runs
package import Support

extension WatchScreen {
  /// The status in words, such as `LEAK`.
  package func word(_ found: LeakAssessment) -> String {
    guard state.purpose == .cabin else { return plain(found) }
    var words = state.haven.isCalled ? ["SAFE HAVEN"] : []
    // Dangerous pressure is always displayed, even if the sensor does not respond or the watch is
    // paused.
    if let level = found.level.words { words.append("\(level)") }
    // A leak continues during a pause.
    let isLeaking =
      found.status == .leak || state.haven.isLeakUnobserved || state.search.isUnderWay
    if state.course != .stopped, isLeaking {
      words.append("LEAK")
    }
    if !words.contains(plain(found)) { words.append(plain(found)) }
    return words.joined(separator: "  ")
  }

  private func plain(_ found: LeakAssessment) -> String {
    switch state.course {
    case .running: break
    case .paused: return "PAUSED"
    case .stopped: return "STOPPED"
    }
    let isOld = found.status == .stale || found.status == .fault
    // Weather rises and falls; only a cabin leaks.
    if state.purpose == .weather, !isOld {
      return found.isOutside ? "OUTSIDE SPECIFICATION" : weatherWord
    }
    return "\(found.status.name)".uppercased()
  }

  /// The colour of the status.
  package func look(_ found: LeakAssessment) -> Style.Look {
    let isOld = found.status == .stale || found.status == .fault
    guard state.purpose == .cabin || isOld else { return found.isOutside ? .yellow : .cyan }
    return isAlarm(found) ? .red : found.status.look
  }

  /// `true` if the crew must be alerted, whatever page is open.
  func isAlarm(_ found: LeakAssessment) -> Bool {
    state.purpose == .cabin
      && (state.haven.isCalled || found.level != .usual || found.status == .leak
        || state.haven.isLeakUnobserved)
  }

  /// The reserve time and the rates of a cabin.
  package func cabin(_ found: LeakAssessment, _ isOld: Bool, _ width: Int) -> [Line] {
    let perMinute = 60 / unit.pascals
    var lines: [Line] = []
    for rate in found.rates where [30, 300].contains(rate.window) {
      let text = isOld ? "-" : slope(rate.value, rate.uncertainty, perMinute)
      lines += wrapped(
        "rate \(Int(rate.window)) s, n \(rate.count): \(text)", width, rank: .rates)
    }
    if let alarm = beyond(found) {
      return wrapped(alarm, width, .red, rank: .reserve) + reserve(found, width) + lines
    }
    if state.course != .stopped, let left = state.haven.unobservedTime(found) {
      return unseen(left.seconds, isLeast: left.isLeast, width) + lines
    }
    if state.course == .paused, let left = found.reserve?.bound {
      return unseen(left, isLeast: true, width) + lines
    }
    if let obstacle = noReserve(found, isOld) {
      let look: Style.Look = found.leak == nil ? .faint : .red
      // The reason for an unknown reserve time has priority over the number.
      let isPending = state.course == .running && !isOld && found.status == .leak
      let reason = isPending && found.most == nil ? found.pending : ""
      let most = isPending ? found.most.map { "\(Decimal.fixed($0 / 60, 1)) min" } : nil
      return wrapped(obstacle, width, look, rank: .reserve)
        + (most.map { large($0, width) } ?? [])
        + (reason.isEmpty ? [] : wrapped(reason, width, .faint, rank: .meaning)) + lines
    }
    return reserve(found, width) + lines
  }

  private func slope(_ value: Double, _ uncertainty: Double, _ perMinute: Double) -> String {
    // Constant width, so that 40 columns are enough for the rate and its window.
    let isShown = uncertainty * perMinute >= 0.0005
    let doubt = isShown ? "± \(Decimal.fixed(uncertainty * perMinute, 3))" : "±<0.001"
    return "\(Decimal.signed(value * perMinute, 3)) \(doubt) \(unit.symbol)/min"
  }

  /// The warning for a pressure outside the survivable range.
  private func beyond(_ found: LeakAssessment) -> String? {
    let millimetre = PressureUnit.millimetreOfMercury.pascals
    switch found.level {
    case .usual: return nil
    case .low where found.pressure < LeakAnalysis.lowerLimit + millimetre:
      return
        "NO TIME LEFT: under \(inUnit(LeakAnalysis.lowerLimit, 1)), the lowest survivable pressure"
    case .low: return "NO TIME LEFT: under the limit of \(inUnit(found.limit, 1))"
    case .high: return "over \(inUnit(CabinLevel.highest, 0)): overpressure"
    }
  }

  /// Formats a limit in the chosen unit, and in mmHg, which crews use.
  private func inUnit(_ pascals: Double, _ digits: Int) -> String {
    let millimetre = PressureUnit.millimetreOfMercury.pascals
    let text = "\(Decimal.fixed(pascals / millimetre, digits)) mmHg"
    guard unit != .millimetreOfMercury else { return text }
    // With a resolution of at least 0.1 mmHg.
    var (decimals, size) = (0, unit.pascals)
    while size > millimetre, decimals < 4 { (decimals, size) = (decimals + 1, size / 10) }
    return "\(Decimal.fixed(pascals / unit.pascals, decimals)) \(unit.symbol) (\(text))"
  }

  /// The lines with the reserve time according to the last samples, displayed while no new samples
  /// arrive.
  private func unseen(_ left: Double, isLeast: Bool, _ width: Int) -> [Line] {
    guard left > 0 else {
      return wrapped(
        "NO TIME LEFT according to the last samples; no new data", width, .red, rank: .reserve)
    }
    let end = clock(state.now + left) + (state.hasDate ? " UTC" : "")
    return [
      row(
        "RESERVE at \(isLeast ? "least" : "most") \(Decimal.fixed(left / 60, 1)) min according to the last samples",
        .red,
        width: width, rank: .reserve),
      row("  runs out at \(end)", .red, width: width, rank: .time),
      row("no new data", .red, width: width, rank: .meaning),
    ]
  }

  /// The reason why no reserve time is displayed; `nil` if one is displayed.
  private func noReserve(_ found: LeakAssessment, _ isOld: Bool) -> String? {
    switch state.course {
    case .running: break
    case .paused: return "paused, no new data: no reserve time; p resumes"
    case .stopped: return "stopped, no new data: no reserve time; b starts a new measurement"
    }
    if isOld { return "no new data: no reserve time" }
    if found.reserve != nil { return nil }
    switch found.status {
    case .leak:
      return found.most.map {
        "RESERVE at most \(Decimal.fixed($0 / 60, 1)) min, from the pressure alone; minimum not known yet"
      } ?? "RESERVE not known yet"
    case .settling: return "too little data yet: no reserve time"
    case .outside: return "outside the sensor's specification: no reserve time"
    case .low, .high: return nil
    default: return "no fall: no reserve time"
    }
  }

  /// The lines with the reserve time; the minimum comes first.
  private func reserve(_ found: LeakAssessment, _ width: Int) -> [Line] {
    guard let reserve = found.reserve, let lower = found.lowerReserve,
      let seconds = found.secondsPerMillimetre, let leak = found.leak?.rate
    else { return [] }
    func minutes(_ seconds: Double) -> String {
      seconds > 86_400 ? "> 24 h" : "\(Decimal.fixed(seconds / 60, 1)) min"
    }
    func limit(_ pascals: Double, _ digits: Int, _ left: LeakAssessment.Reserve, _ rank: Rank)
      -> [Line]
    {
      wrapped(
        "\(minutes(left.bound)) to \(inUnit(pascals, digits)), "
          + "probably \(minutes(left.expected))", width, rank: rank)
    }
    let isLeft = reserve.bound > 0
    var lines =
      isLeft
      ? [row("RESERVE at least \(minutes(reserve.bound))", .red, width: width, rank: .reserve)]
      : []
    if isLeft, reserve.bound < 86_400 {
      lines += large(minutes(reserve.bound), width)
      let end = clock(state.now + reserve.bound) + (state.hasDate ? " UTC" : "")
      lines.append(row("  runs out at \(end)", .red, width: width, rank: .time))
    }
    lines.append(t1mm(seconds, leak, width))
    if isLeft { lines += limit(found.limit, 0, reserve, .limits) }
    if lower.bound > 0 { lines += limit(LeakAnalysis.lowerLimit, 1, lower, .lowerLimit) }
    if let hole = hole(found.pressure, seconds) {
      lines += wrapped(hole, width, rank: .rates)
    }
    let rate = slope(leak.value, leak.uncertainty, 60 / unit.pascals)
    lines += wrapped("leak \(Int(leak.span)) s, n \(leak.count): \(rate)", width, rank: .rates)
    return lines
      + (differs(found, from: leak) ? wrapped(Self.rule, width, .faint, rank: .rates) : [])
  }

  /// The diameter of a round hole that causes the fall, at the cabin's pressure; `nil` if the volumes
  /// of the modules are not known.
  private func hole(_ pascals: Double, _ t1mm: Double) -> String? {
    guard let plan = state.search.plan, state.knowsVolumes else { return nil }
    let joined = plan.joined(with: state.search.module, state.search.isOpen)
    let volume = joined.reduce(0) { $0 + plan.modules[$1].volume }
    let metres = ReserveChart.hole(at: pascals, t1mm: t1mm, volume: volume)
    return "hole \(Decimal.fixed(metres * 1000, 1)) mm if round, for \(Decimal.fixed(volume, 0)) m3"
  }

  /// The line with T1mm (the time in which the pressure falls by 1 mmHg) and, if there is room, the
  /// rate.
  private func t1mm(
    _ seconds: Double, _ leak: LeakAssessment.Rate, _ width: Int
  ) -> Line {
    let rate = slope(leak.value, leak.uncertainty, 60 / unit.pascals)
    let text = "T1mm \(Decimal.fixed(seconds, 1)) s"
    let choices = ["\(text) to fall by 1 mmHg, \(rate)", "\(text), \(rate)"]
    return row(
      choices.first { $0.count <= width } ?? text, .red, width: width, rank: .meaning)
  }

  /// The line that explains why the displayed rates over fixed time windows differ from the rate of
  /// the leak.
  private static let rule =
    "rates: at constant temperature, over the whole window; leak: rate of the pressure since the fall began"

  /// Returns `true` if the rate over a fixed time window differs so much from the rate of the leak
  /// that the screen must explain it.
  private func differs(_ found: LeakAssessment, from leak: LeakAssessment.Rate) -> Bool {
    found.rates.contains { rate in
      [30, 300].contains(rate.window)
        && abs(rate.value - leak.value) > max(abs(leak.value) / 20, 3 * rate.uncertainty)
    }
  }
}

extension WatchScreen {
  /// Returns the page with the drawing of the cabin.
  ///
  /// - Parameters:
  ///   - width: the available columns.
  ///   - room: the available rows.
  /// - Returns: the lines of the page.
  func drawing(_ width: Int, _ room: Int) -> [Line] {
    guard let plan = state.search.plan else { return [] }
    let search = state.search
    let drawing = CabinDrawing(
      plan, isOpen: search.isOpen, sensors: [search.module], suspects: search.shownSuspects,
      layout: state.layout)
    return drawing.lines(columns: width, rows: room - 1, style).map {
      Line(text: $0.text, width: $0.width)
    } + wrapped(CabinDrawing.legend, width, .faint)
  }

  /// The action that the guided search for the leak requests from the crew, and the result of the
  /// last hatch test.
  func searching(_ width: Int) -> [Line] {
    guard state.isSearching else { return [] }
    return wrapped("SEARCH: \(request)", width, .bold, rank: .reserve)
      + (state.answer.map { wrapped("last answer: \($0)", width, rank: .meaning) } ?? [])
  }

  /// The action that the guided search for the leak requests from the crew, as a sentence.
  private var request: String {
    let search = state.search
    func until(_ time: Double) -> String {
      "\(clock(time, isShort: true)) (in \(Decimal.fixed(max(time - state.now, 0), 0)) s)"
    }
    switch search.advice(at: state.now) {
    case .watch:
      // After a hatch was moved, the rate is not yet known.
      let isNew = state.analysis.assessment(at: state.now)?.status == .settling
      return isNew
        ? "wait, the rate is being measured again" : "no fall; nothing to close"
    case .measure: return "wait, T1mm is being measured"
    case .close(let hatch, let longest):
      return
        "close hatch \(search.name(hatch)), then press y; it may stay closed for \(Decimal.fixed(longest, 0)) s"
    case .divide(let hatch):
      return
        "close hatch \(search.name(hatch)), then press y; it stays closed during the search, so that other hatches of the ring separate modules"
    case .restore(let hatch):
      return "the leak is shut off: open hatch \(search.name(hatch)) again, then press y"
    case .wait(let hatch, let time):
      return "wait; open \(search.name(hatch)) again by \(until(time)), then press y"
    case .open(let hatch, let time):
      return time < state.now
        ? "open \(search.name(hatch)) NOW: \(Decimal.fixed(state.now - time, 0)) s overdue, "
          + "and the air may hold it shut; then press y"
        : "open \(search.name(hatch)) again by \(until(time)), then press y"
    case .shut(let modules, let hatches):
      return
        "the leak is in \(modules.joined(separator: " or ")): close \(search.name(hatches[0])) for good, then press y"
    case .isOver(let modules):
      return "the leak is in \(modules.joined(separator: " or ")), shut off"
    case .stay(let modules):
      return "the leak is in \(modules.joined(separator: " or ")); no hatch can narrow it further"
    }
  }
}
