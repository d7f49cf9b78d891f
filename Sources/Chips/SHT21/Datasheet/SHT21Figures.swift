/// The figures of the SHT21's data sheet that are no registers.
public enum SHT21Figures {
  /// The chip's address; it has no other (DS 5.2).
  public static var address: UInt16 { 0x40 }
  /// The longest time from power-on until the chip is ready, in nanoseconds (DS 5.1).
  public static var startTime: UInt64 { 15_000_000 }
  /// The longest time of a soft reset, in nanoseconds (DS 5.5).
  public static var resetTime: UInt64 { 15_000_000 }
  /// The supply below which the end of battery is told, in V; it may be off by 0.1 V (DS 5.6).
  public static var lowSupply: Double { 2.25 }
  /// The supply for which the data sheet gives its figures, in V (DS table 1).
  public static var usualSupply: Double { 3.0 }
  /// The current of the sleeping chip, in µA (DS table 1).
  public static var sleepCurrent: Double { 0.15 }
  /// The current of the measuring chip, in µA (DS table 1).
  public static var measuringCurrent: Double { 300 }
  /// The power of the heater at 3 V, in mW (DS table 1).
  public static var heaterPower: Double { 5.5 }
  /// By how much the heater warms the chip at least and at most, in °C (DS table 1).
  public static var heaterRise: ClosedRange<Double> { 0.5...1.5 }
  /// The typical error of temperature at 25 °C, in °C (DS "Sensor performance").
  public static var temperatureAccuracy: Double { 0.3 }
  /// The typical error of humidity at 25 °C, in % (DS "Sensor performance").
  public static var humidityAccuracy: Double { 2 }
  /// The repeatability of temperature, in °C (DS "Sensor performance").
  public static var temperatureRepeatability: Double { 0.1 }
  /// The repeatability of humidity, in % (DS "Sensor performance").
  public static var humidityRepeatability: Double { 0.1 }
  /// The most that temperature drifts in a year, in °C (DS "Sensor performance").
  public static var temperaturePerYear: Double { 0.04 }
  /// The most that humidity drifts in a year, in % (DS "Sensor performance").
  public static var humidityPerYear: Double { 0.5 }
}
