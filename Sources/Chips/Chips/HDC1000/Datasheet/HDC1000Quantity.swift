/// A quantity that the HDC1000 measures.
public enum HDC1000Quantity: UInt8, Hashable, Sendable, CaseIterable {
  /// The temperature in °C.
  case temperature = 0
  /// The relative humidity in %.
  case humidity = 1

  /// The formula that converts a code to a value (DS 8.6.1 and 8.6.2).
  ///
  /// Codes are unsigned, so the temperature code 0x8000 is 42.5 °C.
  public var scale: CodeScale {
    switch self {
    case .temperature: CodeScale(offset: -40, span: 165)
    case .humidity: CodeScale(offset: 0, span: 100)
    }
  }

  /// The address of the quantity's result register.
  ///
  /// Writing this address to the pointer starts a measurement.
  public var register: UInt8 { rawValue }
}

/// The resolution of a quantity in bits; only humidity supports 8 bits.
public enum HDC1000Resolution: UInt8, Hashable, Sendable, CaseIterable {
  case bits14 = 0b00
  case bits11 = 0b01
  /// 8 bits, for humidity only.
  case bits8 = 0b10

  /// The number of bits.
  public var bits: Int {
    switch self {
    case .bits14: 14
    case .bits11: 11
    case .bits8: 8
    }
  }

  /// Returns the typical conversion time in nanoseconds (DS 7.5).
  ///
  /// The datasheet gives no maximum time.
  public func time(of quantity: HDC1000Quantity) -> UInt64 {
    switch (quantity, self) {
    case (.temperature, .bits14): 6_350_000
    case (.temperature, _): 3_650_000
    case (.humidity, .bits14): 6_500_000
    case (.humidity, .bits11): 3_850_000
    case (.humidity, .bits8): 2_500_000
    }
  }
}

/// Values from the HDC1000's datasheet, except for its registers and conversion times.
///
/// Table 7.5 of the datasheet (DS) was not available. The values cited as DS 7.5 come from other texts by the vendor
/// and from public drivers that repeat the table; the sleep current comes from DS 8.1.
public enum HDC1000Figures {
  /// The addresses selected by the pins ADR1 and ADR0 (DS 8.5.1).
  public static var addresses: ClosedRange<UInt16> { 0x40...0x43 }
  /// The contents of the manufacturer register (DS 8.6.5).
  public static var manufacturer: UInt16 { 0x5449 }
  /// The contents of the device register (DS 8.6.6).
  public static var device: UInt16 { 0x1000 }
  /// The contents of the device register on the later chips HDC1010, HDC1050 and HDC1080, which have the same
  /// registers as the HDC1000 (TI application note SBOA631).
  public static var laterDevice: UInt16 { 0x1050 }
  /// The maximum time from power-on until the chip can measure, in nanoseconds (DS 8.5.2).
  public static var startTime: UInt64 { 15_000_000 }
  /// The supply voltage below which the chip sets its low-battery bit, in V (DS 8.3.2).
  public static var lowSupply: Double { 2.8 }
  /// The supply voltage at which the datasheet specifies its values, in V (DS 7.5).
  public static var usualSupply: Double { 3.0 }
  /// The sleep current, in µA (DS 7.5).
  public static var sleepCurrent: Double { 0.11 }
  /// The current during a temperature measurement, in µA (DS 7.5).
  public static var temperatureCurrent: Double { 155 }
  /// The current during a humidity measurement, in µA (DS 7.5).
  public static var humidityCurrent: Double { 180 }
  /// The heater current, in µA (DS 7.5).
  public static var heaterCurrent: Double { 7_600 }
  /// The typical error of temperature, in °C (DS 7.5).
  public static var temperatureAccuracy: Double { 0.2 }
  /// The typical error of humidity, in % relative humidity (DS 7.5).
  public static var humidityAccuracy: Double { 3 }
  /// The repeatability of temperature, in °C (DS 7.5).
  public static var temperatureRepeatability: Double { 0.1 }
  /// The repeatability of humidity, in % relative humidity (DS 7.5).
  public static var humidityRepeatability: Double { 0.1 }
  /// The long-term drift of humidity, in % relative humidity per year (DS 7.5).
  public static var humidityPerYear: Double { 0.5 }
}
