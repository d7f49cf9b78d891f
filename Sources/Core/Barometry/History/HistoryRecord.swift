/// The bytes of a history on storage, safe against a crash in the middle of a write.
///
/// A record is 21 bytes: its length without the frame (16), the time (signed 64 bits, ns since
/// 1970), the pressure (IEEE 754 double, Pa), and the CRC-32 of all before it; all little-endian.
/// The highest bit of the length is set where the pressure stands in for that of a sensor that was lost.
/// Records stand end to end behind ``header``. What a crash leaves half-written has the wrong
/// length or checksum and is recognised.
public enum HistoryRecord {
  /// The bytes of one record.
  public static var length: Int { 21 }

  /// What stands at the start of a history.
  public static var header: InlineArray<8, UInt8> {
    [0x41, 0x4E, 0x52, 0x44, 0x48, 0x49, 0x53, 0x01]  // "ANRDHIS", version 1
  }

  private static var standInBit: UInt8 { 0x80 }

  /// Encodes a point.
  ///
  /// - Parameters:
  ///   - point: the point.
  ///   - isStandIn: whether its pressure is not the sensor's.
  /// - Returns: the record.
  public static func encode(
    _ point: PressurePoint, isStandIn: Bool = false
  ) -> InlineArray<21, UInt8> {
    var record = InlineArray<21, UInt8>(repeating: 0)
    record[0] = isStandIn ? 16 | standInBit : 16
    put(UInt64(bitPattern: point.time), into: &record, at: 1)
    put(point.pascals.bitPattern, into: &record, at: 9)
    var checksum = CRC32()
    for index in 0..<17 { checksum.update(record[index]) }
    for index in 0..<4 {
      record[17 + index] = UInt8(truncatingIfNeeded: checksum.value >> UInt32(8 * index))
    }
    return record
  }

  /// Decodes the record at `offset`, or `nil` when it is cut off or its checksum is wrong.
  public static func decode(_ bytes: Span<UInt8>, at offset: Int) -> PressurePoint? {
    guard offset + length <= bytes.count, bytes[offset] & ~standInBit == 16 else { return nil }
    var checksum = CRC32()
    for index in offset..<(offset + 17) { checksum.update(bytes[index]) }
    var stored: UInt32 = 0
    for index in 0..<4 { stored |= UInt32(bytes[offset + 17 + index]) << UInt32(8 * index) }
    guard stored == checksum.value else { return nil }
    return PressurePoint(
      time: Int64(bitPattern: word(bytes, at: offset + 1)),
      pascals: Double(bitPattern: word(bytes, at: offset + 9)))
  }

  /// Whether the good record at `offset` is of a pressure that stands in for a sensor's.
  public static func isStandIn(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
    bytes[offset] & standInBit != 0
  }

  private static func put(
    _ word: UInt64, into record: inout InlineArray<21, UInt8>, at offset: Int
  ) {
    // In halves: a processor of 32 bits shifts 64 in a function.
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
