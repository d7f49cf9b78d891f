import Foundation

/// A target as a house of folders: which folder names types of which other.
struct Room {
  /// The target's name.
  let name: String
  /// The lines of all its files.
  let lines: Int
  /// The types that each folder declares.
  let types: [String: Set<String>]
  /// For each folder the folders whose types it names, with an example of each.
  let arrows: [String: [String: String]]

  /// Draws the graph of some sources.
  ///
  /// - Parameters:
  ///   - name: the target's name.
  ///   - files: its files by their paths in the target.
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
    var arrows: [String: [String: String]] = [:]
    for (path, text) in texts {
      let folder = Self.folder(of: path)
      for type in text.namedTypes {
        guard let owner = owners[type], owner != folder else { continue }
        arrows[folder, default: [:]][owner] = "\(path) names \(type)"
      }
    }
    self.types = types
    self.arrows = arrows
  }

  /// The folder of a path: all but its last part.
  private static func folder(of path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }

  /// The arrows that lie on a circle, in words.
  var circles: [String] {
    arrows.flatMap { folder, others in
      others.filter { leads(from: $0.key, to: folder) }.map { other, example in
        "\(name): '\(folder)' needs '\(other)', which needs it: \(example)"
      }
    }.sorted()
  }

  private func leads(from start: String, to end: String) -> Bool {
    var seen: Set<String> = [start]
    var waiting = [start]
    while let folder = waiting.popLast() {
      if folder == end { return true }
      for next in arrows[folder, default: [:]].keys where seen.insert(next).inserted {
        waiting.append(next)
      }
    }
    return false
  }
}
