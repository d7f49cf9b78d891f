import Machines

/// CRC: the CRC-32 of 32-bit words, with the polynomial 0x04C11DB7, the most significant bit first, without a final
/// inversion (RM0383, section 4).
package final class CRC: Peripheral {
  package static let DR: UInt32 = 0x00
  package static let IDR: UInt32 = 0x04
  package static let CR: UInt32 = 0x08

  private static let polynomial: UInt32 = 0x04C1_1DB7

  init(_ chip: Chip) {
    super.init(at: 0x4002_3000, chip)
    define(CRC.DR, reset: .max)
    define(CRC.IDR, mask: 0xFF)
    define(CRC.CR, mask: 0)
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case CRC.DR:
      var remainder = before ^ value
      for _ in 0..<32 {
        remainder = remainder << 1 ^ (remainder >> 31 != 0 ? Self.polynomial : 0)
      }
      self[CRC.DR] = remainder
    // RESET, which reads as 0.
    case CRC.CR where value & 1 != 0: self[CRC.DR] = .max
    default: break
    }
  }
}

/// RNG of the STM32F405: a random word every 40 cycles of the 48 MHz clock, derived from the chip's seed (RM0090,
/// section 24).
package final class RNG: Peripheral {
  package static let CR: UInt32 = 0x00
  package static let SR: UInt32 = 0x04
  package static let DR: UInt32 = 0x08

  /// Bits of CR and SR.
  private enum Bit {
    static let RNGEN: UInt32 = 1 << 2, IE: UInt32 = 1 << 3
    static let DRDY: UInt32 = 1, CECS: UInt32 = 1 << 1, CEIS: UInt32 = 1 << 5
  }
  private static let interrupt = 80

  private var words: RandomWords
  private lazy var event = MachineEvent(chip.run) { [unowned self] in
    self[RNG.SR] |= Bit.DRDY
    refresh()
  }

  init(seed: UInt64, _ chip: Chip) {
    words = RandomWords(seed: seed)
    super.init(at: 0x5006_0800, chip)
    define(RNG.CR, mask: Bit.RNGEN | Bit.IE)
    define(RNG.SR, mask: 0)
    define(RNG.DR, mask: 0)
  }

  override func reset() {
    super.reset()
    event.clear()
    refresh()
  }

  override func clocksDidChange() { event.reschedule() }

  /// Begins the next word; without the 48 MHz clock from the PLL, the clock error flags are set instead.
  private func begin() {
    event.clear()
    guard self[RNG.CR] & Bit.RNGEN != 0 else { return }
    guard let frequency = chip.clocks?.pll48Clock, frequency > 0 else {
      self[RNG.SR] |= Bit.CECS | Bit.CEIS
      return
    }
    self[RNG.SR] &= ~Bit.CECS
    event.set(at: chip.nanoseconds(chip.now) + 40_000_000_000 / frequency)
  }

  private func refresh() {
    let isRequested = self[RNG.SR] & (Bit.DRDY | Bit.CEIS) != 0
    chip.setLine(Self.interrupt, isRequested && self[RNG.CR] & Bit.IE != 0)
  }

  override func load(_ offset: UInt32) -> UInt32 {
    if offset == RNG.SR, let time = event.time {
      chip.run.polls.changes(at: chip.run.clock.cycle(at: time))
    }
    guard offset == RNG.DR, self[RNG.SR] & Bit.DRDY != 0 else { return self[offset] }
    let word = UInt32(truncatingIfNeeded: words.next())
    self[RNG.SR] &= ~Bit.DRDY
    begin()
    refresh()
    return word
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case RNG.CR where (before ^ value) & Bit.RNGEN != 0:
      self[RNG.SR] &= ~Bit.DRDY
      begin()
    // Writing 0 clears CEIS and SEIS.
    case RNG.SR: self[RNG.SR] &= value | ~0x60
    default: break
    }
    refresh()
  }
}
