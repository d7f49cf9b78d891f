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

  /// The register value.
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

  /// Creates a value from its fields; 3-wire SPI is disabled.
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

  /// The register value.
  @inlinable public var byte: UInt8 { standby.rawValue << 5 | filter.rawValue << 2 }
}

/// The register status, 0xF3 (DS 5.4.4).
public struct Status: OptionSet, Hashable, Sendable {
  /// The register value.
  public let rawValue: UInt8

  /// Creates a status from the register value; undocumented bits are preserved and ignored.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Set while a conversion is running.
  @inlinable public static var measuring: Status { Status(rawValue: 0x08) }
  /// Set while the calibration is being copied from the NVM to the registers.
  @inlinable public static var imageUpdate: Status { Status(rawValue: 0x01) }
}

/// The oversampling of a channel (DS tables 20, 23 and 24).
public enum Oversampling: UInt8, Hashable, Sendable, CaseIterable {
  /// The channel is skipped; its output reads 0x80000 (0x8000 for humidity).
  case skipped = 0
  /// One sample.
  case x1 = 1
  /// Two samples.
  case x2 = 2
  /// Four samples.
  case x4 = 3
  /// Eight samples.
  case x8 = 4
  /// Sixteen samples.
  case x16 = 5

  /// Decodes three bits of a control register; 101, 110 and 111 all mean sixteen samples.
  @inlinable
  public init(bits: UInt8) {
    self = Oversampling(rawValue: min(bits & 0b111, 5)) ?? .x16
  }

  /// Creates the setting with a number of samples, or `nil` unless the number is 0, 1, 2, 4, 8 or 16.
  @inlinable
  public init?(samples: Int) {
    switch samples {
    case 0: self = .skipped
    case 1: self = .x1
    case 2: self = .x2
    case 4: self = .x4
    case 8: self = .x8
    case 16: self = .x16
    default: return nil
    }
  }

  /// The number of samples; 0 when skipped.
  @inlinable public var samples: Int { self == .skipped ? 0 : 1 << (Int(rawValue) - 1) }

  /// The resolution of temperature and pressure in bits with the filter off: 16...20 (DS 3.4.1).
  @inlinable public var resolutionBits: Int { self == .skipped ? 0 : 15 + Int(rawValue) }
}

/// The time constant of the IIR filter on temperature and pressure (DS table 28).
public enum Filter: UInt8, Hashable, Sendable, CaseIterable {
  /// No filter.
  case off = 0
  /// Coefficient 2.
  case c2 = 1
  /// Coefficient 4.
  case c4 = 2
  /// Coefficient 8.
  case c8 = 3
  /// Coefficient 16.
  case c16 = 4

  /// Decodes three bits of config; 100 to 111 all mean coefficient 16.
  @inlinable
  public init(bits: UInt8) {
    self = Filter(rawValue: min(bits & 0b111, 4)) ?? .c16
  }

  /// Creates the setting with a coefficient, or `nil` unless the coefficient is 0 or 1 (off), 2, 4, 8 or 16.
  @inlinable
  public init?(coefficient: Int) {
    switch coefficient {
    case 0, 1: self = .off
    case 2: self = .c2
    case 4: self = .c4
    case 8: self = .c8
    case 16: self = .c16
    default: return nil
    }
  }

  /// The coefficient c in `filtered = (old * (c - 1) + new) / c`; 1 when off.
  @inlinable public var coefficient: Int { 1 << Int(rawValue) }
}

/// The mode bits of ctrl_meas (DS table 25).
public enum PowerMode: UInt8, Hashable, Sendable, CaseIterable {
  /// No measurement; every register is accessible.
  case sleep = 0b00
  /// One measurement, then sleep.
  case forced = 0b01
  /// Continuous measurements, separated by the standby time.
  case normal = 0b11

  /// Decodes two bits; both 01 and 10 are forced mode.
  @inlinable
  public init(bits: UInt8) {
    switch bits & 0b11 {
    case 0b00: self = .sleep
    case 0b11: self = .normal
    default: self = .forced
    }
  }
}

/// The inactive time between two measurements in normal mode, selected by three bits of config (DS table 27).
public struct Standby: RawRepresentable, Hashable, Sendable {
  /// The three bits of config that select the time.
  public let rawValue: UInt8

  /// Creates a setting from three bits; higher bits are dropped.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue & 0b111 }

  /// Returns the nominal time in nanoseconds; the two chips differ in the codes 110 and 111.
  public func nanoseconds(on chip: Chip) -> UInt64 {
    switch rawValue {
    case 0: 500_000
    case 1: 62_500_000
    case 2: 125_000_000
    case 3: 250_000_000
    case 4: 500_000_000
    case 5: 1_000_000_000
    case 6: chip == .bme280 ? 10_000_000 : 2_000_000_000
    default: chip == .bme280 ? 20_000_000 : 4_000_000_000
    }
  }

  /// Creates the setting with a nominal time on a chip, or `nil` if the chip does not support that time.
  public init?(nanoseconds: UInt64, on chip: Chip) {
    for bits in 0..<UInt8(8) where Standby(rawValue: bits).nanoseconds(on: chip) == nanoseconds {
      self.init(rawValue: bits)
      return
    }
    return nil
  }
}
