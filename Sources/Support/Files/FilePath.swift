import Glibc

/// The parts of a path, by its bytes alone: nothing is looked up, and no link is followed.
package enum FilePath {
  private static let slash = UInt8(ascii: "/")

  /// The folder in which a path lies: nothing for a name alone, `/` for what lies at the top.
  package static func folder(of path: String) -> String {
    let path = withoutTrailingSlashes(Array(path.utf8)[...])
    guard let end = path.lastIndex(of: slash) else { return "" }
    return String(decoding: withoutTrailingSlashes(path[...end]), as: UTF8.self)
  }

  /// A path in a folder, with one slash between them.
  package static func joined(_ folder: String, _ path: String) -> String {
    guard let last = folder.utf8.last else { return path }
    return last == slash ? folder + path : "\(folder)/\(path)"
  }

  /// The same path from the top, without `.`, `..` and empty parts.
  package static func standardized(_ path: String) -> String {
    let whole = path.utf8.first == slash ? path : joined(current, path)
    var parts: [Substring] = []
    for part in whole.utf8.split(separator: slash) {
      switch Substring(part) {
      case ".": break
      case "..": _ = parts.popLast()
      case let part: parts.append(part)
      }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// The folder in which the program runs.
  private static var current: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }

  /// A path up to its last part; `/` stays.
  private static func withoutTrailingSlashes(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let end = path.lastIndex { $0 != slash } ?? path.startIndex
    return path.isEmpty ? path : path[...end]
  }
}
