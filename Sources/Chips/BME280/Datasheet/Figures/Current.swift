/// What a part draws from its supply (DS 1.1, 3.6, 9.5).
public enum Current {
  /// In sleep, typical, in uA.
  @inlinable public static var sleep: Double { 0.1 }
  /// In the standby time of normal mode, typical, in uA.
  @inlinable public static var standby: Double { 0.2 }

  /// At the start of a measurement, for a millisecond, in uA.
  @inlinable public static var start: Int { 205 }
  /// While temperature is read, in uA.
  @inlinable public static var temperature: Int { 350 }
  /// While pressure is read, in uA.
  @inlinable public static var pressure: Int { 714 }
  /// While humidity is read, in uA.
  ///
  /// The text of DS 9.5 has 340 uA, which the datasheet's own table contradicts (12.05 uA where 11.7
  /// stands); 330 uA gives every figure of the table (DS 3.6).
  @inlinable public static var humidity: Int { 330 }

  /// The charge of one measurement in uA s (microcoulomb), by the terms of DS 9.5.
  @inlinable
  public static func charge(
    temperature: Oversampling, pressure: Oversampling, humidity: Oversampling
  ) -> Double {
    var total = start + Self.temperature * 2 * temperature.samples
    if pressure != .skipped { total += Self.pressure * (4 * pressure.samples + 1) / 2 }
    if humidity != .skipped { total += Self.humidity * (4 * humidity.samples + 1) / 2 }
    return Double(total) / 1000
  }
}
