import Files
import Glibc
import Schema

/// A rig that is a warehouse: the hub, a program of its own, runs and checks it.
enum WarehouseFile {
  /// Finds the file of a rig that has the key `warehouse` at its top level.
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

  /// A text without the word is not parsed.
  private static func hasKey(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.contains("warehouse") && DocumentFamily(of: text) == .warehouse
  }
}
