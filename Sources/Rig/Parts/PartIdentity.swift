/// Who answers at an address.
package enum PartIdentity: Hashable, Sendable {
  /// The part that was asked for.
  case itself
  /// Somebody else; what was found, in words.
  case other(String)
}
