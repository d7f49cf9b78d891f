import Support

#if canImport(Foundation)
  public import Foundation
#endif

/// The files read by tests, located relative to this file.
public enum Fixtures {
  /// The path of the root of the repository.
  public static let rootPath = #filePath.split(separator: "/").dropLast(3).reduce("") {
    $0 + "/" + $1
  }

  /// Returns the text of a file, by its path in the repository.
  public static func text(_ path: String) throws -> String {
    try TextFile.read(rootPath + "/" + path)
  }

  /// The names of the bench rigs, sorted; warehouse rigs, which the hub runs, and campaigns are excluded.
  public static func rigs() throws -> [String] {
    try (Folder.names(in: rootPath + "/rigs") ?? [])
      .filter { name in
        guard name.hasSuffix(".yaml") else { return false }
        let text = try text("rigs/\(name)")
        return !text.contains("\nwarehouse:\n") && !text.contains("=campaign.schema.json")
      }
      .sorted()
  }
}

#if canImport(Foundation)
  extension Fixtures {
    /// The root of the repository.
    public static let root = URL(filePath: rootPath)
  }
#endif
