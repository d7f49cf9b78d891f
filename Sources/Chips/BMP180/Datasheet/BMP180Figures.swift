/// The figures of the BMP180's data sheet that are no registers.
public enum BMP180Figures {
  /// The only address (DS 5.2).
  public static var address: UInt16 { 0x77 }
  /// The time from power-on until the first transfer, in nanoseconds (DS table 1).
  public static var startTime: UInt64 { 10_000_000 }
  /// The drift of the pressure in a year, in Pa (DS table 1).
  public static var pressurePerYear: Double { 100 }

  /// The noise of a pressure, its root mean square, in Pa (DS table 1).
  public static func noise(_ oversampling: BMP180Oversampling) -> Double {
    switch oversampling {
    case .x1: 6
    case .x2: 5
    case .x4: 4
    case .x8: 3
    }
  }
}
