import Foundation

/// How long a trace is, from its last line; nothing else of it is read here.
enum TraceLength {
  private struct Transfer: Decodable { let t: Int64 }

  /// How many bytes of the end are looked at: longer than any transfer's line.
  private static let tail: UInt64 = 1 << 20

  /// Whole seconds from the start to the last transfer; `nil` for a file that cannot be read, or has no transfer.
  static func seconds(of path: String) -> Int? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let size = try? file.seekToEnd(),
      (try? file.seek(toOffset: size > tail ? size - tail : 0)) != nil,
      let bytes = try? file.readToEnd()
    else { return nil }
    let decoder = JSONDecoder()
    for line in bytes.split(separator: UInt8(ascii: "\n")).reversed() {
      if let last = try? decoder.decode(Transfer.self, from: Data(line)) {
        return Int(last.t / 1_000_000_000)
      }
    }
    return nil
  }
}
