import Text

extension SHA256 {
  /// The 64 hexadecimal digits of the digest of a text's UTF-8.
  package static func digits(_ text: String) -> String {
    digest(Array(text.utf8)).reduce(into: "") { $0 += Hexadecimal.digits($1) }
  }
}
