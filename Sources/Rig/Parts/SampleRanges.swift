/// The ranges of what a part measures; `nil` where it does not measure a quantity.
package struct SampleRanges: Hashable, Sendable {
  /// The range of temperature in °C, of pressure in Pa, of relative humidity in %.
  package var temperature, pressure, humidity: ClosedRange<Double>?

  /// Creates ranges; none unless given.
  package init(
    temperature: ClosedRange<Double>? = nil, pressure: ClosedRange<Double>? = nil,
    humidity: ClosedRange<Double>? = nil
  ) {
    self.temperature = temperature
    self.pressure = pressure
    self.humidity = humidity
  }

  /// Whether all that a result holds lies within.
  package func contain(_ sample: Sample) -> Bool {
    func fits(_ value: Double?, _ range: ClosedRange<Double>?) -> Bool {
      value.map { value in range?.contains(value) ?? true } ?? true
    }
    return fits(sample.celsius, temperature) && fits(sample.pascals, pressure)
      && fits(sample.relativeHumidity, humidity)
  }
}
