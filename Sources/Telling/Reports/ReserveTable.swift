import Barometry
import Quantities
import Text

/// The crew's chart as a table: how much time is left at a pressure that falls by 1 mmHg in so many seconds.
package struct ReserveTable {
  /// The limit in Pa.
  package let limit: Double
  /// The pressures in mmHg that have a column: the one there is now first, where it is known.
  package let pressures: [Double]
  /// T1mm now in seconds, which has a row of its own; `nil` where it is not known.
  package let t1mm: Double?
  private let hasNow: Bool
  private let volumes: [Double]
  /// The pressure in mmHg for which the holes are computed.
  private let holePressure: Double

  private static var millimetre: Double { PressureUnit.millimetreOfMercury.pascals }

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - limit: the pressure in Pa that must not be reached.
  ///   - pascals: the pressure now, where there is one.
  ///   - seconds: T1mm now, where it is known.
  ///   - volume: that of the cabin in m3, where it is known; usual ones stand next to it.
  ///   - cabin: the pressure in Pa for which the holes are computed; the one now unless given, else that of the first
  ///     column.
  package init(
    limit: Double, now pascals: Double? = nil, t1mm seconds: Double? = nil, volume: Double? = nil,
    holesAt cabin: Double? = nil
  ) {
    self.limit = limit
    t1mm = seconds
    let usual = ReserveChart.pressures.filter { $0 * Self.millimetre > limit }
    hasNow = pascals != nil
    pressures = (pascals.map { [$0 / Self.millimetre] } ?? []) + usual
    holePressure = cabin.map { $0 / Self.millimetre } ?? pressures.first ?? 760
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

  /// A row of the table: its cells, and whether it is that of T1mm now.
  package typealias Row = (cells: [String], isNow: Bool)

  /// A row for each T1mm: the rate, the time that is left at each pressure, the hole in mm at the cabin's pressure.
  package var rows: [Row] {
    let usual = ReserveChart.times.filter { $0 != t1mm }.map { ($0, false) }
    let all = usual + (t1mm.map { [($0, true)] } ?? [])
    return all.inOrder { $0.0 < $1.0 }.map { (cells($0), $1) }
  }

  /// The rows that are nearest to T1mm now; all where there is room for them.
  ///
  /// - Parameter most: how many there may be.
  /// - Returns: the rows, in order.
  package func rows(most: Int) -> [Row] {
    var rows = rows
    while rows.count > max(most, 1) {
      let now = rows.firstIndex(where: \.isNow) ?? 0
      if now > (rows.count - 1) / 2 { rows.removeFirst() } else { rows.removeLast() }
    }
    return rows
  }

  /// The longest T1mm in seconds that drawn charts go to: those as flown are four as well.
  private static let scales = [5.0, 30, 120, 600]

  /// The longest T1mm that a drawn chart goes to.
  package var scale: Double { Self.scales(around: t1mm)[1] }

  /// The scale that a T1mm in seconds lies on well, and one next to it, in order; that of a slow leak where none is known.
  package static func scales(around t1mm: Double?) -> [Double] {
    let index = scales.firstIndex { $0 > (t1mm ?? 60) * 1.2 } ?? scales.count - 1
    let first = max(index - 1, 0)
    return [scales[first], scales[first + 1]]
  }

  private func cells(_ seconds: Double) -> [String] {
    let isUsual = ReserveChart.times.contains(seconds)
    return [Decimal.fixed(seconds, isUsual ? 0 : 1), Decimal.fixed(60 / seconds, 2)]
      + pressures.map {
        Self.time(ReserveChart.seconds(to: limit, from: $0 * Self.millimetre, t1mm: seconds))
      }
      + volumes.map {
        Decimal.fixed(
          1000 * ReserveChart.hole(at: holePressure * Self.millimetre, t1mm: seconds, volume: $0), 1
        ) + " mm"
      }
  }

  /// A time in minutes, of more than two days in hours.
  private static func time(_ seconds: Double) -> String {
    if seconds > 2 * 86_400 { return "\(Decimal.fixed(seconds / 3600, 0)) h" }
    return Decimal.fixed(seconds / 60, seconds < 6000 ? 1 : 0)
  }

  /// What it says, in a few words.
  package var title: String { "Minutes to \(Decimal.fixed(limit / Self.millimetre, 1)) mmHg" }

  /// What it says, in a sentence.
  package var caption: String {
    "\(title), by T1mm and the pressure in mmHg: T1mm/60 ln(P/limit) / ln(P/(P-1)). Then the diameter of the hole at \(Decimal.fixed(holePressure, 0)) mmHg in a cabin of so many m³."
  }
}
