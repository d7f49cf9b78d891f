/// The version of the product.
public enum Version {
  /// The version number.
  public static let text = "0.1.0"
}
