/// The calibration words of one part (DS 4.2.2 table 16), burnt into its NVM by the factory.
///
/// On a BMP280 the words of humidity are 0.
public struct Calibration: Hashable, Sendable {
  /// Temperature: offset.
  public var t1: UInt16
  /// Temperature: slope.
  public var t2: Int16
  /// Temperature: curvature.
  public var t3: Int16

  /// Pressure: sensitivity.
  public var p1: UInt16
  /// Pressure: sensitivity over temperature, first order.
  public var p2: Int16
  /// Pressure: sensitivity over temperature, second order.
  public var p3: Int16
  /// Pressure: offset.
  public var p4: Int16
  /// Pressure: offset over temperature, first order.
  public var p5: Int16
  /// Pressure: offset over temperature, second order.
  public var p6: Int16
  /// Pressure: final offset.
  public var p7: Int16
  /// Pressure: final slope.
  public var p8: Int16
  /// Pressure: final curvature.
  public var p9: Int16

  /// Humidity: curvature of the result.
  public var h1: UInt8
  /// Humidity: slope.
  public var h2: Int16
  /// Humidity: slope over temperature, second order.
  public var h3: UInt8
  /// Humidity: offset, a signed number of 12 bits.
  public var h4: Int16
  /// Humidity: offset over temperature, a signed number of 12 bits.
  public var h5: Int16
  /// Humidity: slope over temperature, first order.
  public var h6: Int8

  /// Creates a calibration from its words; humidity may be left out for a BMP280.
  public init(
    t1: UInt16, t2: Int16, t3: Int16,
    p1: UInt16, p2: Int16, p3: Int16, p4: Int16, p5: Int16, p6: Int16, p7: Int16, p8: Int16,
    p9: Int16,
    h1: UInt8 = 0, h2: Int16 = 0, h3: UInt8 = 0, h4: Int16 = 0, h5: Int16 = 0, h6: Int8 = 0
  ) {
    (self.t1, self.t2, self.t3) = (t1, t2, t3)
    (self.p1, self.p2, self.p3, self.p4, self.p5) = (p1, p2, p3, p4, p5)
    (self.p6, self.p7, self.p8, self.p9) = (p6, p7, p8, p9)
    (self.h1, self.h2, self.h3, self.h4, self.h5, self.h6) = (h1, h2, h3, h4, h5, h6)
  }
}
