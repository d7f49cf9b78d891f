import BME280

extension BME280Driver {
  /// Reads the calibration, in bursts no longer than the adapter allows.
  ///
  /// - Throws: ``BME280DriverError``, also when every byte reads alike, which no part's does.
  public func readCalibration() throws(BME280DriverError) {
    guard let chip else { throw BME280DriverError(.calibrate, .notStarted) }
    var image = InlineArray<33, UInt8>(repeating: 0)
    let lower = chip.measuresHumidity ? Calibration.lowerLength : Calibration.bmp280Length
    try read(Register.calibrationLower, count: lower, into: &image, .calibrate)
    if chip.measuresHumidity {
      try read(
        Register.calibrationUpper, count: Calibration.upperLength, into: &image, at: lower,
        .calibrate)
    }
    let length = Calibration.length(on: chip)
    var alike = true
    for index in 0..<Calibration.bmp280Length where image[index] != image[0] { alike = false }
    guard !alike, let calibration = Calibration(bytes: image.span.extracting(first: length)) else {
      throw BME280DriverError(.calibrate, .blankCalibration(byte: image[0]))
    }
    self.calibration = calibration
  }
}
