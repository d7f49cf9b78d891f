/// The figures of the HDC1000's data sheet that are no registers.
///
/// What stands in table 7.5 of the data sheet (DS) is taken from where the vendor and public drivers repeat it,
/// but for the current of sleep (DS 8.1): the table itself was not at hand.
public enum HDC1000Figures {
  /// The addresses that the pins ADR1 and ADR0 choose (DS 8.5.1).
  public static var addresses: ClosedRange<UInt16> { 0x40...0x43 }
  /// What the register manufacturer reads (DS 8.6.5).
  public static var manufacturer: UInt16 { 0x5449 }
  /// What the register device reads (DS 8.6.6).
  public static var device: UInt16 { 0x1000 }
  /// What it reads on the later chips of the family, HDC1010, HDC1050 and HDC1080, which share the
  /// registers (TI application note SBOA631).
  public static var laterDevice: UInt16 { 0x1050 }
  /// The longest time from power-on until the chip can measure, in nanoseconds (DS 8.5.2).
  public static var startTime: UInt64 { 15_000_000 }
  /// The supply below which the chip says so, in V (DS 8.3.2).
  public static var lowSupply: Double { 2.8 }
  /// The supply for which the data sheet gives its figures, in V (DS 7.5).
  public static var usualSupply: Double { 3.0 }
  /// The current of the sleeping chip, in µA (DS 7.5).
  public static var sleepCurrent: Double { 0.11 }
  /// The current of the chip that measures temperature, in µA (DS 7.5).
  public static var temperatureCurrent: Double { 155 }
  /// The current of the chip that measures humidity, in µA (DS 7.5).
  public static var humidityCurrent: Double { 180 }
  /// The current of the heater, in µA (DS 7.5).
  public static var heaterCurrent: Double { 7_600 }
  /// The typical error of temperature, in °C (DS 7.5).
  public static var temperatureAccuracy: Double { 0.2 }
  /// The typical error of humidity, in % (DS 7.5).
  public static var humidityAccuracy: Double { 3 }
  /// The repeatability of temperature, in °C (DS 7.5).
  public static var temperatureRepeatability: Double { 0.1 }
  /// The repeatability of humidity, in % (DS 7.5).
  public static var humidityRepeatability: Double { 0.1 }
  /// The drift of humidity in a year, in % (DS 7.5).
  public static var humidityPerYear: Double { 0.5 }
}
