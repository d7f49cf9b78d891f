import I2C

/// TWIM0 as an adapter: messages between the wire and RAM, the core asleep meanwhile.
final class TwoWire: I2CAdapter {
  /// The longest message: MAXCNT has eight bits, and the buffer as many bytes.
  static var longest: Int { 64 }

  private static var interrupt: UInt32 { 3 }
  private let wire = Registers(peripheral: 3)
  private let sent = UnsafeMutablePointer<UInt8>.allocate(capacity: TwoWire.longest)
  private let received = UnsafeMutablePointer<UInt8>.allocate(capacity: TwoWire.longest)

  private enum Offset {
    static var startRead: UInt { 0x000 }
    static var startWrite: UInt { 0x008 }
    static var stop: UInt { 0x014 }
    static var stopped: UInt { 0x104 }
    static var error: UInt { 0x124 }
    static var shortcuts: UInt { 0x200 }
    static var reasons: UInt { 0x4C4 }
  }

  /// Takes P0.26 for SDA and P0.27 for SCL, at 100 kHz.
  init() {
    wire[0x508] = 27
    wire[0x50C] = 26
    wire[0x524] = 0x0198_0000
    // INTENSET: STOPPED and ERROR. ENABLE: TWIM.
    wire[0x304] = 1 << 1 | 1 << 9
    wire[0x500] = 6
    wire[0x534] = UInt32(UInt(bitPattern: received))
    wire[0x544] = UInt32(UInt(bitPattern: sent))
  }

  var functionality: I2CFunctionality { .i2c }
  var quirks: I2CQuirks {
    I2CQuirks(maxReadLength: Self.longest, maxWriteLength: Self.longest, maxMessages: 2)
  }

  func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    let messages = segments.count
    let first = segments[0], last = segments[messages - 1]
    let isCombined = messages == 2 && first.direction == .write && last.direction == .read
    let (written, count) = (writing.count, last.direction == .read ? last.count : 0)
    guard messages == 1 || isCombined, written <= Self.longest, count <= Self.longest else {
      throw I2CError(.unsupported, errno: .eopnotsupp)
    }
    writing.withUnsafeBytes { bytes in
      if let first = bytes.baseAddress {
        UnsafeMutableRawPointer(sent).copyMemory(from: first, byteCount: written)
      }
    }
    wire[0x588] = UInt32(last.address.rawValue)
    wire[0x538] = UInt32(count)
    wire[0x548] = UInt32(written)
    // LASTTX_STARTRX, LASTRX_STOP, LASTTX_STOP.
    wire[Offset.shortcuts] = isCombined ? 1 << 7 | 1 << 12 : count > 0 ? 1 << 12 : 1 << 9
    wire[Offset.stopped] = 0
    Sleep.forget(Self.interrupt)
    wire[first.direction == .read ? Offset.startRead : Offset.startWrite] = 1
    // Without a byte no shortcut ends it.
    if written + count == 0 { wire[Offset.stop] = 1 }
    try waitForStop()
    reading.withUnsafeMutableBytes { bytes in
      bytes.baseAddress?.copyMemory(from: received, byteCount: count)
    }
  }

  private func waitForStop() throws(I2CError) {
    Sleep.until { wire[Offset.stopped] != 0 || wire[Offset.error] != 0 }
    guard wire[Offset.error] != 0 else { return }
    // A failure leaves the bus held until it is stopped.
    let reasons = wire[Offset.reasons]
    wire[Offset.error] = 0
    wire[Offset.reasons] = reasons
    Sleep.forget(Self.interrupt)
    wire[Offset.stop] = 1
    Sleep.until { wire[Offset.stopped] != 0 }
    let kind: I2CError.Kind =
      reasons & 2 != 0 ? .addressNack : reasons & 4 != 0 ? .dataNack : .busError
    throw I2CError(kind, errno: kind == .busError ? .eio : .enxio)
  }
}
