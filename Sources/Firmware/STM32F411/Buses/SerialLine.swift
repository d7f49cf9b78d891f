import Machines

/// USART: sends and receives bytes, each as long as its bits take.
final class SerialLine: Peripheral {
  private enum Status {
    static let overrun: UInt32 = 8, idle: UInt32 = 16, received: UInt32 = 32, sent: UInt32 = 64
    static let empty: UInt32 = 128
  }
  let port: SerialPort
  private let number: Int
  private let interrupt: Int
  private let isFast: Bool
  private var status: UInt32 = 0xC0
  private var moving: UInt8 = 0
  private var waiting: UInt8?
  private var received: UInt8 = 0
  private var hasSeenStatus = false
  private lazy var output = Alarm(chip) { [unowned self] in didSend() }
  private lazy var input = Alarm(chip) { [unowned self] in didReceive() }

  init(_ number: Int, at base: UInt32, interrupt: Int, isFast: Bool, _ chip: Silicon) {
    port = SerialPort("USART\(number)")
    self.number = number
    self.interrupt = interrupt
    self.isFast = isFast
    super.init(at: base, chip)
    define(0x00, mask: 0, reset: 0xC0)
    define(0x04, mask: 0)
    define(0x08, mask: 0xFFFF)
    define(0x0C, mask: 0xBFFF)
    define(0x10, mask: 0x7F6F)
    define(0x14, mask: 0x0FFF)
    define(0x18, mask: 0xFFFF)
    port.arrives = { [unowned self] in listen() }
  }

  override func reset() {
    super.reset()
    (status, waiting, hasSeenStatus) = (0xC0, nil, false)
    output.clear()
    input.clear()
    refresh()
  }

  override func clocksDidChange() {
    output.renew()
    input.renew()
    port.baudRate = speed
  }

  private var isOn: Bool { self[0x0C] >> 13 & 1 != 0 }
  private var sends: Bool { isOn && self[0x0C] >> 3 & 1 != 0 }
  private var listens: Bool { isOn && self[0x0C] >> 2 & 1 != 0 }

  /// The bits a second; 0 before the program has set them.
  private var speed: UInt64 {
    let ratio = UInt64(self[0x08])
    let isEightfold = self[0x0C] >> 15 & 1 != 0
    let divider = isEightfold ? (ratio >> 4) * 8 + ratio & 7 : ratio
    return divider == 0 ? 0 : (isFast ? chip.fastBus : chip.slowBus) / divider
  }

  /// The nanoseconds of a byte: start, eight or nine bits, one or two stop bits.
  private var length: UInt64 {
    let bits: UInt64 =
      10 + UInt64(self[0x0C] >> 12 & 1) + (self[0x10] >> 12 & 3 == 2 ? 1 : 0)
    return bits * 1_000_000_000 / max(speed, 1)
  }

  private var time: UInt64 { chip.nanoseconds(chip.now) }

  override func load(_ offset: UInt32) -> UInt32 {
    switch offset {
    case 0x00:
      hasSeenStatus = true
      return status
    case 0x04:
      status &= ~Status.received
      if hasSeenStatus { status &= ~(Status.overrun | Status.idle) }
      hasSeenStatus = false
      refresh()
      listen()
      return UInt32(received)
    default: return self[offset]
    }
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case 0x00: status &= value | ~(Status.received | Status.sent)
    case 0x04: send(UInt8(truncatingIfNeeded: value))
    default: break
    }
    port.baudRate = speed
    refresh()
    listen()
  }

  private func send(_ byte: UInt8) {
    guard sends else { return }
    status &= ~Status.sent
    if output.time == nil {
      moving = byte
      output.set(at: time + length)
    } else {
      waiting = byte
      status &= ~Status.empty
    }
  }

  private func didSend() {
    port.output(moving, time)
    if let byte = waiting {
      waiting = nil
      moving = byte
      status |= Status.empty
      output.set(at: time + length)
    } else {
      status |= Status.sent
    }
    refresh()
  }

  /// Lets the next byte come, where there is one and somebody listens.
  private func listen() {
    if listens, port.hasInput, input.time == nil { input.set(at: time + length) }
  }

  private func didReceive() {
    guard listens, let byte = port.receive() else { return }
    if status & Status.received != 0 {
      status |= Status.overrun
    } else {
      received = byte
      status |= Status.received
    }
    listen()
    refresh()
  }

  private func refresh() {
    let control = self[0x0C]
    let asked =
      status & control & 0xF0 != 0
      || status & Status.overrun != 0 && control & Status.received != 0
    chip.setLine(interrupt, asked && isOn)
    let channels = self[0x14]
    chip.requests?.set(
      .lineIn(number), listens && status & Status.received != 0 && channels >> 6 & 1 != 0)
    chip.requests?.set(
      .lineOut(number), sends && status & Status.empty != 0 && channels >> 7 & 1 != 0)
  }
}
