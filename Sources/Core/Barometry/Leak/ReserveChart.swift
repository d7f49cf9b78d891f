import CMath
import Quantities

/// The chart that crews read their reserve time from: T1mm, the pressure now, and the minutes until a limit.
///
/// Air leaves through a hole to vacuum, so that the pressure falls exponentially. The formula is the one that agrees with
/// the straight lines of the charts as flown; their own values are not published.
public enum ReserveChart {
  /// The pressures in mmHg that have a line of their own.
  public static let pressures = [785.0, 760, 745, 700, 650, 600, 550, 520]
  /// The values of T1mm in seconds that have a row of their own.
  public static let times = [1.0, 2, 5, 10, 20, 30, 60, 120, 300, 600]
  /// The volumes in m3 that holes are given for: a module, a compartment that was shut off, and a whole station.
  public static let volumes = [100.0, 388, 916]

  /// The seconds until a limit.
  ///
  /// - Parameters:
  ///   - limit: in Pa.
  ///   - pascals: the pressure now, above 1 mmHg.
  ///   - seconds: T1mm: how long the pressure takes to fall by the next mmHg.
  /// - Returns: the time, 0 at the limit and below.
  public static func seconds(to limit: Double, from pascals: Double, t1mm seconds: Double)
    -> Double
  {
    let millimetre = PressureUnit.millimetreOfMercury.pascals
    guard pascals > limit, pascals > millimetre else { return 0 }
    return seconds * log(pascals / limit) / log(pascals / (pascals - millimetre))
  }

  /// The diameter in m of the round hole behind a fall, with a discharge coefficient of 0.85, at 295 K.
  ///
  /// - Parameters:
  ///   - pascals: the pressure.
  ///   - seconds: T1mm.
  ///   - volume: of the cabin, in m3.
  /// - Returns: the diameter.
  public static func hole(at pascals: Double, t1mm seconds: Double, volume: Double) -> Double {
    let millimetre = PressureUnit.millimetreOfMercury.pascals
    let constant = seconds / log(pascals / (pascals - millimetre))
    // The speed of the choked flow: 0.6847 sqrt(R T).
    let area = volume / (constant * 0.85 * 0.684731456 * (287.05 * 295.0).squareRoot())
    return (area * 4 / 3.141592653589793).squareRoot()
  }
}
