import BME280
package import DriverDefects
package import Parts

extension FaultyDecoder {
  /// What the program makes of a result.
  ///
  /// - Parameters:
  ///   - sample: the result, with the codes behind it.
  ///   - driver: who read it.
  /// - Returns: what is shown; `nil` where the driver has read no calibration that such a program computes with.
  package func shows(_ sample: Sample, readBy driver: any SensorDriver) -> Result? {
    (driver as? any CalibratedDriver)?.calibration.map {
      shows(RawMeasurement(sample.codes), of: $0)
    }
  }
}
