/// The widest accuracy figures of the datasheet (DS 1.2-1.4), either way.
public enum Accuracy {
  /// Of pressure in Pa, at -20...0 C.
  @inlinable public static var pressure: Double { 170 }
  /// Of temperature in C, at -40...-20 C.
  @inlinable public static var temperature: Double { 1.5 }
  /// Of relative humidity in %.
  @inlinable public static var humidity: Double { 3 }
  /// The change of pressure in a year, in Pa.
  @inlinable public static var pressurePerYear: Double { 100 }
  /// The change of relative humidity in a year, in %.
  @inlinable public static var humidityPerYear: Double { 0.5 }
}
