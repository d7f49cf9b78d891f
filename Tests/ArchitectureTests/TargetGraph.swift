import Foundation

/// The folders of a target and the types that they use from each other.
struct TargetGraph {
  /// The target's name.
  let name: String
  /// The number of lines of all its files.
  let lines: Int
  /// The types that each folder declares.
  let types: [String: Set<String>]
  /// The folders that each folder depends on, each with an example of a use.
  let dependencies: [String: [String: String]]

  /// Builds the graph of a target from its sources.
  ///
  /// - Parameters:
  ///   - name: the target's name.
  ///   - files: its files, keyed by their paths in the target.
  init(name: String, files: [String: String]) {
    self.name = name
    lines = files.values.map { $0.count { $0 == "\n" } }.reduce(0, +)
    let texts = files.mapValues(SourceText.init)
    var types: [String: Set<String>] = [:]
    var owners: [String: String] = [:]
    for (path, text) in texts {
      for type in text.declaredTypes {
        types[Self.folder(of: path), default: []].insert(type)
        owners[type] = Self.folder(of: path)
      }
    }
    var dependencies: [String: [String: String]] = [:]
    for (path, text) in texts {
      let folder = Self.folder(of: path)
      for type in text.namedTypes {
        guard let owner = owners[type], owner != folder else { continue }
        dependencies[folder, default: [:]][owner] = "\(path) names \(type)"
      }
    }
    self.types = types
    self.dependencies = dependencies
  }

  /// The folder of a file's path.
  private static func folder(of path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }

  /// A message for each dependency that is part of a circle.
  var circles: [String] {
    dependencies.flatMap { folder, others in
      others.filter { leads(from: $0.key, to: folder) }.map { other, example in
        "\(name): '\(folder)' and '\(other)' depend on each other: \(example)"
      }
    }.sorted()
  }

  private func leads(from start: String, to end: String) -> Bool {
    var seen: Set<String> = [start]
    var waiting = [start]
    while let folder = waiting.popLast() {
      if folder == end { return true }
      for next in dependencies[folder, default: [:]].keys where seen.insert(next).inserted {
        waiting.append(next)
      }
    }
    return false
  }
}
