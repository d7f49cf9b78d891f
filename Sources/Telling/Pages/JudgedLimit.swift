import Quantities
import Rigs

extension Expectation {
  /// How far single readings of a quantity may be from the air, in its kept unit; `nil` where this judges something
  /// else.
  ///
  /// - Parameters:
  ///   - quantity: the quantity.
  ///   - place: one sensor's; any where there is none.
  /// - Returns: the limit.
  func limit(of quantity: Quantity, at place: Rig.SensorID? = nil) -> Double? {
    guard case .agreement(let wanted) = condition, wanted.channel == quantity, wanted.value == nil,
      !wanted.selection.concernsMeans
    else { return nil }
    guard let place else { return wanted.tolerance }
    let selection = wanted.selection
    let isMeant =
      (selection.bus ?? place.bus) == place.bus
      && (selection.address ?? place.address) == place.address
    return isMeant ? wanted.tolerance : nil
  }
}
