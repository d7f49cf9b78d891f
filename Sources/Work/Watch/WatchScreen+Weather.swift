import Barometry
import Quantities
import Text

extension WatchScreen {
  /// The change over three hours, once they are known.
  private var tendency: PressureTendency? {
    PressureTendency(state.history, withoutGapsOver: TimeSpan.hour)
  }

  /// Which way the weather's pressure goes, in a word.
  package var weatherWord: String {
    guard let change = tendency?.change else { return "MEASURING" }
    // As a station codes it: less than a tenth of a hPa is steady.
    return abs(change) < 10 ? "STEADY" : change > 0 ? "RISING" : "FALLING"
  }

  /// The air, its tendency in whole sentences, and what that foretells.
  package func weather(_ width: Int) -> [Line] {
    guard let last = state.samples.last else { return [] }
    let dew = last.values.humidity.flatMap {
      DewPoint.celsius(at: last.celsius, relativeHumidity: $0)
    }
    var lines = wrapped(
      "\(Decimal.fixed(last.celsius, 2)) °C"
        + (last.values.humidity.map { "   \(Decimal.fixed($0, 1)) %" } ?? "")
        + (dew.map { "   dew \(Decimal.fixed($0, 1)) °C" } ?? ""), width, rank: .time)
    guard let tendency else {
      return lines
        + wrapped("tendency and forecast need three hours", width, .faint, rank: .meaning)
    }
    let change = Decimal.signed(tendency.change / unit.pascals, unit == .hectopascal ? 1 : 2)
    lines += wrapped(
      "\(change) \(unit.symbol) in 3 h: \(tendency.meaning)", width, rank: .reserve)
    let forecast = Zambretti().forecast(
      seaLevel: last.pascals, rate: tendency.change / 300, month: UTCTime.month(state.moment))
    lines += wrapped(
      "forecast: \(forecast.text) (Zambretti's \(forecast.letter))", width, .cyan, rank: .meaning)
    return lines
  }
}
