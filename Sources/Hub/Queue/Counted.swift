extension String {
  /// So many of what the word names: `1 record`, `2 records`.
  package func counted(_ count: Int) -> String { "\(count) \(self)\(count == 1 ? "" : "s")" }
}
