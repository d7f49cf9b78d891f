package import I2C

/// An I2C controller of a microcontroller, to which a rig ties a bus.
package final class I2CPort {
  /// What a rig may call it: the data sheet's names, the usual one first.
  package let names: [String]
  /// The wire at its pins; `nil` is a bus with pull-ups and nobody on it.
  package var wire: (any I2CWire)? {
    get { tied }
    set { tied = newValue }
  }
  // Behind a computed property: another module that sets it would be checked for exclusive access all the same.
  @exclusivity(unchecked) private var tied: (any I2CWire)?

  /// Creates a controller's port without a bus.
  package init(_ names: String...) { self.names = names }

  /// The usual name.
  package var name: String { names[0] }
}
