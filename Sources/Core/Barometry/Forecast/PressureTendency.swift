/// The pressure tendency over three hours, as weather stations report it: the code of WMO table
/// 0200 and the change of the pressure.
public struct PressureTendency: Hashable, Sendable {
  /// The WMO code of the characteristic, which is the shape of the pressure curve: 0 to 8.
  public let code: UInt8
  /// The change over three hours in Pa.
  public let change: Double

  /// The period of three hours in nanoseconds.
  public static var span: Int64 { 3 * TimeSpan.hour }

  /// Computes the tendency, with the table's resolution of 0.1 hPa.
  ///
  /// - Parameters:
  ///   - first: the pressure three hours ago, in Pa.
  ///   - middle: the pressure one and a half hours ago, in Pa.
  ///   - last: the pressure now, in Pa.
  public init(first: Double, middle: Double, last: Double) {
    // Clamp implausible pressures; treat NaN as no change.
    func tenths(_ pascals: Double) -> Int {
      pascals.isNaN ? 0 : Int((min(max(pascals, -1e9), 1e9) / 10).rounded())
    }
    let (a, b, c) = (tenths(first), tenths(middle), tenths(last))
    change = last - first
    code = Self.code(early: b - a, late: c - b, total: c - a)
  }

  /// Computes the tendency at the end of a history; `nil` if the history is shorter than three hours.
  ///
  /// - Parameters:
  ///   - history: the history, whose last point is the current pressure.
  ///   - gap: the longest gap over which to interpolate, in nanoseconds.
  public init?(_ history: PressureHistory, withoutGapsOver gap: Int64) {
    guard let last = history.points.last,
      let first = history.pressure(at: last.time - Self.span, withoutGapsOver: gap),
      let middle = history.pressure(at: last.time - Self.span / 2, withoutGapsOver: gap)
    else { return nil }
    self.init(first: first, middle: middle, last: last.pascals)
  }

  private static func code(early: Int, late: Int, total: Int) -> UInt8 {
    if early == 0, late == 0 { return 4 }
    if early > 0, late < 0 { return total >= 0 ? 0 : 8 }
    if early < 0, late > 0 { return total > 0 ? 3 : 5 }
    if total > 0 {
      // The pressure rises throughout: faster at the end, slower or steady at the end, or evenly.
      if early <= 0 || late > early { return early == 0 || late > 2 * early ? 3 : 2 }
      return late == 0 || early > 2 * late ? 1 : 2
    }
    if early >= 0 || late < early { return early == 0 || late < 2 * early ? 8 : 7 }
    return late == 0 || early < 2 * late ? 6 : 7
  }

  /// The meaning of the code according to the WMO table.
  public var meaning: StaticString {
    switch code {
    case 0: "rising, then falling; the same as or higher than three hours ago"
    case 1: "rising, then steady or rising more slowly"
    case 2: "rising"
    case 3: "falling or steady, then rising, or rising faster"
    case 4: "steady"
    case 5: "falling, then rising; the same as or lower than three hours ago"
    case 6: "falling, then steady or falling more slowly"
    case 7: "falling"
    default: "steady or rising, then falling, or falling faster"
    }
  }
}
