import I2C

extension SHT21Driver {
  /// Reads the serial number and checks it.
  ///
  /// The four checksums of the first place count for one byte each, as Sensirion names them, or for
  /// all bytes so far, as chips of the same command set give them: either is taken.
  ///
  /// - Throws: ``SHT21DriverError``.
  public func readSerialNumber() throws(SHT21DriverError) -> SHT21SerialNumber {
    var first = InlineArray<8, UInt8>(repeating: 0)
    var firstBytes = first.mutableSpan
    try readMemory(SHT21SerialNumber.firstCommand, into: &firstBytes)
    var second = InlineArray<6, UInt8>(repeating: 0)
    var secondBytes = second.mutableSpan
    try readMemory(SHT21SerialNumber.secondCommand, into: &secondBytes)
    let low = UInt16(second[0]) << 8 | UInt16(second[1])
    let high = UInt16(second[3]) << 8 | UInt16(second[4])
    let middle = try middle(of: first)
    try check(SHT21Checksum(of: low), against: second[2], .identify)
    var running = SHT21Checksum(of: low)
    running.add(second[3])
    running.add(second[4])
    if running.value != second[5] {
      try check(SHT21Checksum(of: high), against: second[5], .identify)
    }
    return SHT21SerialNumber(high: high, middle: middle, low: low)
  }

  private func middle(of bytes: InlineArray<8, UInt8>) throws(SHT21DriverError) -> UInt32 {
    var (value, running) = (UInt32(0), SHT21Checksum())
    for index in 0..<4 {
      let (byte, received) = (bytes[2 * index], bytes[2 * index + 1])
      running.add(byte)
      if running.value != received {
        try check(SHT21Checksum(of: byte), against: received, .identify)
      }
      value = value << 8 | UInt32(byte)
    }
    return value
  }

  /// Reads one place of the memory.
  ///
  ///     S  40 W A  [command] A [command] A  Sr  40 R A  [byte] A ... [byte] N  P
  private func readMemory(
    _ command: UInt16, into bytes: inout MutableSpan<UInt8>
  ) throws(SHT21DriverError) {
    let writing: InlineArray<2, UInt8> = [UInt8(command >> 8), UInt8(truncatingIfNeeded: command)]
    let segments: InlineArray<2, I2CSegment> = [
      .write(2, to: address), .read(bytes.count, from: address),
    ]
    do throws(I2CError) {
      try adapter.transfer(segments.span, writing: writing.span, reading: &bytes)
    } catch {
      throw SHT21DriverError(.identify, .bus(error))
    }
  }
}
