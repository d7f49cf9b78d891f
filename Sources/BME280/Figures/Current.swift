/// What a part draws from its supply (DS 1.1, 3.6, 9.5).
public enum Current {
  /// In sleep, typical, in uA.
  @inlinable public static var sleep: Double { 0.1 }
  /// In the standby time of normal mode, typical, in uA.
  @inlinable public static var standby: Double { 0.2 }

  /// The charge of one measurement in uA s (microcoulomb), by the terms of DS 9.5: 205 uA for a
  /// millisecond, 350, 714 and 340 uA while temperature, pressure and humidity are read.
  @inlinable
  public static func charge(
    temperature: Oversampling, pressure: Oversampling, humidity: Oversampling
  ) -> Double {
    var total = 205 + 350 * 2 * temperature.samples
    if pressure != .skipped { total += 714 * (4 * pressure.samples + 1) / 2 }
    if humidity != .skipped { total += 340 * (4 * humidity.samples + 1) / 2 }
    return Double(total) / 1000
  }
}
