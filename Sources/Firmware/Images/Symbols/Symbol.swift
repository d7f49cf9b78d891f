/// A name of a program and what stands there.
package struct Symbol: Hashable, Sendable {
  /// What stands there.
  package enum Kind: Sendable {
    /// A function.
    case function
    /// A variable or a constant.
    case object
    /// A place in code of which nothing more is known.
    case label
  }

  /// Its name, safe to show.
  package let name: String
  /// What stands there.
  package let kind: Kind
  /// Its first address, without the bit that says Thumb; for an AVR the byte in flash, or in data space.
  package let address: UInt32
  /// Its length in bytes; 0 where nobody has said.
  package let size: UInt32
  /// Whether another symbol may take its place: a default that the linker filled in.
  package let isWeak: Bool

  /// Creates a symbol.
  package init(name: String, kind: Kind, address: UInt32, size: UInt32, isWeak: Bool = false) {
    self.name = name
    self.kind = kind
    self.address = address
    self.size = size
    self.isWeak = isWeak
  }
}
