/// An error that the datasheet does not allow a part.
package struct PartExcess: Hashable, Sendable {
  /// The key of the rig, and the quantity.
  package let key, quantity: String
  /// What was asked for, and the most that the datasheet allows, in Pa, °C or %.
  package let asked, allowed: Double

  /// Creates an excess.
  package init(key: String, quantity: String, asked: Double, allowed: Double) {
    self.key = key
    self.quantity = quantity
    self.asked = asked
    self.allowed = allowed
  }
}
