import Machines

/// USART1, USART2, USART3, UART4, UART5 and USART6: send and receive bytes at their baud rate.
package final class USART: Peripheral {
  package static let SR: UInt32 = 0x00
  package static let DR: UInt32 = 0x04
  package static let BRR: UInt32 = 0x08
  package static let CR1: UInt32 = 0x0C
  package static let CR2: UInt32 = 0x10
  package static let CR3: UInt32 = 0x14
  package static let GTPR: UInt32 = 0x18

  /// Bits of CR1 and, the last two, of CR3.
  private enum Control {
    static let RE: UInt32 = 1 << 2, TE: UInt32 = 1 << 3, M: UInt32 = 1 << 12
    static let UE: UInt32 = 1 << 13, OVER8: UInt32 = 1 << 15
    static let DMAR: UInt32 = 1 << 6, DMAT: UInt32 = 1 << 7
  }
  /// Bits of SR; the interrupt enables of CR1 have the same positions.
  private enum Status {
    static let ORE: UInt32 = 8, IDLE: UInt32 = 16, RXNE: UInt32 = 32, TC: UInt32 = 64
    static let TXE: UInt32 = 128
  }
  let port: SerialPort
  private let number: Int
  private let interrupt: Int
  private let isOnAPB2: Bool
  private var status = Status.TXE | Status.TC
  private var moving: UInt8 = 0
  private var waiting: UInt8?
  private var received: UInt8 = 0
  private var hasSeenStatus = false
  private lazy var output = MachineEvent(chip.run) { [unowned self] in didSend() }
  private lazy var input = MachineEvent(chip.run) { [unowned self] in didReceive() }

  init(_ number: Int, at base: UInt32, interrupt: Int, isOnAPB2: Bool, _ chip: Chip) {
    port = SerialPort("\((4...5).contains(number) ? "UART" : "USART")\(number)")
    self.number = number
    self.interrupt = interrupt
    self.isOnAPB2 = isOnAPB2
    super.init(at: base, chip)
    define(USART.SR, mask: 0, reset: Status.TXE | Status.TC)
    define(USART.DR, mask: 0)
    define(USART.BRR, mask: 0xFFFF)
    define(USART.CR1, mask: 0xBFFF)
    define(USART.CR2, mask: 0x7F6F)
    define(USART.CR3, mask: 0x0FFF)
    define(USART.GTPR, mask: 0xFFFF)
    port.didReceive = { [unowned self] in listen() }
  }

  override func reset() {
    super.reset()
    (status, waiting, hasSeenStatus) = (Status.TXE | Status.TC, nil, false)
    output.clear()
    input.clear()
    refresh()
  }

  override func clocksDidChange() {
    output.reschedule()
    input.reschedule()
    port.baudRate = speed
  }

  private var isOn: Bool { self[USART.CR1] & Control.UE != 0 }
  private var sends: Bool { isOn && self[USART.CR1] & Control.TE != 0 }
  private var listens: Bool { isOn && self[USART.CR1] & Control.RE != 0 }

  /// The baud rate; 0 before the program has set BRR.
  private var speed: UInt64 {
    let ratio = UInt64(self[USART.BRR])
    let isEightfold = self[USART.CR1] & Control.OVER8 != 0
    let divider = isEightfold ? (ratio >> 4) * 8 + ratio & 7 : ratio
    return divider == 0 ? 0 : (isOnAPB2 ? chip.apb2Clock : chip.apb1Clock) / divider
  }

  /// The duration of a byte in nanoseconds: a start bit, eight or nine data bits, one or two stop
  /// bits.
  private var length: UInt64 {
    let bits: UInt64 =
      10 + (self[USART.CR1] & Control.M != 0 ? 1 : 0) + (self[USART.CR2] >> 12 & 3 == 2 ? 1 : 0)
    return bits * 1_000_000_000 / max(speed, 1)
  }

  private var time: UInt64 { chip.nanoseconds(chip.now) }

  override func load(_ offset: UInt32) -> UInt32 {
    switch offset {
    case USART.SR:
      hasSeenStatus = true
      return status
    case USART.DR:
      status &= ~Status.RXNE
      if hasSeenStatus { status &= ~(Status.ORE | Status.IDLE) }
      hasSeenStatus = false
      refresh()
      listen()
      return UInt32(received)
    default: return self[offset]
    }
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case USART.SR: status &= value | ~(Status.RXNE | Status.TC)
    case USART.DR: send(UInt8(truncatingIfNeeded: value))
    default: break
    }
    port.baudRate = speed
    refresh()
    listen()
  }

  private func send(_ byte: UInt8) {
    guard sends else { return }
    status &= ~Status.TC
    if output.time == nil {
      moving = byte
      output.set(at: time + length)
    } else {
      waiting = byte
      status &= ~Status.TXE
    }
  }

  private func didSend() {
    port.output(moving, time)
    if let byte = waiting {
      waiting = nil
      moving = byte
      status |= Status.TXE
      output.set(at: time + length)
    } else {
      status |= Status.TC
    }
    refresh()
  }

  /// Begins to receive the next byte, if one is available and the receiver is enabled.
  private func listen() {
    if listens, port.hasInput, input.time == nil { input.set(at: time + length) }
  }

  private func didReceive() {
    guard listens, let byte = port.receive() else { return }
    if status & Status.RXNE != 0 {
      status |= Status.ORE
    } else {
      received = byte
      status |= Status.RXNE
    }
    listen()
    refresh()
  }

  private func refresh() {
    let control = self[USART.CR1]
    let isRequested =
      status & control & 0xF0 != 0
      || status & Status.ORE != 0 && control & Status.RXNE != 0
    chip.setLine(interrupt, isRequested && isOn)
    let channels = self[USART.CR3]
    chip.requests?.set(
      .usartRX(number), listens && status & Status.RXNE != 0 && channels & Control.DMAR != 0)
    chip.requests?.set(
      .usartTX(number), sends && status & Status.TXE != 0 && channels & Control.DMAT != 0)
  }
}
