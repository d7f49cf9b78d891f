/// A chip of the family: the BME280, or the BMP280, which does not measure humidity.
public enum Chip: UInt8, Hashable, Sendable, CaseIterable {
  /// The BME280, which measures temperature, pressure and humidity.
  case bme280
  /// The BMP280, which measures temperature and pressure.
  case bmp280

  /// The chip id in register 0xD0 of production parts (BME280 DS 5.4.1, BMP280 DS 4.3.1).
  @inlinable public var identifier: UInt8 {
    switch self {
    case .bme280: 0x60
    case .bmp280: 0x58
    }
  }

  /// Creates the chip with an id, or `nil` if the id is unknown.
  ///
  /// The ids of BMP280 samples (0x56, 0x57) are accepted.
  @inlinable
  public init?(identifier: UInt8) {
    switch identifier {
    case 0x60: self = .bme280
    case 0x56, 0x57, 0x58: self = .bmp280
    default: return nil
    }
  }

  /// `true` if the chip measures humidity.
  @inlinable public var measuresHumidity: Bool { self == .bme280 }

  /// The number of data registers starting at 0xF7.
  @inlinable public var dataLength: Int { measuresHumidity ? 8 : 6 }

  /// The lower-case name in rigs and calibration files.
  public var name: StaticString {
    switch self {
    case .bme280: "bme280"
    case .bmp280: "bmp280"
    }
  }
}
