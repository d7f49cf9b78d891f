import Machines

/// SPI1 to SPI5 as controllers: bytes or halfwords at the bit rate of CR1 (RM0383, section 20).
///
/// The bus has no device: the controller receives 0. I2S, CRC and the target mode are not modelled.
package final class SPI: Peripheral {
  package static let CR1: UInt32 = 0x00
  package static let CR2: UInt32 = 0x04
  package static let SR: UInt32 = 0x08
  package static let DR: UInt32 = 0x0C
  package static let CRCPR: UInt32 = 0x10
  package static let I2SCFGR: UInt32 = 0x1C
  package static let I2SPR: UInt32 = 0x20

  /// Bits of CR1 and, from RXDMAEN on, of CR2.
  private enum Control {
    static let MSTR: UInt32 = 1 << 2, SPE: UInt32 = 1 << 6, DFF: UInt32 = 1 << 11
    /// BIDIMODE and BIDIOE.
    static let sendsOnly: UInt32 = 3 << 14
    static let RXDMAEN: UInt32 = 1, TXDMAEN: UInt32 = 1 << 1
    static let ERRIE: UInt32 = 1 << 5, RXNEIE: UInt32 = 1 << 6, TXEIE: UInt32 = 1 << 7
  }
  /// Bits of SR.
  private enum Status {
    static let RXNE: UInt32 = 1, TXE: UInt32 = 1 << 1, MODF: UInt32 = 1 << 5
    static let OVR: UInt32 = 1 << 6, BSY: UInt32 = 1 << 7
  }
  private let number: Int
  private let interrupt: Int
  private let isOnAPB2: Bool
  private var isFull = false
  private var waits = false
  private var hasOverrun = false
  private var hasModeFault = false
  private var hasHinted = false
  private lazy var event = MachineEvent(chip.run) { [unowned self] in didShift() }

  init(_ number: Int, at base: UInt32, interrupt: Int, isOnAPB2: Bool, _ chip: Chip) {
    self.number = number
    self.interrupt = interrupt
    self.isOnAPB2 = isOnAPB2
    super.init(at: base, chip)
    define(SPI.CR1, mask: 0xFFFF)
    define(SPI.CR2, mask: 0xF7)
    define(SPI.SR, mask: 0, reset: 2)
    define(SPI.DR, mask: 0)
    define(SPI.CRCPR, mask: 0xFFFF, reset: 7)
    define(SPI.I2SCFGR, mask: 0xFFF)
    define(SPI.I2SPR, mask: 0x3FF, reset: 2)
  }

  override func reset() {
    super.reset()
    (isFull, waits, hasOverrun, hasModeFault) = (false, false, false, false)
    event.clear()
    refresh()
  }

  override func clocksDidChange() { event.reschedule() }

  private var isOn: Bool { self[SPI.CR1] & Control.SPE != 0 }
  private var time: UInt64 { chip.nanoseconds(chip.now) }

  /// The value of SR, of which RXNE, TXE, MODF, OVR and BSY are modelled.
  private var status: UInt32 {
    (isFull ? Status.RXNE : 0) | (waits ? 0 : Status.TXE) | (hasModeFault ? Status.MODF : 0)
      | (hasOverrun ? Status.OVR : 0)
      | (event.time != nil ? Status.BSY : 0)
  }

  override func load(_ offset: UInt32) -> UInt32 {
    switch offset {
    case SPI.SR:
      let word = status
      hasOverrun = hasOverrun && isFull
      return word
    case SPI.DR:
      isFull = false
      refresh()
      return 0
    default: return self[offset]
    }
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case SPI.CR1:
      if value & Control.MSTR == 0, isOn {

        chip.run.unmodelledRegisters.note(
          base, bytes: 4, isWrite: true, mode: "SPI as a target (CR1.MSTR is 0)")
      }

    case SPI.DR: send()
    default: break
    }
    refresh()
  }

  private func send() {
    guard isOn, self[SPI.CR1] & Control.MSTR != 0 else { return }
    if !hasHinted {
      hasHinted = true
      chip.run.unmodelledRegisters.hint(
        "it uses SPI\(number), to which nothing is connected: it receives 0; sensors are on I2C buses"
      )
    }
    if event.time == nil { begin() } else { waits = true }
  }

  private func begin() {
    let bits: UInt64 = self[SPI.CR1] & Control.DFF != 0 ? 16 : 8
    let clock = (isOnAPB2 ? chip.apb2Clock : chip.apb1Clock) >> (UInt64(self[SPI.CR1] >> 3 & 7) + 1)
    event.set(at: time + bits * 1_000_000_000 / max(clock, 1))
  }

  private func didShift() {
    // A bidirectional data line that sends (BIDIMODE, BIDIOE) receives nothing.
    if self[SPI.CR1] & Control.sendsOnly != Control.sendsOnly {
      if isFull { hasOverrun = true }
      isFull = true
    }
    if waits {
      waits = false
      begin()
    }
    refresh()
  }

  private func refresh() {
    let control = self[SPI.CR2]
    let isRequested =
      isFull && control & Control.RXNEIE != 0 || !waits && control & Control.TXEIE != 0
      || (hasOverrun || hasModeFault) && control & Control.ERRIE != 0
    chip.setLine(interrupt, isRequested && isOn)
    chip.requests?.set(.spiRX(number), isOn && isFull && control & Control.RXDMAEN != 0)
    chip.requests?.set(.spiTX(number), isOn && !waits && control & Control.TXDMAEN != 0)
  }
}
