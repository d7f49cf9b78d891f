/// One result of a sensor: what it measured, and the codes of its converters behind it.
public struct Sample: Hashable, Sendable {
  /// What the converters gave, before any formula.
  public struct Codes: Hashable, Sendable {
    /// The code of each quantity; `nil` where the part has no converter for it.
    public var temperature, pressure, humidity: Int32?

    /// Creates codes; none unless given.
    public init(temperature: Int32? = nil, pressure: Int32? = nil, humidity: Int32? = nil) {
      self.temperature = temperature
      self.pressure = pressure
      self.humidity = humidity
    }
  }

  /// The temperature in °C; `nil` where it was not measured.
  public var celsius: Double?
  /// The pressure in Pa; `nil` where it was not measured.
  public var pascals: Double?
  /// The relative humidity in %; `nil` where it was not measured.
  public var relativeHumidity: Double?
  /// The codes behind them.
  public var codes: Codes

  /// Creates a result; nothing was measured unless given.
  public init(
    celsius: Double? = nil, pascals: Double? = nil, relativeHumidity: Double? = nil,
    codes: Codes = Codes()
  ) {
    self.celsius = celsius
    self.pascals = pascals
    self.relativeHumidity = relativeHumidity
    self.codes = codes
  }
}
