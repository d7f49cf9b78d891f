/// Which of the published compensation formulas to compute, bit for bit.
///
/// The `bosch` variants divide where the datasheet shifts, and clamp to the operating range:
/// -40...85 C, 300...1100 hPa, 0...100 %RH.
public enum CompensationVariant: UInt8, Hashable, Sendable, CaseIterable {
  /// DS 4.2.3: integers, pressure in 64 bits.
  case datasheetInt64
  /// DS 4.2.3 and 8.2: integers of 32 bits.
  case datasheetInt32
  /// DS 8.1: double precision.
  case datasheetDouble
  /// Bosch's sensor API 3.5.1: integers, pressure in 64 bits.
  case boschInt64
  /// Bosch's sensor API 3.5.1: integers of 32 bits.
  case boschInt32
  /// Bosch's sensor API 3.5.1: double precision.
  case boschDouble
  /// Bosch's BMP2 sensor API 1.0.1, made for the BMP280: integers, pressure in 64 bits.
  case boschBMP2Int64

  /// The name on the command line.
  public var name: StaticString {
    switch self {
    case .datasheetInt64: "datasheet-int64"
    case .datasheetInt32: "datasheet-int32"
    case .datasheetDouble: "datasheet-double"
    case .boschInt64: "bosch-int64"
    case .boschInt32: "bosch-int32"
    case .boschDouble: "bosch-double"
    case .boschBMP2Int64: "bosch-bmp2-int64"
    }
  }

  /// Whether the native results are whole numbers.
  @inlinable public var isInteger: Bool { self != .datasheetDouble && self != .boschDouble }

  /// How many native units of temperature make one degree Celsius.
  @inlinable public var temperatureScale: Double { isInteger ? 100 : 1 }

  /// How many native units of pressure make one pascal.
  @inlinable public var pressureScale: Double {
    switch self {
    case .datasheetInt64, .boschBMP2Int64: 256
    case .boschInt64: 100
    default: 1
    }
  }

  /// How many native units of humidity make one percent of relative humidity.
  @inlinable public var humidityScale: Double { isInteger ? 1024 : 1 }
}
