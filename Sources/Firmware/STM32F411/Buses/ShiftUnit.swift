import Machines

/// SPI1 to SPI5 as controllers: bytes or halfwords, each as long as its bits take (RM0383, section 20).
///
/// Nobody is on the bus: what comes back is 0. I2S, CRC and the part as a target are not modelled.
final class ShiftUnit: Peripheral {
  private let number: Int
  private let interrupt: Int
  private let isFast: Bool
  private var isFull = false
  private var waits = false
  private var hasOverrun = false
  private var hasModeFault = false
  private var hasHinted = false
  private lazy var alarm = Alarm(chip) { [unowned self] in didShift() }

  init(_ number: Int, at base: UInt32, interrupt: Int, isFast: Bool, _ chip: Silicon) {
    self.number = number
    self.interrupt = interrupt
    self.isFast = isFast
    super.init(at: base, chip)
    define(0x00, mask: 0xFFFF)
    define(0x04, mask: 0xF7)
    define(0x08, mask: 0, reset: 2)
    define(0x0C, mask: 0)
    define(0x10, mask: 0xFFFF, reset: 7)
    define(0x1C, mask: 0xFFF)
    define(0x20, mask: 0x3FF, reset: 2)
  }

  override func reset() {
    super.reset()
    (isFull, waits, hasOverrun, hasModeFault) = (false, false, false, false)
    alarm.clear()
    refresh()
  }

  override func clocksDidChange() { alarm.renew() }

  private var isOn: Bool { self[0x00] >> 6 & 1 != 0 }
  private var time: UInt64 { chip.nanoseconds(chip.now) }

  /// RXNE, TXE, MODF, OVR, BSY.
  private var status: UInt32 {
    (isFull ? 1 : 0) | (waits ? 0 : 2) | (hasModeFault ? 0x20 : 0) | (hasOverrun ? 0x40 : 0)
      | (alarm.time != nil ? 0x80 : 0)
  }

  override func load(_ offset: UInt32) -> UInt32 {
    switch offset {
    case 0x08:
      let word = status
      hasOverrun = hasOverrun && isFull
      return word
    case 0x0C:
      isFull = false
      refresh()
      return 0
    default: return self[offset]
    }
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case 0x00:
      if value & 4 == 0, isOn {
        // As a target it would wait for the clock of another.
        chip.run.untouched.note(
          base, bytes: 4, isWrite: true, mode: "SPI as a target (CR1.MSTR is 0)")
      }
    // A controller whose select line reads low without SSM is none any more.
    case 0x0C: send()
    default: break
    }
    refresh()
  }

  private func send() {
    guard isOn, self[0x00] & 4 != 0 else { return }
    if !hasHinted {
      hasHinted = true
      chip.run.untouched.hint(
        "it uses SPI\(number), to which nothing is connected: it receives 0; sensors are on I2C buses"
      )
    }
    if alarm.time == nil { begin() } else { waits = true }
  }

  private func begin() {
    let bits: UInt64 = self[0x00] >> 11 & 1 != 0 ? 16 : 8
    let clock = (isFast ? chip.fastBus : chip.slowBus) >> (UInt64(self[0x00] >> 3 & 7) + 1)
    alarm.set(at: time + bits * 1_000_000_000 / max(clock, 1))
  }

  private func didShift() {
    // Of a bus with one data line that sends, nothing comes back.
    if self[0x00] >> 14 & 3 != 3 {
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
    let control = self[0x04]
    let asks =
      isFull && control & 0x40 != 0 || !waits && control & 0x80 != 0
      || (hasOverrun || hasModeFault) && control & 0x20 != 0
    chip.setLine(interrupt, asks && isOn)
    chip.requests?.set(.shiftIn(number), isOn && isFull && control & 1 != 0)
    chip.requests?.set(.shiftOut(number), isOn && !waits && control & 2 != 0)
  }
}
