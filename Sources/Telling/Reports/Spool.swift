import Files
import Glibc

/// Text that gathers until it is wanted: a little in memory, more in a file that nobody else sees.
package final class Spool {
  /// How much is kept in memory, in bytes.
  private static let most = 1 << 18

  private var gathered: [UInt8] = []
  private var descriptor: Int32 = -1
  /// Whether there is no room for a file: everything is then kept in memory.
  private var hasNoFile = false

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether nothing has gathered.
  package var isEmpty: Bool { gathered.isEmpty && descriptor < 0 }

  /// Adds text.
  package func append(_ text: String) {
    gathered += text.utf8
    if gathered.count > Self.most { spill() }
  }

  /// Gives all text in pieces, in order.
  package func drain(_ take: (String) -> Void) {
    if descriptor >= 0, lseek(descriptor, 0, SEEK_SET) == 0 {
      // A piece ends where a character ends.
      var rest: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: Self.most)
      while case let count = read(descriptor, &chunk, chunk.count), count > 0 {
        rest += chunk[..<count]
        let whole = rest.count - Self.unfinished(rest)
        take(String(decoding: rest[..<whole], as: UTF8.self))
        rest.removeFirst(whole)
      }
    }
    take(String(decoding: gathered, as: UTF8.self))
  }

  /// How many bytes at the end begin a character that is not whole.
  private static func unfinished(_ bytes: [UInt8]) -> Int {
    for count in 1...3 where count <= bytes.count {
      let byte = bytes[bytes.count - count]
      if byte & 0xC0 == 0x80 { continue }
      let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      return length > count ? count : 0
    }
    return 0
  }

  private func spill() {
    guard !hasNoFile else { return }
    if descriptor < 0 {
      descriptor = ScratchFile.open()
      guard descriptor >= 0 else {
        hasNoFile = true
        return
      }
    }
    let end = lseek(descriptor, 0, SEEK_END)
    if writeAll(gathered, to: descriptor) == 0 {
      gathered.removeAll(keepingCapacity: true)
    } else {
      // A disk that is full keeps what it has; the rest stays here.
      ftruncate(descriptor, end)
      hasNoFile = true
    }
  }
}
