import CMath

/// The air of joined rooms at a moment.
struct CabinState: Hashable {
  /// The pressure in Pa, the temperature in K, and the part of the pressure that water vapour has, in Pa.
  var pressure: Double, temperature: Double, vapour: Double

  private static let percent = 0.01

  /// The pressure of saturated vapour over water at a temperature in K, in Pa.
  ///
  /// Magnus's formula with the figures of the WMO's guide to instruments (number 8, annex 4.B).
  static func saturation(at kelvin: Double) -> Double {
    let celsius = kelvin - 273.15
    return 611.2 * exp(17.62 * celsius / (243.12 + celsius))
  }

  /// The state of air as a rig gives it.
  init(_ air: Air) {
    pressure = air.pressure
    temperature = air.temperature + 273.15
    vapour = Self.saturation(at: temperature) * air.humidity * Self.percent
  }

  /// Creates a state.
  init(pressure: Double, temperature: Double, vapour: Double) {
    (self.pressure, self.temperature, self.vapour) = (pressure, temperature, vapour)
  }

  /// The air, warmed at constant volume by something else than the leak.
  ///
  /// Its mixing ratio stays; what is above saturation would be dew, and is shown as 100 %.
  func air(warmedBy kelvin: Double) -> Air {
    let warmer = temperature + kelvin
    let grown = warmer / temperature
    let humidity = vapour * grown / Self.saturation(at: warmer) / Self.percent
    return Air(
      pressure: pressure * grown, temperature: warmer - 273.15, humidity: min(humidity, 100))
  }
}
