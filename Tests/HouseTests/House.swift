import Foundation
import TestSupport

/// The sources of this package.
enum House {
  /// All targets of the product, as the manifest says them.
  static func rooms() throws -> [Room] {
    let text = try Fixtures.text("Package.swift")
    return try folders(in: text).map { name, path, excluded in
      Room(name: name, files: try sources(path, without: excluded))
    }
  }

  /// The name, path and excluded folders of each target of the product.
  private static func folders(in manifest: String) -> [(String, String, [String])] {
    var found: [(String, String, [String])] = []
    let grouped =
      /(?m)^\s*target\(\s*"(?<name>\w+)"(?<rest>(?:[^()]|\([^()]*\))*?group: "(?<group>[\w\/]+)"(?:,\s*folder: "(?<folder>[\w.]+)")?)/
    for match in manifest.matches(of: grouped) {
      let folder = match.output.folder ?? match.output.name
      found.append((String(match.output.name), "Sources/\(match.output.group)/\(folder)", []))
    }
    let chips = /path: "Sources\/Chips",\s*exclude: \[(?<excluded>[^\]]*)\]/
    if let match = manifest.firstMatch(of: chips) {
      let excluded = match.output.excluded.matches(of: /"([^"]+)"/).map { String($0.output.1) }
      found.append(("Chips", "Sources/Chips", excluded))
    }
    found.append(("aneroid", "Sources/aneroid", []))
    return found
  }

  /// The names of all chips: the folders of those, and the relative that shares one.
  static func chips() throws -> Set<String> {
    let folder = Fixtures.root.appending(path: "Sources/Chips")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let chips = names.filter {
      FileManager.default.fileExists(atPath: folder.appending(path: "\($0)/Part").path)
    }
    return Set(chips).union(["BMP280"])
  }

  /// The names of all boards: the folders of bridges that hold one.
  static func boards() throws -> [String] {
    let folder = Fixtures.root.appending(path: "Sources/Reach/Bridges")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return names.filter { has("Sources/Reach/Bridges/\($0)/\($0)Board.swift") }
  }

  /// Whether there is a file or a folder of the repository at a path.
  static func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: Fixtures.root.appending(path: path).path)
  }

  /// The Swift files below a folder, by their paths in it.
  static func sources(_ path: String, without excluded: [String] = []) throws -> [String: String] {
    let root = Fixtures.root.appending(path: path)
    var files: [String: String] = [:]
    let paths = FileManager.default.enumerator(atPath: root.path)
    while let file = paths?.nextObject() as? String {
      // A package within has a build of its own, which is nobody's source.
      if file.split(separator: "/").last?.hasPrefix(".") == true {
        paths?.skipDescendants()
        continue
      }
      guard file.hasSuffix(".swift"), !excluded.contains(where: { file.hasPrefix($0 + "/") })
      else { continue }
      files[file] = try String(contentsOf: root.appending(path: file), encoding: .utf8)
    }
    return files
  }
}
