import Machines

/// The registers of SPIM, by their offset in the page that it shares with TWIM.
package enum SPIM {
  package static let TASKS_START: UInt32 = 0x010
  package static let TASKS_STOP: UInt32 = 0x014
  package static let EVENTS_STOPPED: UInt32 = 0x104
  package static let EVENTS_ENDRX: UInt32 = 0x110
  package static let EVENTS_END: UInt32 = 0x118
  package static let EVENTS_ENDTX: UInt32 = 0x120
  package static let EVENTS_STARTED: UInt32 = 0x14C
  package static let PSEL_MISO: UInt32 = 0x510
  package static let FREQUENCY: UInt32 = 0x524
  package static let RXD_PTR: UInt32 = 0x534
  package static let RXD_MAXCNT: UInt32 = 0x538
  package static let TXD_MAXCNT: UInt32 = 0x548
  package static let CONFIG: UInt32 = 0x554
  package static let ORC: UInt32 = 0x5C0
}

/// The only event register of SPI; the registers RXD and TXD of SPI have the same offsets as those
/// of TWI.
package enum SPI {
  package static let EVENTS_READY: UInt32 = 0x108
}

/// SPI and SPIM as controllers of a bus without a device: they receive 0.
extension TWIM {
  /// `true` if SPI or SPIM is enabled.
  var isSPI: Bool { self[TWIM.ENABLE] == Mode.spi || self[TWIM.ENABLE] == Mode.spim }

  /// The number of core cycles per byte, from the bit rate in FREQUENCY, in which 0x02000000 means
  /// 125 kbit/s.
  private var byteLength: UInt64 {
    8 * Chip.frequency / (125_000 * max(UInt64(self[SPIM.FREQUENCY]) >> 25, 1))
  }

  /// Applies a write of TXD: the byte is sent at once, or after the byte that is being sent.
  func shift(_ byte: UInt8, at cycle: UInt64) {
    guard self[TWIM.ENABLE] == Mode.spi else { return }
    noteOpenBus()
    guard !isShifting else {
      nextShift = byte
      return
    }
    isShifting = true
    chip.schedule.set(spiSlot, at: cycle + byteLength)
  }

  private func noteOpenBus() {
    guard !hasHinted else { return }
    hasHinted = true
    let index = number == 35 ? 2 : number - 3
    chip.run.unmodelledRegisters.hint(
      "it uses SPI\(index), to which nothing is connected: it receives 0; sensors are on I2C buses")
  }

  func spiTask(_ task: UInt32, at cycle: UInt64) {
    guard self[TWIM.ENABLE] == Mode.spim else { return }
    switch task {
    case SPIM.TASKS_START where !isShifting:
      isShifting = true
      noteOpenBus()
      raise(SPIM.EVENTS_STARTED, at: cycle)
      let count = max(self[SPIM.RXD_MAXCNT], self[SPIM.TXD_MAXCNT])
      chip.schedule.set(spiSlot, at: cycle + max(UInt64(count) * byteLength, 1))
    case SPIM.TASKS_STOP:
      chip.schedule.clear(spiSlot)
      isShifting = false
      raise(SPIM.EVENTS_STOPPED, at: cycle)
    default: break
    }
  }

  func spiDidEnd(at cycle: UInt64) {
    isShifting = false
    guard self[TWIM.ENABLE] == Mode.spim else {
      (unread, lastByte) = (0, 0)
      if let byte = nextShift {
        nextShift = nil
        shift(byte, at: cycle)
      }
      return raise(SPI.EVENTS_READY, at: cycle)
    }
    (received, sent) = (self[SPIM.RXD_MAXCNT], self[SPIM.TXD_MAXCNT])
    for offset in 0..<received where !chip.writeRAM(self[SPIM.RXD_PTR] + offset, 0) {
      chip.noteOutsideRAM(base + SPIM.RXD_PTR, "RXD.PTR")
      break
    }
    for event in [SPIM.EVENTS_ENDRX, SPIM.EVENTS_ENDTX, SPIM.EVENTS_END] {
      raise(event, at: cycle)
    }
  }
}
