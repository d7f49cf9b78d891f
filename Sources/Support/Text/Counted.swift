extension String {
  /// A number of things that this noun names: `1 transfer`, `2 transfers`.
  package func counted(_ count: Int) -> String { "\(count) \(self)\(count == 1 ? "" : "s")" }
}
