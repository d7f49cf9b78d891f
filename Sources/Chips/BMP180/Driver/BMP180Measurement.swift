/// One result of the BMP180's driver: what was read, and what it means.
public struct BMP180Measurement: Hashable, Sendable {
  /// The code of the temperature, UT.
  public let rawTemperature: Int32
  /// The code of the pressure, UP.
  public let rawPressure: Int32
  /// The temperature in °C, in steps of 0.1.
  public let celsius: Double
  /// The pressure in Pa, in steps of 1.
  public let pascals: Double

  /// Creates a measurement from what was read.
  ///
  /// - Returns: `nil` where the formulas cannot work with the calibration.
  public init?(
    rawTemperature: Int32, rawPressure: Int32, _ oversampling: BMP180Oversampling,
    _ calibration: BMP180Calibration
  ) {
    guard let fine = calibration.fineTemperature(rawTemperature),
      let pascals = calibration.pascals(rawPressure, oversampling, fine: fine)
    else { return nil }
    self.rawTemperature = rawTemperature
    self.rawPressure = rawPressure
    celsius = Double(BMP180Calibration.tenths(fine)) / 10
    self.pascals = Double(pascals)
  }
}
