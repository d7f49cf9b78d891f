import Files
import Glibc
import Schema

/// A rig that is a warehouse: the hub, a program of its own, runs and checks it.
enum WarehouseFile {
  /// Finds the file of a rig that has the key `warehouse` at its top level; nothing else of it is looked at.
  ///
  /// A named pipe can be read only once: it is none.
  ///
  /// - Parameter word: what names the rig; `rig:` may stand before it; `-` is standard input, which can be read again.
  /// - Returns: the file's path; `nil` for any other rig.
  static func path(_ word: String) -> String? {
    let hasScheme = word.hasPrefix("rig:") && !TextFile.exists(word)
    let path = hasScheme ? String(word.dropFirst(4)) : word
    if path == "-" {
      let bytes = RepeatableInput.bytes(longest: Document.longest)
      return bytes.map(hasKey) == true ? path : nil
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let bytes = try? TextFile.bytes(path, longest: Document.longest),
      hasKey(bytes)
    else { return nil }
    return path
  }

  private static func hasKey(_ bytes: [UInt8]) -> Bool {
    bytes.split(separator: UInt8(ascii: "\n")).contains(where: isKey)
  }

  /// Whether a line begins with the key, which may be quoted.
  private static func isKey(_ line: ArraySlice<UInt8>) -> Bool {
    ["warehouse", "\"warehouse\"", "'warehouse'"].contains { key in
      guard line.starts(with: key.utf8) else { return false }
      return line.dropFirst(key.utf8.count).first { $0 != UInt8(ascii: " ") } == UInt8(ascii: ":")
    }
  }
}
