package import Barometry
import Quantities
import Reports
package import Text

extension WatchScreen {
  /// How it stands, in a word.
  package func word(_ found: LeakAssessment) -> String {
    if state.purpose == .cabin, state.haven.isCalled { return "SAFE HAVEN  \(plain(found))" }
    return plain(found)
  }

  private func plain(_ found: LeakAssessment) -> String {
    switch state.course {
    case .running: break
    case .paused: return "PAUSED"
    case .stopped: return "STOPPED"
    }
    let isOld = found.status == .stale || found.status == .fault
    // Weather rises and falls; only a cabin leaks.
    if state.purpose == .weather, !isOld, found.status != .outside { return weatherWord }
    return "\(found.status.name)".uppercased()
  }

  /// The colour of that word.
  package func look(_ found: LeakAssessment) -> Style.Look {
    if state.purpose == .cabin, state.haven.isCalled { return .red }
    let isOther = [.stale, .fault, .outside].contains(found.status)
    return state.purpose == .weather && !isOther ? .cyan : found.status.look
  }

  /// The time that is left, and the rates of a cabin.
  package func cabin(_ found: LeakAssessment, _ isOld: Bool, _ width: Int) -> [Line] {
    let perMinute = 60 / unit.pascals
    var lines = searching(width)
    for rate in found.rates where [30, 300].contains(rate.window) {
      let text = isOld ? "-" : slope(rate.value, rate.uncertainty, perMinute)
      lines += wrapped(
        "rate \(Int(rate.window)) s, n \(rate.count): \(text)", width, rank: .rates)
    }
    if let obstacle = noReserve(found, isOld) {
      let look: Style.Look = found.leak == nil ? .faint : .red
      return wrapped(obstacle, width, look, rank: .reserve) + lines
    }
    return reserve(found, width) + lines
  }

  private func slope(_ value: Double, _ uncertainty: Double, _ perMinute: Double) -> String {
    "\(Decimal.signed(value * perMinute, 3)) ± \(Decimal.fixed(uncertainty * perMinute, 3)) "
      + "\(unit.symbol)/min"
  }

  /// Why no reserve time is shown, where none is.
  private func noReserve(_ found: LeakAssessment, _ isOld: Bool) -> String? {
    switch state.course {
    case .running: break
    case .paused: return "paused, no new data: no reserve time; p goes on"
    case .stopped: return "stopped, no new data: no reserve time; b begins anew"
    }
    if isOld { return "no new data: no reserve time" }
    if found.reserve != nil { return nil }
    switch found.status {
    case .leak: return "RESERVE not known yet"
    case .settling: return "too little data yet: no reserve time"
    case .outside: return "outside the sensor's specification: no reserve time"
    default: return "no fall: no reserve time"
    }
  }

  /// The time that is left, the least of it first.
  private func reserve(_ found: LeakAssessment, _ width: Int) -> [Line] {
    guard let reserve = found.reserve, let lower = found.lowerReserve,
      let seconds = found.secondsPerMillimetre, let leak = found.leak?.rate
    else { return [] }
    let millimetre = PressureUnit.millimetreOfMercury.pascals
    func minutes(_ seconds: Double) -> String {
      seconds > 86_400 ? "> 24 h" : "\(Decimal.fixed(seconds / 60, 1)) min"
    }
    func limit(_ pascals: Double, _ digits: Int, _ left: LeakAssessment.Reserve, _ rank: Rank)
      -> [Line]
    {
      wrapped(
        "\(minutes(left.bound)) to \(Decimal.fixed(pascals / millimetre, digits)) mmHg, "
          + "probably \(minutes(left.expected))", width, rank: rank)
    }
    var lines = [
      row("RESERVE at least \(minutes(reserve.bound))", .red, width: width, rank: .reserve)
    ]
    if reserve.bound < 86_400 {
      let end = clock(state.now + reserve.bound) + (state.hasDate ? " UTC" : "")
      lines.append(row("  runs out \(end)", .red, width: width, rank: .time))
    }
    lines.append(
      row(
        "T1mm \(Decimal.fixed(seconds, 1)) s to fall by 1 mmHg", .red, width: width, rank: .meaning)
    )
    lines += limit(found.limit, 0, reserve, .limits)
    lines += limit(LeakAnalysis.lowerLimit, 1, lower, .lowerLimit)
    let rate = slope(leak.value, leak.uncertainty, 60 / unit.pascals)
    lines += wrapped("leak \(Int(leak.span)) s, n \(leak.count): \(rate)", width, rank: .rates)
    return lines
      + (differs(found, from: leak) ? wrapped(Self.rule, width, .faint, rank: .rates) : [])
  }

  /// What tells the rates of windows from that of the leak.
  private static let rule =
    "rates: at constant temperature, over all of their time; leak: as the pressure falls, since it began"

  /// Whether a rate of a window is another than the leak's, so that it must be said why.
  private func differs(_ found: LeakAssessment, from leak: LeakAssessment.Rate) -> Bool {
    found.rates.contains { rate in
      [30, 300].contains(rate.window)
        && abs(rate.value - leak.value) > max(abs(leak.value) / 20, 3 * rate.uncertainty)
    }
  }
}
