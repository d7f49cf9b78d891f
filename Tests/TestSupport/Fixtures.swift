import Glibc

#if canImport(Foundation)
  public import Foundation
#endif

/// The files read by tests, located relative to this file.
public enum Fixtures {
  /// A file that cannot be read, or is not UTF-8.
  public struct Unreadable: Error {
    /// The path of the file in the repository.
    public let path: String
  }

  /// The path of the root of the repository.
  public static let rootPath = #filePath.split(separator: "/").dropLast(3).reduce("") {
    $0 + "/" + $1
  }

  /// Returns the text of a file, by its path in the repository.
  public static func text(_ path: String) throws -> String {
    guard let file = fopen(rootPath + "/" + path, "rb") else { throw Unreadable(path: path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
      bytes += chunk[..<count]
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Unreadable(path: path) }
    return text
  }
}

#if canImport(Foundation)
  extension Fixtures {
    /// The root of the repository.
    public static let root = URL(filePath: rootPath)

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
#endif
