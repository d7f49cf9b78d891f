/// How a run of a warehouse is told.
public enum WarehouseFormat: String, Sendable, CaseIterable {
  /// Lines for people.
  case text
  /// One object a line.
  case jsonl
  /// One list of the same objects.
  case json
}
