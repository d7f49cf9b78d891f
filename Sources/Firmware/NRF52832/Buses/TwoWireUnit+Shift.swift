import Machines

/// SPI and SPIM as controllers, on a bus with nobody: what comes back is 0.
extension TwoWireUnit {
  private enum ShiftTask { static let start = 4, stop = 5 }
  private enum ShiftEvent {
    static let stopped = 1, ready = 2, endRead = 4, end = 6, endWrite = 8, started = 19
  }

  /// Whether the page works as SPI (1) or SPIM (7).
  var shifts: Bool { self[0x500] == 1 || self[0x500] == 7 }

  /// The cycles of a byte: FREQUENCY is 0x02000000 for each 125 kbit/s.
  private var byteLength: UInt64 {
    8 * Die.frequency / (125_000 * max(UInt64(self[0x524]) >> 25, 1))
  }

  /// A write of TXD: the byte goes at once, or behind the one under way.
  func shift(_ byte: UInt8, at cycle: UInt64) {
    guard self[0x500] == 1 else { return }
    noteNobody()
    guard !isShifting else {
      nextShift = byte
      return
    }
    isShifting = true
    die.schedule.set(shiftSlot, at: cycle + byteLength)
  }

  private func noteNobody() {
    guard !hasHinted else { return }
    hasHinted = true
    let index = number == 35 ? 2 : number - 3
    die.run.untouched.hint(
      "it uses SPI\(index), to which nothing is connected: it receives 0; sensors are on I2C buses")
  }

  func shiftTask(_ index: Int, at cycle: UInt64) {
    guard self[0x500] == 7 else { return }
    switch index {
    case ShiftTask.start where !isShifting:
      isShifting = true
      noteNobody()
      raise(ShiftEvent.started, at: cycle)
      let count = max(self[0x538], self[0x548])
      die.schedule.set(shiftSlot, at: cycle + max(UInt64(count) * byteLength, 1))
    case ShiftTask.stop:
      die.schedule.clear(shiftSlot)
      isShifting = false
      raise(ShiftEvent.stopped, at: cycle)
    default: break
    }
  }

  func shiftDidEnd(at cycle: UInt64) {
    isShifting = false
    guard self[0x500] == 7 else {
      (unread, lastByte) = (0, 0)
      if let byte = nextShift {
        nextShift = nil
        shift(byte, at: cycle)
      }
      return raise(ShiftEvent.ready, at: cycle)
    }
    (received, sent) = (self[0x538], self[0x548])
    for offset in 0..<received where !die.writeRAM(self[0x534] + offset, 0) {
      die.noteOutsideRAM(base + 0x534, "RXD.PTR")
      break
    }
    for event in [ShiftEvent.endRead, ShiftEvent.endWrite, ShiftEvent.end] {
      raise(event, at: cycle)
    }
  }
}
