import I2C

/// An I2C adapter that uses TWIM0; EasyDMA performs the transfers while the core sleeps.
final class TWIM: I2CAdapter {
  /// The maximum message length: MAXCNT has eight bits, the buffers have this size.
  static var longest: Int { 64 }

  private static var interrupt: UInt32 { 3 }
  private let wire = Registers(peripheral: 3)
  private let sent = UnsafeMutablePointer<UInt8>.allocate(capacity: TWIM.longest)
  private let received = UnsafeMutablePointer<UInt8>.allocate(capacity: TWIM.longest)

  private enum Register {
    static var tasksStartrx: UInt { 0x000 }
    static var tasksStarttx: UInt { 0x008 }
    static var tasksStop: UInt { 0x014 }
    static var eventsStopped: UInt { 0x104 }
    static var eventsError: UInt { 0x124 }
    static var shorts: UInt { 0x200 }
    static var intenset: UInt { 0x304 }
    static var errorsrc: UInt { 0x4C4 }
    static var enable: UInt { 0x500 }
    static var pselScl: UInt { 0x508 }
    static var pselSda: UInt { 0x50C }
    static var frequency: UInt { 0x524 }
    static var rxdPtr: UInt { 0x534 }
    static var rxdMaxcnt: UInt { 0x538 }
    static var txdPtr: UInt { 0x544 }
    static var txdMaxcnt: UInt { 0x548 }
    static var address: UInt { 0x588 }
  }

  private enum Short {
    static var lasttxStartrx: UInt32 { 1 << 7 }
    static var lasttxStop: UInt32 { 1 << 9 }
    static var lastrxStop: UInt32 { 1 << 12 }
  }

  /// Configures P0.26 as SDA and P0.27 as SCL, at 100 kHz.
  init() {
    wire[Register.pselScl] = 27
    wire[Register.pselSda] = 26
    wire[Register.frequency] = 0x0198_0000
    wire[Register.intenset] = 1 << 1 | 1 << 9  // STOPPED, ERROR
    wire[Register.enable] = 6
    wire[Register.rxdPtr] = UInt32(UInt(bitPattern: received))
    wire[Register.txdPtr] = UInt32(UInt(bitPattern: sent))
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
    wire[Register.address] = UInt32(last.address.rawValue)
    wire[Register.rxdMaxcnt] = UInt32(count)
    wire[Register.txdMaxcnt] = UInt32(written)
    wire[Register.shorts] =
      isCombined
      ? Short.lasttxStartrx | Short.lastrxStop : count > 0 ? Short.lastrxStop : Short.lasttxStop
    wire[Register.eventsStopped] = 0
    Sleep.clearPending(Self.interrupt)
    wire[first.direction == .read ? Register.tasksStartrx : Register.tasksStarttx] = 1
    // An empty transfer ends by no shortcut.
    if written + count == 0 { wire[Register.tasksStop] = 1 }
    try waitForStop()
    reading.withUnsafeMutableBytes { bytes in
      bytes.baseAddress?.copyMemory(from: received, byteCount: count)
    }
  }

  private func waitForStop() throws(I2CError) {
    Sleep.until { wire[Register.eventsStopped] != 0 || wire[Register.eventsError] != 0 }
    guard wire[Register.eventsError] != 0 else { return }
    // After an error the bus is held until STOP.
    let source = wire[Register.errorsrc]
    wire[Register.eventsError] = 0
    wire[Register.errorsrc] = source
    Sleep.clearPending(Self.interrupt)
    wire[Register.tasksStop] = 1
    Sleep.until { wire[Register.eventsStopped] != 0 }
    let kind: I2CError.Kind =
      source & 2 != 0 ? .addressNack : source & 4 != 0 ? .dataNack : .busError
    throw I2CError(kind, errno: kind == .busError ? .eio : .enxio)
  }
}

/// UARTE0 at 115,200 baud, sending a line at a time while the core sleeps.
final class UARTE {
  private static var interrupt: UInt32 { 2 }
  private let line = Registers(peripheral: 2)

  private enum Register {
    static var tasksStarttx: UInt { 0x008 }
    static var tasksStoptx: UInt { 0x00C }
    static var eventsEndtx: UInt { 0x120 }
    static var eventsTxstopped: UInt { 0x158 }
    static var intenset: UInt { 0x304 }
    static var enable: UInt { 0x500 }
    static var pselTxd: UInt { 0x50C }
    static var baudrate: UInt { 0x524 }
    static var txdPtr: UInt { 0x544 }
    static var txdMaxcnt: UInt { 0x548 }
  }

  /// Configures P0.06 as TXD.
  init() {
    line[Register.pselTxd] = 6
    line[Register.baudrate] = 0x01D6_0000
    line[Register.intenset] = 1 << 8 | 1 << 22  // ENDTX, TXSTOPPED
    line[Register.enable] = 8
  }

  /// Sends bytes, which must be in RAM, and stops the transmitter.
  func send(_ bytes: UnsafePointer<UInt8>, count: Int) {
    line[Register.txdPtr] = UInt32(UInt(bitPattern: bytes))
    line[Register.txdMaxcnt] = UInt32(count)
    perform(Register.tasksStarttx, until: Register.eventsEndtx)
    perform(Register.tasksStoptx, until: Register.eventsTxstopped)
  }

  /// Triggers a task and sleeps until its event: ENDTX after STARTTX, TXSTOPPED after STOPTX.
  private func perform(_ task: UInt, until event: UInt) {
    Sleep.clearPending(Self.interrupt)
    line[task] = 1
    Sleep.until { line[event] != 0 }
    line[event] = 0
  }
}
