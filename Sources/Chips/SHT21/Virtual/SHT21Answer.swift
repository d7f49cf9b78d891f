/// The bytes that a virtual SHT21 gives when it is read.
struct SHT21Answer {
  private var bytes = InlineArray<8, UInt8>(repeating: 0)
  private(set) var count = 0
  private var next = 0

  /// Whether there is nothing to read.
  var isEmpty: Bool { count == 0 }

  /// Adds a byte.
  mutating func add(_ byte: UInt8) {
    bytes[count] = byte
    count += 1
  }

  /// Adds a word, its high byte first, and its checksum.
  mutating func addChecked(_ word: UInt16) {
    add(UInt8(word >> 8))
    add(UInt8(truncatingIfNeeded: word))
    add(SHT21Checksum(of: word).value)
  }

  /// Starts at the first byte again.
  mutating func rewind() { next = 0 }

  /// Gives the next byte, or `nil` behind the last.
  mutating func read() -> UInt8? {
    guard next < count else { return nil }
    defer { next += 1 }
    return bytes[next]
  }

  /// The two places of a serial number's memory.
  init(_ number: SHT21SerialNumber, command: UInt16, _ kind: SHT21UnknownBehaviour.SerialChecksum) {
    var checksum = SHT21Checksum()
    func begin() { if kind == .each { checksum = SHT21Checksum() } }
    if command == SHT21SerialNumber.firstCommand {
      for shift in [24, 16, 8, 0] as [UInt32] {
        begin()
        let byte = UInt8(truncatingIfNeeded: number.middle >> shift)
        checksum.add(byte)
        add(byte)
        add(checksum.value)
      }
    } else {
      for word in [number.low, number.high] {
        begin()
        for byte in [UInt8(word >> 8), UInt8(truncatingIfNeeded: word)] {
          checksum.add(byte)
          add(byte)
        }
        add(checksum.value)
      }
    }
  }

  /// Nothing to read.
  init() {}
}
