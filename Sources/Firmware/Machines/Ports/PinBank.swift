/// The pins of a microcontroller.
package final class PinBank {
  /// What drives a pin from within.
  package enum Drive: Hashable, Sendable {
    /// Nothing: an input, or not connected.
    case floating
    /// A resistor to ground or to the supply.
    case pulled(Bool)
    /// The part drives it.
    case driven(Bool)
  }

  /// The names of the pins, as the data sheet writes them.
  package let names: [String]
  /// Is told when the part changes what it does to a pin, with the time in nanoseconds.
  package var output: (_ pin: Int, _ drive: Drive, _ time: UInt64) -> Void = { _, _, _ in }
  /// Is told when a level changed from outside; the peripheral sets it.
  package var didChange: (_ pin: Int) -> Void = { _ in }

  private var inside: [Drive]
  private var outside: [Bool?]

  /// Creates pins that nothing drives.
  package init(_ names: [String]) {
    self.names = names
    inside = Array(repeating: .floating, count: names.count)
    outside = Array(repeating: nil, count: names.count)
  }

  /// The level that is seen at a pin; one that floats reads low.
  package func level(of pin: Int) -> Bool {
    if case .driven(let level) = inside[pin] { return level }
    if let level = outside[pin] { return level }
    if case .pulled(let level) = inside[pin] { return level }
    return false
  }

  /// What the part does to a pin.
  package func drive(of pin: Int) -> Drive { inside[pin] }

  /// Drives a pin from outside, or lets go of it with `nil`.
  package func set(_ pin: Int, to level: Bool?) {
    let before = self.level(of: pin)
    outside[pin] = level
    if self.level(of: pin) != before { didChange(pin) }
  }

  /// Takes what the part does to a pin at a time in nanoseconds.
  package func set(_ pin: Int, _ drive: Drive, at time: UInt64) {
    guard inside[pin] != drive else { return }
    let before = level(of: pin)
    inside[pin] = drive
    output(pin, drive, time)
    if level(of: pin) != before { didChange(pin) }
  }
}
