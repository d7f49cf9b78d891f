/// The register ctrl_meas, 0xF4 (DS 5.4.5).
public struct ControlMeasurement: Hashable, Sendable {
  /// Oversampling of temperature, bits 7...5.
  public var temperature: Oversampling
  /// Oversampling of pressure, bits 4...2.
  public var pressure: Oversampling
  /// Power mode, bits 1...0.
  public var mode: PowerMode

  /// Creates a value from its fields.
  @inlinable
  public init(temperature: Oversampling, pressure: Oversampling, mode: PowerMode) {
    self.temperature = temperature
    self.pressure = pressure
    self.mode = mode
  }

  /// Decodes the register.
  @inlinable
  public init(byte: UInt8) {
    temperature = Oversampling(bits: byte >> 5)
    pressure = Oversampling(bits: byte >> 2)
    mode = PowerMode(bits: byte)
  }

  /// The register's value.
  @inlinable public var byte: UInt8 {
    temperature.rawValue << 5 | pressure.rawValue << 2 | mode.rawValue
  }
}

/// The register config, 0xF5 (DS 5.4.6).
public struct Configuration: Hashable, Sendable {
  /// Standby time of normal mode, bits 7...5.
  public var standby: Standby
  /// IIR filter, bits 4...2.
  public var filter: Filter

  /// Creates a value from its fields; 3-wire SPI stays off.
  @inlinable
  public init(standby: Standby = Standby(rawValue: 0), filter: Filter = .off) {
    self.standby = standby
    self.filter = filter
  }

  /// Decodes the register.
  @inlinable
  public init(byte: UInt8) {
    standby = Standby(rawValue: byte >> 5)
    filter = Filter(bits: byte >> 2)
  }

  /// The register's value.
  @inlinable public var byte: UInt8 { standby.rawValue << 5 | filter.rawValue << 2 }
}

/// The register status, 0xF3 (DS 5.4.4).
public struct Status: OptionSet, Hashable, Sendable {
  /// The register's value.
  public let rawValue: UInt8

  /// Creates a value from the register; undocumented bits are kept and mean nothing.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A conversion is running.
  @inlinable public static var measuring: Status { Status(rawValue: 0x08) }
  /// The calibration is being copied from the NVM to the registers.
  @inlinable public static var imageUpdate: Status { Status(rawValue: 0x01) }
}
