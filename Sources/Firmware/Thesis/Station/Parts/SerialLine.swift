/// UARTE0 at 115,200 bits a second, a line at a time, the core asleep meanwhile.
final class SerialLine {
  private static var interrupt: UInt32 { 2 }
  private let line = Registers(peripheral: 2)

  /// Takes P0.06 for TXD.
  init() {
    line[0x50C] = 6
    line[0x524] = 0x01D6_0000
    // INTENSET: ENDTX and TXSTOPPED. ENABLE: UARTE.
    line[0x304] = 1 << 8 | 1 << 22
    line[0x500] = 8
  }

  /// Sends bytes, which lie in RAM, and switches the transmitter off again.
  func send(_ bytes: UnsafePointer<UInt8>, count: Int) {
    line[0x544] = UInt32(UInt(bitPattern: bytes))
    line[0x548] = UInt32(count)
    perform(0x008, until: 0x120)
    perform(0x00C, until: 0x158)
  }

  /// Triggers a task and sleeps until its event: STARTTX and ENDTX, STOPTX and TXSTOPPED.
  private func perform(_ task: UInt, until event: UInt) {
    Sleep.forget(Self.interrupt)
    line[task] = 1
    Sleep.until { line[event] != 0 }
    line[event] = 0
  }
}
