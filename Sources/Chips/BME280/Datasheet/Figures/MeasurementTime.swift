/// How long one measurement of temperature, pressure and humidity takes (DS 9.1).
public enum MeasurementTime {
  /// The typical time in nanoseconds: 1 ms, 2 ms a reading, 0.5 ms for pressure and for humidity.
  @inlinable
  public static func typical(
    temperature: Oversampling, pressure: Oversampling, humidity: Oversampling
  ) -> UInt64 {
    sum(1_000_000, 2_000_000, 500_000, temperature, pressure, humidity)
  }

  /// The longest time in nanoseconds: 1.25 ms, 2.3 ms a reading, 0.575 ms for pressure and humidity.
  @inlinable
  public static func maximum(
    temperature: Oversampling, pressure: Oversampling, humidity: Oversampling
  ) -> UInt64 {
    sum(1_250_000, 2_300_000, 575_000, temperature, pressure, humidity)
  }

  @inlinable
  static func sum(
    _ start: UInt64, _ reading: UInt64, _ channel: UInt64,
    _ temperature: Oversampling, _ pressure: Oversampling, _ humidity: Oversampling
  ) -> UInt64 {
    var total = start + reading * UInt64(temperature.samples)
    if pressure != .skipped { total += reading * UInt64(pressure.samples) + channel }
    if humidity != .skipped { total += reading * UInt64(humidity.samples) + channel }
    return total
  }

  /// The longest time from power-on to the first communication, in nanoseconds (DS 1.1, t_startup).
  @inlinable public static var startup: UInt64 { 2_000_000 }
}
