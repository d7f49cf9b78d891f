/// One result of the SHT21's driver: what was read, and what it means.
public struct SHT21Measurement: Hashable, Sendable {
  /// The 16 bits of temperature as read, status bits included.
  public let rawTemperature: UInt16
  /// The 16 bits of humidity as read, status bits included.
  public let rawHumidity: UInt16

  /// Creates a measurement from what was read.
  public init(rawTemperature: UInt16, rawHumidity: UInt16) {
    self.rawTemperature = rawTemperature
    self.rawHumidity = rawHumidity
  }

  /// The temperature in °C (DS 6.2).
  public var celsius: Double { SHT21Quantity.temperature.value(of: rawTemperature) }

  /// The relative humidity in %, 0...100: what the formula gives beyond is cut (DS 6.1).
  public var relativeHumidity: Double {
    min(max(SHT21Quantity.humidity.value(of: rawHumidity), 0), 100)
  }
}
