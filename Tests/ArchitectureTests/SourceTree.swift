import Foundation
import TestSupport

/// The files of the repository, as the architecture tests read them.
enum SourceTree {
  /// The product's targets, parsed from `Package.swift`.
  static func targets() throws -> [TargetGraph] {
    let text = try Fixtures.text("Package.swift")
    return try folders(in: text).map { name, path in
      TargetGraph(name: name, files: try sources(path))
    }
  }

  /// The name and path of each target of the product, without those that only export another one.
  private static func folders(in manifest: String) -> [(String, String)] {
    let pattern =
      /(?m)^\s*target\(\s*"(?<name>\w+)"(?:[^()]|\([^()]*\))*?in: "(?<layer>\w+)"(?:,\s*path: "(?<path>[\w\/]+)")?/
    var found = manifest.matches(of: pattern).map { match in
      let name = String(match.output.name)
      return (
        name, "Sources/\(match.output.path.map(String.init) ?? "\(match.output.layer)/\(name)")"
      )
    }
    found.append(("aneroid", "Sources/aneroid"))
    return found
  }

  /// The names of all chips: the folders of the target Chips that hold a part, and the BMP280, which shares the BME280's.
  static func chips() throws -> Set<String> {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: Fixtures.root.appending(path: "Sources/Chips/Chips").path)
    return Set(names.filter { exists("Sources/Chips/Chips/\($0)/Part") }).union(["BMP280"])
  }

  /// The names of all boards: the folders of `Sources/Reach/Bridges` that hold one.
  static func boards() throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: Fixtures.root.appending(path: "Sources/Reach/Bridges").path)
    return names.filter { exists("Sources/Reach/Bridges/\($0)/\($0)Board.swift") }
  }

  /// Returns `true` if the repository has a file or a folder at `path`.
  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: Fixtures.root.appending(path: path).path)
  }

  /// The text files below a folder, keyed by their paths relative to it.
  ///
  /// Hidden folders, such as the build folders of nested packages, are skipped.
  ///
  /// - Parameters:
  ///   - path: the folder, relative to the repository.
  ///   - excluded: folders below it that are skipped.
  ///   - extensions: the accepted file name extensions. Default: Swift files.
  /// - Returns: the texts.
  /// - Throws: if a file cannot be read as UTF-8.
  static func sources(
    _ path: String, without excluded: [String] = [], extensions: Set<String> = ["swift"]
  ) throws -> [String: String] {
    let root = Fixtures.root.appending(path: path)
    var files: [String: String] = [:]
    let paths = FileManager.default.enumerator(atPath: root.path)
    while let file = paths?.nextObject() as? String {
      let name = file.split(separator: "/").last.map(String.init) ?? ""
      if name.hasPrefix(".") || name == "node_modules" || name == "__pycache__" {
        paths?.skipDescendants()
        continue
      }
      guard let dot = name.lastIndex(of: "."),
        extensions.contains(String(name[name.index(after: dot)...])),
        !excluded.contains(where: { file.hasPrefix($0 + "/") })
      else { continue }
      files[file] = try String(contentsOf: root.appending(path: file), encoding: .utf8)
    }
    return files
  }
}
