package import Barometry
import Quantities
import Reports
package import Text

extension WatchScreen {
  /// How it stands, in a word.
  package func word(_ found: LeakAssessment) -> String {
    if !state.isRunning { return "STOPPED" }
    let isOld = found.status == .stale || found.status == .fault
    // Weather rises and falls; only a cabin leaks.
    if state.purpose == .weather, !isOld { return weatherWord }
    return "\(found.status.name)".uppercased()
  }

  /// The colour of that word.
  package func look(_ found: LeakAssessment) -> Style.Look {
    let isOld = found.status == .stale || found.status == .fault
    return state.purpose == .weather && !isOld ? .cyan : found.status.look
  }

  /// The rates of a cabin, and the time that is left.
  package func cabin(_ found: LeakAssessment, _ isOld: Bool, _ width: Int) -> [Line] {
    let perMinute = 60 / unit.pascals
    var lines: [Line] = []
    for rate in found.rates where [30, 300].contains(rate.window) {
      let text =
        isOld
        ? "-"
        : "\(Decimal.signed(rate.value * perMinute, 3)) +- \(Decimal.fixed(rate.uncertainty * perMinute, 3))"
      lines.append(row("rate \(Int(rate.window)) s: \(text) \(unit.symbol)/min", width: width))
    }
    if let obstacle = noReserve(found, isOld) {
      return lines + [row(obstacle, found.leak == nil ? .faint : .red, width: width)]
    }
    // What matters most stands where the smallest terminal shows it.
    return reserve(found, width) + lines
  }

  /// Why no reserve time is shown, where none is.
  private func noReserve(_ found: LeakAssessment, _ isOld: Bool) -> String? {
    if !state.isRunning || isOld { return "no new data: no reserve time" }
    if found.reserve != nil { return nil }
    switch found.status {
    case .leak: return "RESERVE not known yet"
    case .settling: return "too little data yet: no reserve time"
    default: return "no fall: no reserve time"
    }
  }

  /// The time that is left, the least of it first.
  private func reserve(_ found: LeakAssessment, _ width: Int) -> [Line] {
    guard let reserve = found.reserve, let lower = found.lowerReserve,
      let seconds = found.secondsPerMillimetre, let leak = found.leak?.rate
    else { return [] }
    let (perMinute, millimetre) = (
      60 / unit.pascals, PressureUnit.millimetreOfMercury.pascals
    )
    func minutes(_ seconds: Double) -> String {
      seconds > 86_400 ? "> 24 h" : "\(Decimal.fixed(seconds / 60, 1)) min"
    }
    func limit(_ pascals: Double, _ digits: Int, _ left: LeakAssessment.Reserve) -> [Line] {
      wrapped(
        "\(minutes(left.bound)) to \(Decimal.fixed(pascals / millimetre, digits)) mmHg, "
          + "probably \(minutes(left.expected))", width)
    }
    var lines = [row("RESERVE at least \(minutes(reserve.bound))", .red, width: width)]
    if reserve.bound < 86_400 {
      let end = state.moment + Int64(reserve.bound * 1e9)
      lines.append(row("  runs out \(UTCTime.text(end)) UTC", .red, width: width))
    }
    lines.append(row("T1mm \(Decimal.fixed(seconds, 1)) s", .red, width: width))
    lines += limit(found.limit, 0, reserve) + limit(LeakAnalysis.lowerLimit, 1, lower)
    return lines + [
      row(
        "leak \(Int(leak.span)) s: \(Decimal.signed(leak.value * perMinute, 3)) +- "
          + "\(Decimal.fixed(leak.uncertainty * perMinute, 3)) \(unit.symbol)/min", width: width)
    ]
  }
}
