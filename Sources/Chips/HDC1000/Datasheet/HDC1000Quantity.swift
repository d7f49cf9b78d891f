/// What the HDC1000 measures.
public enum HDC1000Quantity: UInt8, Hashable, Sendable, CaseIterable {
  /// The temperature in °C.
  case temperature = 0
  /// The relative humidity in %.
  case humidity = 1

  /// The formula that turns a code into the value (DS 8.6.1 and 8.6.2).
  ///
  /// The code has no sign: 0x8000 is 42.5 °C.
  public var scale: CodeScale {
    switch self {
    case .temperature: CodeScale(offset: -40, span: 165)
    case .humidity: CodeScale(offset: 0, span: 100)
    }
  }

  /// The register of the result, whose pointer starts a measurement.
  public var register: UInt8 { rawValue }
}
