/// How finely the SHT21 measures: bits 7 and 0 of the user register (DS 5.6, table 8).
public enum SHT21Resolution: UInt8, Hashable, Sendable, CaseIterable {
  /// Humidity in 12 bits, temperature in 14, as after a reset.
  case humidity12Temperature14 = 0b00
  /// Humidity in 8 bits, temperature in 12.
  case humidity8Temperature12 = 0b01
  /// Humidity in 10 bits, temperature in 13.
  case humidity10Temperature13 = 0b10
  /// Humidity in 11 bits, temperature in 11.
  case humidity11Temperature11 = 0b11

  /// The number of bits of a quantity.
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

  /// The time that a measurement takes as a rule, in nanoseconds (DS 5.4, table 7).
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

  /// The longest time that a measurement takes, in nanoseconds: what to wait (DS 5.4, table 7).
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
