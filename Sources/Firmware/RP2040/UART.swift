package import Machines

/// UART0 and UART1: PL011 with FIFOs of 32 bytes, which send and receive at their baud rate.
package final class UART: Peripheral {
  package static let UARTDR: UInt32 = 0x000
  static let UARTRSR: UInt32 = 0x004
  package static let UARTFR: UInt32 = 0x018
  static let UARTILPR: UInt32 = 0x020
  package static let UARTIBRD: UInt32 = 0x024
  package static let UARTFBRD: UInt32 = 0x028
  package static let UARTLCR_H: UInt32 = 0x02C
  package static let UARTCR: UInt32 = 0x030
  static let UARTIFLS: UInt32 = 0x034
  package static let UARTIMSC: UInt32 = 0x038
  package static let UARTRIS: UInt32 = 0x03C
  static let UARTMIS: UInt32 = 0x040
  package static let UARTICR: UInt32 = 0x044
  static let UARTDMACR: UInt32 = 0x048

  /// Bits of FR.
  private enum Flag {
    static let BUSY: UInt32 = 8, RXFE: UInt32 = 16, TXFF: UInt32 = 32, RXFF: UInt32 = 64
    static let TXFE: UInt32 = 128
  }
  /// Bits of RIS.
  private enum Interrupt {
    static let RX: UInt32 = 1 << 4, TX: UInt32 = 1 << 5, RT: UInt32 = 1 << 6, OE: UInt32 = 1 << 10
  }

  package let port: SerialPort
  private let interrupt: Int
  private var waiting: [UInt8] = []
  private var moving: UInt8 = 0
  private var received: [UInt8] = []
  private var raised: UInt32 = 0
  private lazy var output = MachineEvent(chip.run) { [unowned self] in didSend() }
  private lazy var input = MachineEvent(chip.run) { [unowned self] in didReceive() }
  /// RT: 32 bit times without a byte while some are in the FIFO.
  private lazy var idle = MachineEvent(chip.run) { [unowned self] in
    if !received.isEmpty { raised |= Interrupt.RT }
    refresh()
  }

  init(_ number: Int, _ chip: Chip) {
    port = SerialPort("UART\(number)")
    interrupt = 20 + number
    super.init(
      at: 0x4003_4000 + UInt32(number) * 0x4000,
      resetBit: number == 0 ? RESETS.Bit.UART0 : RESETS.Bit.UART1, chip)
    define(UART.UARTDR)
    define(UART.UARTRSR)
    define(UART.UARTFR, mask: 0)
    define(UART.UARTILPR)
    define(UART.UARTIBRD, mask: 0xFFFF)
    define(UART.UARTFBRD, mask: 0x3F)
    define(UART.UARTLCR_H, mask: 0xFF)
    define(UART.UARTCR, reset: 0x300, mask: 0xFF87)
    define(UART.UARTIFLS, reset: 0x12, mask: 0x3F)
    define(UART.UARTIMSC, mask: 0x7FF)
    for offset in [UART.UARTRIS, UART.UARTMIS, UART.UARTICR] { define(offset, mask: 0) }
    define(UART.UARTDMACR, mask: 7)
    // The identity of the PL011.
    for (index, byte) in [0x11, 0x10, 0x34, 0, 0x0D, 0xF0, 0x05, 0xB1].enumerated() {
      define(0xFE0 + UInt32(index) * 4, reset: UInt32(byte), mask: 0)
    }
    port.didReceive = { [unowned self] in listen() }
  }

  override func reset() {
    super.reset()
    waiting.removeAll(keepingCapacity: true)
    received.removeAll(keepingCapacity: true)
    raised = 0
    for event in [output, input, idle] { event.clear() }
    refresh()
  }

  override func clocksDidChange() {
    for event in [output, input, idle] { event.reschedule() }
    port.baudRate = speed
  }

  private var isOn: Bool { self[UART.UARTCR] & 1 != 0 }
  private var sends: Bool { isOn && self[UART.UARTCR] >> 8 & 1 != 0 }
  private var listens: Bool { isOn && self[UART.UARTCR] >> 9 & 1 != 0 }
  private var usesFIFOs: Bool { self[UART.UARTLCR_H] >> 4 & 1 != 0 }
  private var depth: Int { usesFIFOs ? 32 : 1 }

  /// The baud rate; 0 before the program has set the dividers.
  private var speed: UInt64 {
    let divider = UInt64(self[UART.UARTIBRD]) * 64 + UInt64(self[UART.UARTFBRD])
    return divider == 0 ? 0 : chip.peripheralClock * 4 / divider
  }

  /// The duration of a byte in nanoseconds: a start bit, five to eight data bits, parity and one or two stop bits.
  private var length: UInt64 {
    let line = self[UART.UARTLCR_H]
    let bits = 7 + UInt64(line >> 5 & 3) + UInt64(line >> 1 & 1) + UInt64(line >> 3 & 1)
    return bits * 1_000_000_000 / max(speed, 1)
  }

  package override func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    case UART.UARTDR: return take()
    case UART.UARTRSR: return 0
    case UART.UARTFR:
      return (output.time != nil ? Flag.BUSY : 0) | (received.isEmpty ? Flag.RXFE : 0)
        | (waiting.count >= depth ? Flag.TXFF : 0) | (received.count >= depth ? Flag.RXFF : 0)
        | (waiting.isEmpty ? Flag.TXFE : 0)
    case UART.UARTRIS: return raised
    case UART.UARTMIS: return raised & self[UART.UARTIMSC]
    default: return nil
    }
  }

  package override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case UART.UARTDR: send(UInt8(truncatingIfNeeded: value))
    case UART.UARTRSR: break
    case UART.UARTICR: raised &= ~value
    case UART.UARTIBRD, UART.UARTFBRD, UART.UARTLCR_H, UART.UARTCR, UART.UARTIFLS, UART.UARTIMSC,
      UART.UARTDMACR:
      self[offset] = value
      port.baudRate = speed
    default: return false
    }
    refresh()
    listen()
    return true
  }

  private func send(_ byte: UInt8) {
    guard sends, waiting.count < depth else { return }
    if output.time == nil {
      moving = byte
      output.set(at: time + length)
    } else {
      waiting.append(byte)
      raised &= ~Interrupt.TX
    }
  }

  private func didSend() {
    port.put(moving, at: time)
    if !waiting.isEmpty {
      moving = waiting.removeFirst()
      output.set(at: time + length)
    }
    if waiting.count <= level(0) { raised |= Interrupt.TX }
    refresh()
  }

  /// The number of bytes in a FIFO at which its interrupt is raised: IFLS selects 1/8, 1/4, 1/2, 3/4 or 7/8.
  private func level(_ shift: UInt32) -> Int {
    guard usesFIFOs else { return shift == 0 ? 0 : 1 }
    return [4, 8, 16, 24, 28, 28, 28, 28][Int(self[UART.UARTIFLS] >> shift & 7)]
  }

  private func take() -> UInt32 {
    guard !received.isEmpty else { return 0 }
    let byte = received.removeFirst()
    if received.count < level(3) { raised &= ~Interrupt.RX }
    if received.isEmpty { raised &= ~Interrupt.RT }
    refresh()
    listen()
    return UInt32(byte)
  }

  /// Begins to receive the next byte, if one is available and the receiver is enabled.
  private func listen() {
    if listens, port.hasInput, input.time == nil, speed > 0 { input.set(at: time + length) }
  }

  private func didReceive() {
    guard listens, let byte = port.receive() else { return }
    if received.count >= depth {
      raised |= Interrupt.OE
    } else {
      received.append(byte)
      if received.count >= level(3) { raised |= Interrupt.RX }
      idle.set(at: time + 32_000_000_000 / max(speed, 1))
    }
    listen()
    refresh()
  }

  private func refresh() { chip.setLine(interrupt, raised & self[UART.UARTIMSC] != 0) }
}
