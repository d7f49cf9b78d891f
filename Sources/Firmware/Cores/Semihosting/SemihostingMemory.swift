/// The memory of a program that asks its debugger for something, byte by byte.
package struct SemihostingMemory {
  /// Reads a byte; `nil` where nothing is.
  package var read: (UInt32) -> UInt8?
  /// Writes a byte, and says whether something took it.
  package var write: (UInt32, UInt8) -> Bool

  /// Creates it of two functions.
  package init(read: @escaping (UInt32) -> UInt8?, write: @escaping (UInt32, UInt8) -> Bool) {
    self.read = read
    self.write = write
  }

  /// A little-endian word; bytes that are not there are 0.
  func word(_ address: UInt32) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(read(address &+ $1) ?? 0) << ($1 * 8) }
  }

  /// The word with a number of a block of arguments.
  func argument(_ block: UInt32, _ number: UInt32) -> UInt32 { word(block &+ number &* 4) }

  /// Writes a word; whether all of it was taken.
  func put(_ value: UInt32, at address: UInt32) -> Bool {
    (0..<4).allSatisfy { write(address &+ $0, UInt8(truncatingIfNeeded: value >> ($0 * 8))) }
  }

  /// So many bytes, or those up to where nothing is.
  func bytes(at address: UInt32, count: UInt32) -> [UInt8] {
    var found: [UInt8] = []
    for offset in 0..<min(count, Semihosting.longest) {
      guard let byte = read(address &+ offset) else { break }
      found.append(byte)
    }
    return found
  }

  /// The bytes before the next 0.
  func text(at address: UInt32) -> [UInt8] {
    var found: [UInt8] = []
    while UInt32(found.count) < Semihosting.longest,
      let byte = read(address &+ UInt32(found.count)), byte != 0
    {
      found.append(byte)
    }
    return found
  }
}
