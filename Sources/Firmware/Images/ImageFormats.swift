import Support

/// A reader of Intel HEX (Intel's "Hexadecimal Object File Format Specification", revision A, 1988).
enum IntelHex {
  /// Returns whether a file may be Intel HEX because its first non-blank character is a colon.
  static func isLikely(_ bytes: [UInt8]) -> Bool {
    bytes.first { !isBlank($0) } == UInt8(ascii: ":")
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [9, 10, 13, 32].contains(byte) }

  /// Returns the image that the records describe.
  ///
  /// - Throws: `ImageError` with the line of the first invalid record, or if the end record is missing.
  static func image(_ bytes: [UInt8], path: String) throws(ImageError) -> FirmwareImage {
    var memory = HexMemory()
    var line = 0
    var isOver = false
    for text in bytes.split(separator: 10, omittingEmptySubsequences: false) {
      line += 1
      let text = text.filter { !isBlank($0) }
      guard !text.isEmpty else { continue }
      guard !isOver else { throw problem(line, "a record follows the end record") }
      isOver = try memory.take(try record(text, line), line)
    }
    guard isOver else {
      throw ImageError("the file is truncated: the end record (:00000001FF) is missing")
    }
    var image = try FirmwareImage(path: path, form: .hex, memory.segments)
    image.entry = memory.entry
    return image
  }

  /// Returns an error for a line.
  static func problem(_ line: Int, _ message: String) -> ImageError {
    ImageError("line \(line): \(message)")
  }

  /// Returns the bytes of a record (count, address, type and data) without the checksum.
  private static func record(_ text: [UInt8], _ line: Int) throws(ImageError) -> [UInt8] {
    guard text[0] == UInt8(ascii: ":") else {
      throw problem(line, "a record must begin with a colon")
    }
    guard text.count % 2 == 1 else { throw problem(line, "odd number of hexadecimal digits") }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    for index in stride(from: 1, to: text.count, by: 2) {
      guard let high = digit(text[index]), let low = digit(text[index + 1]) else {
        throw problem(line, "invalid hexadecimal digit")
      }
      bytes.append(high << 4 | low)
    }
    guard bytes.count >= 5, bytes.count == Int(bytes[0]) + 5 else {
      throw problem(line, "the record length does not match its byte count")
    }
    guard bytes.reduce(0, &+) == 0 else { throw problem(line, "the checksum is wrong") }
    return bytes.dropLast()
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }
}

/// The memory contents that the records processed so far describe.
private struct HexMemory {
  private var base: UInt32 = 0
  private var isSegmented = false
  private var done: [ImageSegment] = []
  private var start: UInt32 = 0
  private var bytes: [UInt8] = []
  private(set) var entry: UInt32?

  /// The contiguous segments, in file order.
  var segments: [ImageSegment] { done + [ImageSegment(address: start, bytes: bytes)] }

  /// Processes a record; returns `true` if it is the end record.
  mutating func take(_ record: [UInt8], _ line: Int) throws(ImageError) -> Bool {
    let data = record[4...]
    let value = data.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let lengths: [UInt8: Int] = [1: 0, 2: 2, 3: 4, 4: 2, 5: 4]
    if let length = lengths[record[3]], data.count != length {
      throw IntelHex.problem(
        line, "a record of type \(record[3]) must have \("byte".counted(length))")
    }
    switch record[3] {
    case 0: try fill(UInt32(record[1]) << 8 | UInt32(record[2]), data, line)
    case 1: return true
    case 2: (base, isSegmented) = (value << 4, true)
    case 3: entry = (value >> 16) << 4 &+ value & 0xFFFF
    case 4: (base, isSegmented) = (value << 16, false)
    case 5: entry = value
    default: throw IntelHex.problem(line, "unknown record type \(record[3])")
    }
    return false
  }

  private mutating func fill(
    _ offset: UInt32, _ data: ArraySlice<UInt8>, _ line: Int
  ) throws(ImageError) {
    guard !data.isEmpty else { return }
    let isWrapped = UInt64(offset) + UInt64(data.count) > 0x1_0000
    guard !isWrapped || !isSegmented, UInt64(base) + UInt64(offset) + UInt64(data.count) <= 1 << 32
    else { throw IntelHex.problem(line, "a record exceeds its segment") }
    let address = base + offset
    if UInt64(start) + UInt64(bytes.count) != UInt64(address) {
      done.append(ImageSegment(address: start, bytes: bytes))
      (start, bytes) = (address, [])
    }
    bytes += data
  }
}

/// A reader of UF2 files, in blocks of 512 bytes (Microsoft's "USB Flashing Format (UF2)").
///
/// The blocks of one family are read; those that are not for the main flash are skipped.
enum UF2File {
  private static let first: UInt32 = 0x0A32_4655, second: UInt32 = 0x9E5D_5157
  private static let last: UInt32 = 0x0AB1_6F30
  private static let size = 512
  /// The bits of the flags: not for the main flash, and with a family in the last word of the header.
  private static let isElsewhere: UInt32 = 1, hasFamily: UInt32 = 0x2000
  /// The families that have only one of the microcontrollers, by the names of their models (Microsoft's uf2families.json).
  private static let families: [UInt32: String] = [
    0xE48B_FF56: "rp2040", 0xADA5_2840: "nrf52840",
  ]
  /// A block that only works around an error of the RP2350 (RP2350-E10).
  private static let workaround: UInt32 = 0xE48B_FF57

  /// Returns whether a file begins as UF2.
  static func isLikely(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 8 && word(bytes, 0) == first && word(bytes, 4) == second
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Returns the image in the blocks.
  ///
  /// - Throws: `ImageError` with the number of the first invalid block, if blocks are missing, or if they are for several
  ///   families.
  static func image(_ bytes: [UInt8], path: String) throws(ImageError) -> FirmwareImage {
    guard bytes.count % size == 0 else {
      throw ImageError("the file is truncated: \(bytes.count) bytes are no whole number of blocks")
    }
    var parts: [(address: UInt32, bytes: [UInt8])] = []
    var found: Set<UInt32> = []
    var numbers: Set<UInt32> = []
    var count: UInt32 = 0
    for (index, start) in stride(from: 0, to: bytes.count, by: size).enumerated() {
      guard word(bytes, start) == first, word(bytes, start + 4) == second,
        word(bytes, start + 508) == last
      else { throw ImageError("block \(index): the magic numbers are wrong") }
      let (flags, length) = (word(bytes, start + 8), word(bytes, start + 16))
      guard length <= 476 else { throw ImageError("block \(index): \(length) bytes of 476") }
      let family = flags & hasFamily != 0 ? word(bytes, start + 28) : 0
      guard flags & isElsewhere == 0, family != workaround else { continue }
      found.insert(family)
      guard found.count == 1 else {
        throw ImageError("block \(index): the blocks are for several families")
      }
      numbers.insert(word(bytes, start + 20))
      count = max(count, word(bytes, start + 24))
      parts.append((word(bytes, start + 12), Array(bytes[start + 32..<start + 32 + Int(length)])))
    }
    guard numbers.count == Int(count) else {
      throw ImageError("\(numbers.count) of \(count) blocks are in the file")
    }
    var image = try FirmwareImage(path: path, form: .uf2, joined(parts))
    image.requirements.name = found.first.flatMap { families[$0] }
    return image
  }

  /// Joins the contents of blocks that follow each other.
  private static func joined(_ parts: [(address: UInt32, bytes: [UInt8])]) -> [ImageSegment] {
    var segments: [(address: UInt32, bytes: [UInt8])] = []
    for part in parts.sorted(by: { $0.address < $1.address }) {
      let end = segments.last.map { UInt64($0.address) + UInt64($0.bytes.count) }
      if end == UInt64(part.address) {
        segments[segments.count - 1].bytes += part.bytes
      } else {
        segments.append(part)
      }
    }
    return segments.map { ImageSegment(address: $0.address, bytes: $0.bytes) }
  }
}
