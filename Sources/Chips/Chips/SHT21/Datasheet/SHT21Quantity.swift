/// A quantity that the SHT21 measures; one measurement yields one quantity.
public enum SHT21Quantity: UInt8, Hashable, Sendable, CaseIterable {
  /// The temperature in °C.
  case temperature
  /// The relative humidity over liquid water, in %.
  case humidity

  /// The formula that converts a code to a value, once the code's status bits are cleared (DS 6.1
  /// and 6.2).
  ///
  /// The formula applies at every resolution, because codes are left-aligned in 16 bits. It may
  /// yield a humidity below 0 or above 100 %.
  public var scale: CodeScale {
    switch self {
    case .temperature: CodeScale(offset: -46.85, span: 175.72)
    case .humidity: CodeScale(offset: -6, span: 125)
    }
  }

  /// The value of the status bits, the two lowest bits of a result: bit 1 is set for humidity (DS
  /// 5.4), and bit 0 is not assigned.
  public var statusBits: UInt16 { self == .humidity ? 0b10 : 0b00 }

  /// The mask of the status bits in a result.
  public static var statusMask: UInt16 { 0b11 }

  /// Returns the value of a result as read from the chip, ignoring its status bits.
  public func value(of result: UInt16) -> Double { scale.value(of: result & ~Self.statusMask) }
}

/// The resolution of the SHT21, selected by bits 7 and 0 of the user register (DS 5.6, table 8).
public enum SHT21Resolution: UInt8, Hashable, Sendable, CaseIterable {
  /// 12 bits for humidity and 14 bits for temperature; the resolution after reset.
  case humidity12Temperature14 = 0b00
  /// 8 bits for humidity and 12 bits for temperature.
  case humidity8Temperature12 = 0b01
  /// 10 bits for humidity and 13 bits for temperature.
  case humidity10Temperature13 = 0b10
  /// 11 bits for humidity and 11 bits for temperature.
  case humidity11Temperature11 = 0b11

  /// Returns the number of bits with which a quantity is measured.
  public func bits(of quantity: SHT21Quantity) -> Int {
    switch (quantity, self) {
    case (.humidity, .humidity12Temperature14): 12
    case (.humidity, .humidity8Temperature12): 8
    case (.humidity, .humidity10Temperature13): 10
    case (.humidity, .humidity11Temperature11): 11
    case (.temperature, .humidity12Temperature14): 14
    case (.temperature, .humidity8Temperature12): 12
    case (.temperature, .humidity10Temperature13): 13
    case (.temperature, .humidity11Temperature11): 11
    }
  }

  /// Returns the typical measurement time in nanoseconds (DS 5.4, table 7).
  public func typicalTime(of quantity: SHT21Quantity) -> UInt64 {
    switch (quantity, bits(of: quantity)) {
    case (.humidity, 12): 22_000_000
    case (.humidity, 11): 12_000_000
    case (.humidity, 10): 7_000_000
    case (.humidity, _): 3_000_000
    case (.temperature, 14): 66_000_000
    case (.temperature, 13): 33_000_000
    case (.temperature, 12): 17_000_000
    case (.temperature, _): 9_000_000
    }
  }

  /// Returns the maximum measurement time in nanoseconds, for which a driver must wait before it
  /// reads the result (DS 5.4, table 7).
  public func longestTime(of quantity: SHT21Quantity) -> UInt64 {
    switch (quantity, bits(of: quantity)) {
    case (.humidity, 12): 29_000_000
    case (.humidity, 11): 15_000_000
    case (.humidity, 10): 9_000_000
    case (.humidity, _): 4_000_000
    case (.temperature, 14): 85_000_000
    case (.temperature, 13): 43_000_000
    case (.temperature, 12): 22_000_000
    case (.temperature, _): 11_000_000
    }
  }
}

/// Figures from the SHT21 datasheet: address, times, supply, power and accuracy.
public enum SHT21Figures {
  /// The I2C address, which is fixed (DS 5.2).
  public static var address: UInt16 { 0x40 }
  /// The maximum time from power-on until the chip is ready, in nanoseconds (DS 5.1).
  public static var startTime: UInt64 { 15_000_000 }
  /// The maximum duration of a soft reset, in nanoseconds (DS 5.5).
  public static var resetTime: UInt64 { 15_000_000 }
  /// The supply voltage below which the chip sets the end-of-battery bit, in V; accurate to 0.1 V
  /// (DS 5.6).
  public static var lowSupply: Double { 2.25 }
  /// The supply voltage for which the datasheet specifies its figures, in V (DS table 1).
  public static var usualSupply: Double { 3.0 }
  /// The sleep current, in µA (DS table 1).
  public static var sleepCurrent: Double { 0.15 }
  /// The current during a measurement, in µA (DS table 1).
  public static var measuringCurrent: Double { 300 }
  /// The heater power at 3 V, in mW (DS table 1).
  public static var heaterPower: Double { 5.5 }
  /// The minimum and maximum temperature rise caused by the heater, in °C (DS table 1).
  public static var heaterRise: ClosedRange<Double> { 0.5...1.5 }
  /// The typical temperature error at 25 °C, in °C (DS "Sensor performance").
  public static var temperatureAccuracy: Double { 0.3 }
  /// The typical humidity error at 25 °C, in % relative humidity (DS "Sensor performance").
  public static var humidityAccuracy: Double { 2 }
  /// The temperature repeatability, in °C (DS "Sensor performance").
  public static var temperatureRepeatability: Double { 0.1 }
  /// The humidity repeatability, in % relative humidity (DS "Sensor performance").
  public static var humidityRepeatability: Double { 0.1 }
  /// The maximum temperature drift per year, in °C (DS "Sensor performance").
  public static var temperaturePerYear: Double { 0.04 }
  /// The maximum humidity drift per year, in % relative humidity (DS "Sensor performance").
  public static var humidityPerYear: Double { 0.5 }
}
