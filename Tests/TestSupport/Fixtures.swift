public import Foundation

/// The files that tests read, found from where this file lies.
public enum Fixtures {
  /// The top of the repository.
  public static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The whole text of a file below the top of the repository.
  public static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The names of the rigs that are benches, sorted: all but those that are warehouses, which the hub runs.
  public static func rigs() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "rigs").path)
      .filter { try $0.hasSuffix(".yaml") && !text("rigs/\($0)").contains("\nwarehouse:\n") }
      .sorted()
  }
}
