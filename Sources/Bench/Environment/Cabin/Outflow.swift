import CMath

/// How the pressure of joined rooms goes from a moment on, with a hole to vacuum and perhaps air that comes in.
///
/// The flow through the hole is choked down to vacuum (Fliegner): with the volume V, the effective area A and
/// c = sqrt(gamma) (2 / (gamma + 1))^((gamma + 1) / (2 (gamma - 1))) sqrt(R T), the time constant is V / (A c).
struct Outflow: Hashable {
  /// The pressure in Pa and the temperature in K at the start.
  var pressure: Double, temperature: Double
  /// The part of that pressure which water vapour has, in Pa.
  var vapour: Double
  /// The volume in m3, and the effective area of the hole in m2.
  let volume: Double, area: Double
  /// What comes in, in Pa/s.
  let inflow: Double
  let process: CabinPlan.Process

  /// The ratio of the heat capacities of air.
  static let gamma = 1.4
  /// The specific gas constant of air in J/(kg K).
  static let gasConstant = 287.05
  /// The factor of the choked flow: 0.6847.
  private static let choking = 0.684731456

  /// The time constant in seconds; `nil` without a hole.
  var timeConstant: Double? {
    guard area > 0 else { return nil }
    return volume / (area * Self.choking * (Self.gasConstant * temperature).squareRoot())
  }

  /// The air after some seconds: what leaves is a mixture, its vapour leaves as its nitrogen does; what comes in is dry.
  func state(after seconds: Double) -> CabinState {
    guard let constant = timeConstant else {
      return CabinState(
        pressure: pressure + inflow * seconds, temperature: temperature, vapour: vapour)
    }
    if process == .adiabatic, inflow == 0 {
      let base = 1 + (Self.gamma - 1) / 2 * seconds / constant
      let ratio = pow(base, -2 * Self.gamma / (Self.gamma - 1))
      return CabinState(
        pressure: pressure * ratio,
        temperature: temperature * pow(ratio, (Self.gamma - 1) / Self.gamma),
        vapour: vapour * ratio)
    }
    let balance = inflow * constant
    let share = exp(-seconds / constant)
    return CabinState(
      pressure: balance + (pressure - balance) * share, temperature: temperature,
      vapour: vapour * share)
  }
}
