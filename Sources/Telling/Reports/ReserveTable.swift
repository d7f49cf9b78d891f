import Barometry
import Quantities
import Text

/// The crew's chart as a table: how much time is left at a pressure that falls by 1 mmHg in so many seconds.
package struct ReserveTable {
  /// The limit in Pa.
  package let limit: Double
  /// The pressures in mmHg that have a column: the one there is now first, where it is known.
  package let pressures: [Double]
  private let hasNow: Bool
  private let volumes: [Double]

  private static var millimetre: Double { PressureUnit.millimetreOfMercury.pascals }

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - limit: the pressure in Pa that must not be reached.
  ///   - pascals: the pressure now, where there is one.
  ///   - volume: that of the cabin in m3, where it is known; usual ones stand next to it.
  package init(limit: Double, now pascals: Double? = nil, volume: Double? = nil) {
    self.limit = limit
    let usual = ReserveChart.pressures.filter { $0 * Self.millimetre > limit }
    hasNow = pascals != nil
    pressures = (pascals.map { [$0 / Self.millimetre] } ?? []) + usual
    let others = ReserveChart.volumes.filter { volume == nil || abs($0 - (volume ?? 0)) > 1 }
    volumes = (volume.map { [$0] } ?? []) + others
  }

  /// The names of the columns.
  package var head: [String] {
    ["T1mm s", "mmHg/min"]
      + pressures.enumerated().map { index, pressure in
        hasNow && index == 0
          ? "now \(Decimal.fixed(pressure, 1))" : Decimal.fixed(pressure, 0)
      } + volumes.map { "\(Decimal.fixed($0, 0)) m³" }
  }

  /// How many columns say a time.
  package var times: Int { pressures.count }

  /// A row for each T1mm: the rate, the time that is left at each pressure, the hole in mm at the first of them.
  package var rows: [[String]] {
    ReserveChart.times.map { seconds in
      let first = (pressures.first ?? 760) * Self.millimetre
      return [Decimal.fixed(seconds, 0), Decimal.fixed(60 / seconds, 2)]
        + pressures.map {
          Self.time(ReserveChart.seconds(to: limit, from: $0 * Self.millimetre, t1mm: seconds))
        }
        + volumes.map {
          Decimal.fixed(
            1000 * ReserveChart.hole(at: first, t1mm: seconds, volume: $0), 1) + " mm"
        }
    }
  }

  /// A time in minutes, of more than two days in hours.
  private static func time(_ seconds: Double) -> String {
    if seconds > 2 * 86_400 { return "\(Decimal.fixed(seconds / 3600, 0)) h" }
    return Decimal.fixed(seconds / 60, seconds < 6000 ? 1 : 0)
  }

  /// What it says, in a sentence.
  package var caption: String {
    "Minutes to \(Decimal.fixed(limit / Self.millimetre, 1)) mmHg, by T1mm and the pressure in mmHg: T1mm/60 ln(P/limit) / ln(P/(P-1)). Behind them the diameter of the hole in a cabin of so many m³."
  }
}
