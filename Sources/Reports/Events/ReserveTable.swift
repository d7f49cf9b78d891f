import Barometry
import Quantities
import Support

/// The table from which the crew of a leaking cabin reads the time left until a pressure limit.
///
/// Each row is for a value of T1mm, the time in which the pressure falls by 1 mmHg, and each column
/// for a current pressure.
package struct ReserveTable {
  /// The pressure limit in Pa.
  package let limit: Double
  /// The pressures of the columns in mmHg.
  ///
  /// The current pressure comes first, if known.
  package let pressures: [Double]
  /// The current T1mm in seconds, for which the table contains a row of its own; `nil` if unknown.
  package let t1mm: Double?
  private let hasNow: Bool
  private let volumes: [Double]
  /// The pressure in mmHg for which the hole diameters are computed.
  private let holePressure: Double

  private static var millimetre: Double { PressureUnit.millimetreOfMercury.pascals }

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - limit: the pressure in Pa that must not be reached.
  ///   - pascals: the current pressure in Pa; `nil` if unknown.
  ///   - seconds: the current T1mm in seconds; `nil` if unknown.
  ///   - volume: the volume of the cabin in m3, for which the table contains a column in addition
  ///     to typical volumes; `nil` if unknown.
  ///   - cabin: the pressure in Pa for which the hole diameters are computed. Default: the pressure
  ///     of the first column.
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

  /// The number of columns with times.
  package var times: Int { pressures.count }

  /// The cells of a row, and whether the row is for the current T1mm.
  package typealias Row = (cells: [String], isNow: Bool)

  /// The rows, one for each T1mm, with the rate, the time left at each pressure, and the hole
  /// diameter in mm for each volume.
  package var rows: [Row] {
    let usual = ReserveChart.times.filter { $0 != t1mm }.map { ($0, false) }
    let all = usual + (t1mm.map { [($0, true)] } ?? [])
    return all.inOrder { $0.0 < $1.0 }.map { (cells($0), $1) }
  }

  /// Returns the rows nearest to the current T1mm, or all rows if there are at most `most`.
  ///
  /// - Parameter most: the maximum number of rows.
  /// - Returns: the rows, in order.
  package func rows(most: Int) -> [Row] {
    var rows = rows
    while rows.count > max(most, 1) {
      let now = rows.firstIndex(where: \.isNow) ?? 0
      if now > (rows.count - 1) / 2 { rows.removeFirst() } else { rows.removeLast() }
    }
    return rows
  }

  /// The values at which the T1mm axis of a chart can end, in seconds, as in the charts used in
  /// flight.
  private static let scales = [5.0, 30, 120, 600]

  /// The value at which the T1mm axis ends by default, in seconds.
  package var scale: Double { Self.scales(around: t1mm)[1] }

  /// Returns the ends of two neighbouring T1mm axes in ascending order, one of which suits the
  /// given T1mm in seconds.
  ///
  /// If T1mm is unknown, the axes suit 60 s, which is a slow leak.
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

  /// Formats a time in minutes, or in hours above two days.
  private static func time(_ seconds: Double) -> String {
    if seconds > 2 * 86_400 { return "\(Decimal.fixed(seconds / 3600, 0)) h" }
    return Decimal.fixed(seconds / 60, seconds < 6000 ? 1 : 0)
  }

  package var title: String { "Minutes to \(Decimal.fixed(limit / Self.millimetre, 1)) mmHg" }

  /// The title, followed by the formula of the times and an explanation of the last columns.
  package var caption: String {
    "\(title), by T1mm and the pressure in mmHg: T1mm/60 ln(P/limit) / ln(P/(P-1)). Last columns: diameter of the hole at \(Decimal.fixed(holePressure, 0)) mmHg for the given volume of the cabin in m³."
  }
}
