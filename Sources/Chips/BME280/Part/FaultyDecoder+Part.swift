import BME280
package import DriverDefects
package import Parts

extension FaultyDecoder {
  /// What the program makes of a result.
  ///
  /// - Parameters:
  ///   - sample: the result, with the codes behind it.
  ///   - driver: who read it.
  ///   - memory: what the program has read before; the result joins it.
  /// - Returns: what is shown; `nil` where the driver has read no calibration that such a program computes with.
  package func shows(
    _ sample: Sample, readBy driver: any SensorDriver, _ memory: inout Memory
  ) -> Result? {
    guard let calibration = (driver as? any CalibratedDriver)?.calibration else { return nil }
    return shows(RawMeasurement(sample.codes), of: calibration, &memory)
  }
}
