/// The version of the product.
package enum Version {
  /// The version as text.
  package static let text = "0.1.0"
}
