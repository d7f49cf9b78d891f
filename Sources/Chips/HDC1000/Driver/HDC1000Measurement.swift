/// One result of the HDC1000's driver: what was read, and what it means.
public struct HDC1000Measurement: Hashable, Sendable {
  /// The register temperature.
  public let rawTemperature: UInt16
  /// The register humidity.
  public let rawHumidity: UInt16

  /// Creates a measurement from what was read.
  public init(rawTemperature: UInt16, rawHumidity: UInt16) {
    self.rawTemperature = rawTemperature
    self.rawHumidity = rawHumidity
  }

  /// The temperature in °C (DS 8.6.1).
  public var celsius: Double { HDC1000Quantity.temperature.scale.value(of: rawTemperature) }

  /// The relative humidity in %, 0 up to nearly 100 (DS 8.6.2).
  public var relativeHumidity: Double { HDC1000Quantity.humidity.scale.value(of: rawHumidity) }
}
