import Barometry
import Quantities
import Rigs
import Runs
import Text

extension TextReport {
  private var hasRate: Bool { rig?.pipeline?.forecasters.contains(.thesis) == true }

  /// Prints a cycle, if its forecast is a new one or the last row is long ago.
  func row(_ place: Rig.SensorID, word: String, rate: Double?, trend: PressureTrend? = nil) {
    guard let average = pending.removeValue(forKey: place) else { return }
    // The rows of a fleet would hide all else.
    if place.part != nil { return }
    averages += 1
    let outside = average.outside.outsideRemark
    let told = word + outside
    let isDue = average.time - (shown[place]?.time ?? 0) >= longestPause
    guard shown[place]?.word != told || isDue || shown[place] == nil else { return }
    shown[place] = (told, average.time)
    rows += 1
    if !hasHeads {
      hasHeads = true
      heads()
    }
    var text = clock(average.time) + label(place).trimmedEnd
    text += cell(
      average.means.pressure.map { Quantity.pressure.shown($0.measured) }, 2, width: 10)
    if hasRate { text += cell(rate, 2, width: 8, isSigned: true) }
    text += cell(average.means.temperature?.measured, 2, width: 8)
    text += cell(average.means.humidity?.measured, 1, width: 7)
    let width = text.count + 2
    if !word.isEmpty { text += "  " + (trend.map { style($0.look, word) } ?? style(.faint, word)) }
    if !outside.isEmpty { text += "  " + style(.red, outside) }
    line(
      text,
      indent: (columns ?? 0) < 80 ? 13 : width)
  }

  /// How long there may be no row, in nanoseconds.
  private var longestPause: UInt64 { (rig?.duration ?? 0) / 8 }

  /// The names of the columns, with their units.
  private func heads() {
    let labels = rig?.pipeline?.sensors.count ?? 0 > 1 ? "  sensor" : ""
    let units = ["hPa".right(10), hasRate ? "hPa/h".right(8) : "", "°C".right(8), "%".right(7)]
    line(
      style(
        .faint,
        "time".right(11) + labels + units.joined() + (hasRate ? "  forecast" : "")))
  }

  /// Which rows there are, where that is not one for each average.
  var rowsNote: [String] {
    guard rows > 0, rows < averages else { return [] }
    let pause = longestPause > 0 ? "one every \(Decimal.duration(longestPause)) at least" : ""
    let which = hasRate ? ["each new forecast", pause] : [pause]
    let text = which.filter { !$0.isEmpty }.joined(separator: ", and ")
    return [
      style(.faint, "\(rows) of \(averages) averages: \(text); all of them: --format jsonl")
    ]
  }

  private func cell(
    _ value: Double?, _ decimals: Int, width: Int, isSigned: Bool = false
  ) -> String {
    guard let value else { return String(repeating: " ", count: width) }
    return (isSigned ? Decimal.signed(value, decimals) : Decimal.fixed(value, decimals))
      .right(width)
  }
}

extension String {
  /// A label between the time and the numbers; the numbers bring their own distance.
  fileprivate var trimmedEnd: String {
    isEmpty ? "" : "  " + String(reversed().drop { $0 == " " }.reversed())
  }
}
