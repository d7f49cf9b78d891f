/// What the SHT21 measures, one at a time.
public enum SHT21Quantity: UInt8, Hashable, Sendable, CaseIterable {
  /// The temperature in °C.
  case temperature
  /// The relative humidity in %, over liquid water.
  case humidity

  /// The formula that turns a code, its status bits cleared, into the value (DS 6.1 and 6.2).
  ///
  /// It holds for every resolution: the code fills 16 bits from the left. Humidity may come out
  /// below 0 or above 100 %.
  public var scale: CodeScale {
    switch self {
    case .temperature: CodeScale(offset: -46.85, span: 175.72)
    case .humidity: CodeScale(offset: -6, span: 125)
    }
  }

  /// The status bits in the two lowest bits of a result: bit 1 tells humidity (DS 5.4); bit 0 is
  /// not assigned.
  public var statusBits: UInt16 { self == .humidity ? 0b10 : 0b00 }

  /// The bits of a result that belong to the status, not to the value.
  public static var statusMask: UInt16 { 0b11 }

  /// The value of a result as it was read: its status bits are cleared first.
  public func value(of result: UInt16) -> Double { scale.value(of: result & ~Self.statusMask) }
}
