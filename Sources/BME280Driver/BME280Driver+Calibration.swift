import BME280
import I2C

extension BME280Driver {
  /// Reads the calibration, in bursts no longer than the adapter allows.
  ///
  /// - Throws: ``BME280DriverError``, also when every byte reads alike, which no part's does.
  public func readCalibration() throws(BME280DriverError) {
    guard let chip else { throw BME280DriverError(.calibrate, .notStarted) }
    var image = InlineArray<33, UInt8>(repeating: 0)
    if chip.measuresHumidity {
      try copy(Calibration.lowerLength, from: Register.calibrationLower, into: &image, at: 0)
      try copy(
        Calibration.upperLength, from: Register.calibrationUpper, into: &image,
        at: Calibration.lowerLength)
    } else {
      try copy(Calibration.bmp280Length, from: Register.calibrationLower, into: &image, at: 0)
    }
    let length = Calibration.length(on: chip)
    var alike = true
    for index in 0..<Calibration.bmp280Length where image[index] != image[0] { alike = false }
    guard !alike, let calibration = Calibration(bytes: image.span.extracting(first: length)) else {
      throw BME280DriverError(.calibrate, .blankCalibration(byte: image[0]))
    }
    self.calibration = calibration
  }

  /// Reads `count` registers from `register` on into an image, in as many bursts as it takes.
  private func copy(
    _ count: Int, from register: UInt8, into image: inout InlineArray<33, UInt8>, at offset: Int
  ) throws(BME280DriverError) {
    var done = 0
    while done < count {
      var burst = InlineArray<32, UInt8>(repeating: 0)
      let length = min(count - done, adapter.quirks.longestRegisterRead, burst.count)
      try read(register + UInt8(done), count: length, into: &burst, .calibrate)
      for index in 0..<length { image[offset + done + index] = burst[index] }
      done += length
    }
  }
}
