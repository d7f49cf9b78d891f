/// The parts of the family: the BME280 and its relative without humidity.
public enum Chip: UInt8, Hashable, Sendable, CaseIterable {
  /// Temperature, pressure and humidity.
  case bme280
  /// Temperature and pressure.
  case bmp280

  /// What the id register 0xD0 reads in production parts (BME280 DS 5.4.1, BMP280 DS 4.3.1).
  @inlinable public var identifier: UInt8 {
    switch self {
    case .bme280: 0x60
    case .bmp280: 0x58
    }
  }

  /// The part that an id register tells, BMP280 samples (0x56, 0x57) included, or `nil`.
  @inlinable
  public init?(identifier: UInt8) {
    switch identifier {
    case 0x60: self = .bme280
    case 0x56, 0x57, 0x58: self = .bmp280
    default: return nil
    }
  }

  /// Whether the part measures humidity.
  @inlinable public var measuresHumidity: Bool { self == .bme280 }

  /// The number of data registers from 0xF7 on.
  @inlinable public var dataLength: Int { measuresHumidity ? 8 : 6 }

  /// The lower-case name that rig and calibration files use.
  public var name: StaticString {
    switch self {
    case .bme280: "bme280"
    case .bmp280: "bmp280"
    }
  }
}
