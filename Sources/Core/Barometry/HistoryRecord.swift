/// The storage format of a history, safe against a crash in the middle of a write.
///
/// A record has 21 bytes, all little-endian: the length of its content (16), the time (signed 64
/// bits, ns since 1970), the pressure (IEEE 754 double, Pa), and the CRC-32 of the preceding bytes.
/// The two highest bits of the length byte are the origin of the pressure. The records follow
/// `header` without separators. A half-written record is detected by its wrong length or checksum.
public enum HistoryRecord {
  /// The origin of a pressure; the raw value is its bits in the length byte.
  public enum Origin: UInt8, Hashable, Sendable {
    /// The sensor measured it.
    case sensor = 0
    /// It came from a backup because the sensor was lost.
    case backup = 0x80
    /// A user added it by hand.
    case hand = 0x40
  }

  /// The size of a record in bytes.
  public static var length: Int { 21 }

  /// The header of a history file.
  public static var header: InlineArray<8, UInt8> {
    [0x41, 0x4E, 0x52, 0x44, 0x48, 0x49, 0x53, 0x01]  // "ANRDHIS", version 1
  }

  private static var originBits: UInt8 { 0xC0 }

  /// Encodes a point.
  ///
  /// - Parameters:
  ///   - point: the point.
  ///   - origin: the origin of the pressure. Default: the sensor.
  /// - Returns: the record.
  public static func encode(
    _ point: PressurePoint, from origin: Origin = .sensor
  ) -> InlineArray<21, UInt8> {
    var record = InlineArray<21, UInt8>(repeating: 0)
    record[0] = 16 | origin.rawValue
    put(UInt64(bitPattern: point.time), into: &record, at: 1)
    put(point.pascals.bitPattern, into: &record, at: 9)
    var checksum = CRC32()
    for index in 0..<17 { checksum.update(record[index]) }
    for index in 0..<4 {
      record[17 + index] = UInt8(truncatingIfNeeded: checksum.value >> UInt32(8 * index))
    }
    return record
  }

  /// Decodes the record at `offset`; returns `nil` if the record is incomplete or its checksum is
  /// wrong.
  public static func decode(_ bytes: Span<UInt8>, at offset: Int) -> PressurePoint? {
    guard offset + length <= bytes.count, bytes[offset] & ~originBits == 16 else { return nil }
    var checksum = CRC32()
    for index in offset..<(offset + 17) { checksum.update(bytes[index]) }
    var stored: UInt32 = 0
    for index in 0..<4 { stored |= UInt32(bytes[offset + 17 + index]) << UInt32(8 * index) }
    guard stored == checksum.value else { return nil }
    return PressurePoint(
      time: Int64(bitPattern: word(bytes, at: offset + 1)),
      pascals: Double(bitPattern: word(bytes, at: offset + 9)))
  }

  /// Returns the origin of the pressure in the valid record at `offset`; the sensor for an unknown
  /// origin.
  public static func origin(_ bytes: Span<UInt8>, at offset: Int) -> Origin {
    Origin(rawValue: bytes[offset] & originBits) ?? .sensor
  }

  private static func put(
    _ word: UInt64, into record: inout InlineArray<21, UInt8>, at offset: Int
  ) {
    // Write the word in two halves, because a 32-bit processor calls a function for each 64-bit
    // shift.
    let (low, high) = (UInt32(truncatingIfNeeded: word), UInt32(truncatingIfNeeded: word >> 32))
    for index in 0..<4 {
      record[offset + index] = UInt8(truncatingIfNeeded: low >> UInt32(8 * index))
      record[offset + 4 + index] = UInt8(truncatingIfNeeded: high >> UInt32(8 * index))
    }
  }

  private static func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<8 { word |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
    return word
  }
}

/// The result of reading the stored bytes of a history.
public enum HistoryRecovery: Hashable, Sendable {
  /// All bytes belong to valid records.
  case complete(records: Int)
  /// The last write was interrupted: the first `validLength` bytes are valid, and a torn record
  /// follows them.
  case torn(records: Int, validLength: Int)
  /// A record before the last one is damaged; it begins at byte `offset`.
  case damaged(offset: Int)
  /// The bytes do not begin with the header of a history.
  case foreign
}

extension PressureHistory {
  /// Appends the points decoded from stored bytes, and reports the condition of the bytes.
  ///
  /// Points are appended only if the result is `complete` or `torn`; otherwise the history is
  /// unchanged.
  ///
  /// Points at `now` or later, and points out of order, are skipped.
  public mutating func recover(from bytes: Span<UInt8>, now: Int64) -> HistoryRecovery {
    let header = HistoryRecord.header
    for index in 0..<min(header.count, bytes.count) where bytes[index] != header[index] {
      return .foreign
    }
    guard bytes.count >= header.count else {
      return bytes.isEmpty ? .complete(records: 0) : .torn(records: 0, validLength: 0)
    }
    var found: [PressurePoint] = []
    var offset = header.count
    while let point = HistoryRecord.decode(bytes, at: offset) {
      found.append(point)
      offset += HistoryRecord.length
    }
    if bytes.count - offset > HistoryRecord.length { return .damaged(offset: offset) }
    for point in found where point.time < now { try? append(point) }
    return offset == bytes.count
      ? .complete(records: found.count) : .torn(records: found.count, validLength: offset)
  }
}

/// The CRC-32 of IEEE 802.3 (reflected polynomial 0xEDB88320).
struct CRC32 {
  private var state: UInt32 = 0xFFFF_FFFF

  /// The checksum of the bytes added so far.
  var value: UInt32 { ~state }

  /// Adds a byte.
  mutating func update(_ byte: UInt8) {
    state ^= UInt32(byte)
    shiftFour()
    shiftFour()
  }

  /// Divides the next four bits of the state by the polynomial.
  @inline(__always)
  private mutating func shiftFour() {
    state = state >> 4 ^ Self.remainders[unchecked: Int(state & 15)]
  }

  /// The remainder of the polynomial division for each four-bit value.
  private static let remainders: InlineArray<16, UInt32> = [
    0x0000_0000, 0x1DB7_1064, 0x3B6E_20C8, 0x26D9_30AC, 0x76DC_4190, 0x6B6B_51F4, 0x4DB2_6158,
    0x5005_713C, 0xEDB8_8320, 0xF00F_9344, 0xD6D6_A3E8, 0xCB61_B38C, 0x9B64_C2B0, 0x86D3_D2D4,
    0xA00A_E278, 0xBDBD_F21C,
  ]
}
