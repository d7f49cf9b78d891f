/// The units in which barometers speak.
public enum PressureUnit: UInt8, Hashable, Sendable, CaseIterable {
  /// Pascal, the SI unit.
  case pascal
  /// Hectopascal, 100 Pa: the unit of weather.
  case hectopascal
  /// Kilopascal, 1000 Pa.
  case kilopascal
  /// Millibar, another name of the hectopascal.
  case millibar
  /// Millimetre of mercury, 133.322387415 Pa (conventional).
  case millimetreOfMercury
  /// Inch of mercury, 25.4 conventional millimetres.
  case inchOfMercury
  /// Standard atmosphere, 101325 Pa.
  case atmosphere

  /// The size of the unit in Pa.
  @inlinable public var pascals: Double {
    switch self {
    case .pascal: 1
    case .hectopascal, .millibar: 100
    case .kilopascal: 1000
    case .millimetreOfMercury: 133.322_387_415
    case .inchOfMercury: 25.4 * Self.millimetreOfMercury.pascals
    case .atmosphere: 101_325
    }
  }

  /// The symbol as written behind a number.
  @inlinable public var symbol: StaticString {
    switch self {
    case .pascal: "Pa"
    case .hectopascal: "hPa"
    case .kilopascal: "kPa"
    case .millibar: "mbar"
    case .millimetreOfMercury: "mmHg"
    case .inchOfMercury: "inHg"
    case .atmosphere: "atm"
    }
  }

  /// The unit, with its conversion.
  @inlinable public var unit: QuantityUnit { QuantityUnit(symbol, times: pascals) }
}
