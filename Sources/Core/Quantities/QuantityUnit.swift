/// A unit of a quantity: its symbol and its conversion to and from the stored unit.
public struct QuantityUnit: Sendable {
  /// The symbol written after a number, such as `hPa`.
  public let symbol: StaticString
  /// The number in this unit that corresponds to 0 in the stored unit.
  public let zero: Double
  /// The size of this unit in the stored unit, as `factor / divisor`.
  ///
  /// The divisor is other than 1 if only the reciprocal of the size is an exact decimal number,
  /// such as 1.8 for Fahrenheit.
  public let factor, divisor: Double

  /// Creates a unit.
  ///
  /// Default: the stored unit itself.
  @inlinable
  public init(
    _ symbol: StaticString, times factor: Double = 1, dividedBy divisor: Double = 1,
    from zero: Double = 0
  ) {
    self.symbol = symbol
    self.zero = zero
    self.factor = factor
    self.divisor = divisor
  }

  /// Converts a number in this unit to the stored unit.
  @inlinable public func kept(_ number: Double) -> Double { (number - zero) * factor / divisor }

  /// Converts a stored value to this unit.
  @inlinable public func number(_ kept: Double) -> Double { kept * divisor / factor + zero }

  /// The size of this unit, measured in the stored unit.
  @inlinable public var size: Double { factor / divisor }

  /// The same unit for temperature differences and the like, without the offset of its zero.
  @inlinable
  public var ofDifferences: QuantityUnit { QuantityUnit(symbol, times: factor, dividedBy: divisor) }
}

/// The units of pressure.
public enum PressureUnit: UInt8, Hashable, Sendable, CaseIterable {
  /// Pascal, the SI unit.
  case pascal
  /// Hectopascal, 100 Pa: the unit used in weather reports.
  case hectopascal
  /// Kilopascal, 1000 Pa.
  case kilopascal
  /// Millibar, 100 Pa: another name for the hectopascal.
  case millibar
  /// Millimetre of mercury, 133.322387415 Pa (conventional).
  case millimetreOfMercury
  /// Inch of mercury, 25.4 conventional millimetres of mercury.
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

  /// The symbol written after a number.
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

/// The units of temperature.
public enum TemperatureUnit: UInt8, Hashable, Sendable, CaseIterable {
  /// Degree Celsius.
  case celsius
  /// Degree Fahrenheit.
  case fahrenheit
  case kelvin

  /// The unit, with its conversion.
  @inlinable public var unit: QuantityUnit {
    switch self {
    case .celsius: QuantityUnit(symbol)
    case .fahrenheit: QuantityUnit(symbol, dividedBy: 1.8, from: 32)
    case .kelvin: QuantityUnit(symbol, from: 273.15)
    }
  }

  /// The symbol written after a number.
  @inlinable public var symbol: StaticString {
    switch self {
    case .celsius: "C"
    case .fahrenheit: "F"
    case .kelvin: "K"
    }
  }
}
