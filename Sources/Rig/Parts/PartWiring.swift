/// The pins of a part, beyond those that every part has, as somebody looks at them when nobody answers.
package struct PartWiring: Hashable, Sendable {
  /// The pin that chooses the address, and where it must lie; `nil` where there is none.
  package let address: String?
  /// What else must be connected to what.
  package let others: [String]

  /// Creates the pins of a part; none unless given.
  package init(address: String? = nil, others: [String] = []) {
    self.address = address
    self.others = others
  }
}
