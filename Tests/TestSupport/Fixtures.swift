public import Foundation

/// The files read by tests, located relative to this file.
public enum Fixtures {
  /// The root of the repository.
  public static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the text of a file, by its path in the repository.
  public static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The names of the bench rigs, sorted; warehouse rigs, which the hub runs, and campaigns are excluded.
  public static func rigs() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "rigs").path)
      .filter { name in
        guard name.hasSuffix(".yaml") else { return false }
        let text = try text("rigs/\(name)")
        return !text.contains("\nwarehouse:\n") && !text.contains("=campaign.schema.json")
      }
      .sorted()
  }
}
