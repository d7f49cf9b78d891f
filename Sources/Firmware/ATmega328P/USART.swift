import Machines

/// USART0 in asynchronous mode, with a transmit buffer of one byte and a receive buffer of two.
///
/// A parity bit or ninth data bit lengthens the frame, but its value is not modelled. Neither are the synchronous
/// modes.
final class USART: IOBlock {
  static let UCSR0A: UInt16 = 0xC0
  static let UCSR0B: UInt16 = 0xC1
  static let UCSR0C: UInt16 = 0xC2
  static let UBRR0L: UInt16 = 0xC4
  static let UBRR0H: UInt16 = 0xC5
  static let UDR0: UInt16 = 0xC6

  private unowned let chip: Chip
  private let port: SerialPort
  private var statusBits: UInt8 = 0
  private var controlB: UInt8 = 0
  private var controlC: UInt8 = 0
  private var divider: UInt16 = 0
  private var sending: UInt8 = 0
  private var waiting: UInt8?
  private var received: [UInt8] = []
  private var arriving: UInt8?
  private var sent: ChipEvent?
  private var arrived: ChipEvent?

  /// Bits of UCSR0B and UCSR0C.
  private static let RXCIE0: UInt8 = 0x80, TXCIE0: UInt8 = 0x40, UDRIE0: UInt8 = 0x20
  private static let RXEN0: UInt8 = 0x10, TXEN0: UInt8 = 0x08, UCSZ02: UInt8 = 0x04
  private static let UPM01: UInt8 = 0x20, USBS0: UInt8 = 0x08
  /// Bits of UCSR0A.
  private static let RXC0: UInt8 = 0x80, UDRE0: UInt8 = 0x20
  private static let DOR0: UInt8 = 0x08, U2X0: UInt8 = 0x02, TXC0: UInt8 = 0x40

  init(_ chip: Chip, _ port: SerialPort) {
    self.chip = chip
    self.port = port
    super.init()
    received.reserveCapacity(4)
    sent = ChipEvent(chip) { [unowned self] cycle in finishSending(at: cycle) }
    arrived = ChipEvent(chip) { [unowned self] _ in finishReceiving() }
    port.didReceive = { [unowned self] in beginReceiving() }
  }

  override var addresses: [UInt16] {
    [USART.UCSR0A, USART.UCSR0B, USART.UCSR0C, USART.UBRR0L, USART.UBRR0H, USART.UDR0]
  }
  override var vectors: [Vector] { [.usartReceive, .usartEmpty, .usartSent] }

  override func reset() {
    (statusBits, controlB, controlC, divider) = (0, 0, 6, 0)
    (waiting, arriving) = (nil, nil)
    received.removeAll(keepingCapacity: true)
    sent?.clear()
    arrived?.clear()
    update()
  }

  override func clock(runs: Bool) {
    sent?.clock(runs: runs)
    arrived?.clock(runs: runs)
  }

  private var bitCycles: UInt64 {
    (UInt64(divider) + 1) * (statusBits & Self.U2X0 != 0 ? 8 : 16)
  }

  /// The number of bits in a frame, which consists of start, data, parity and stop bits.
  private var frameBits: UInt64 {
    let size = controlB & Self.UCSZ02 != 0 ? 9 : 5 + controlC >> 1 & 3
    return 1 + UInt64(size) + (controlC & Self.UPM01 != 0 ? 1 : 0)
      + (controlC & Self.USBS0 != 0 ? 2 : 1)
  }

  /// Updates the interrupt requests from the flags.
  private func update() {
    chip.request(.usartReceive, controlB & Self.RXCIE0 != 0 && !received.isEmpty)
    chip.request(.usartSent, controlB & Self.TXCIE0 != 0 && statusBits & Self.TXC0 != 0)
    chip.request(.usartEmpty, controlB & Self.UDRIE0 != 0 && waiting == nil)
  }

  override func acknowledge(_ vector: Vector) {
    if vector == .usartSent { statusBits &= ~Self.TXC0 }
    update()
  }

  // MARK: Sending

  private func send(_ byte: UInt8) {
    guard controlB & Self.TXEN0 != 0 else { return }
    if sent?.isDue == true {
      waiting = byte
    } else {
      begin(byte, at: chip.cycle)
    }
    update()
  }

  private func begin(_ byte: UInt8, at cycle: UInt64) {
    sending = byte
    sent?.set(at: cycle &+ frameBits * bitCycles)
  }

  private func finishSending(at cycle: UInt64) {
    port.output(sending, chip.clock.nanoseconds(at: cycle))
    if let next = waiting {
      waiting = nil
      begin(next, at: cycle)
    } else {
      statusBits |= Self.TXC0
    }
    update()
  }

  // MARK: Receiving

  private func beginReceiving() {
    guard controlB & Self.RXEN0 != 0, arriving == nil, arrived?.isDue != true else { return }
    guard let byte = port.receive() else { return }
    arriving = byte
    arrived?.set(in: frameBits * bitCycles)
  }

  private func finishReceiving() {
    if let byte = arriving {
      if received.count < 2 { received.append(byte) } else { statusBits |= Self.DOR0 }
    }
    arriving = nil
    update()
    beginReceiving()
  }

  // MARK: Registers

  override func read(_ address: UInt16) -> UInt8 {
    switch address {
    case USART.UCSR0A:
      return statusBits | (received.isEmpty ? 0 : Self.RXC0) | (waiting == nil ? Self.UDRE0 : 0)
    case USART.UCSR0B: return controlB
    case USART.UCSR0C: return controlC
    case USART.UBRR0L: return UInt8(truncatingIfNeeded: divider)
    case USART.UBRR0H: return UInt8(truncatingIfNeeded: divider >> 8)
    default:
      guard !received.isEmpty else { return 0 }
      statusBits &= ~Self.DOR0
      defer { update() }
      return received.removeFirst()
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case USART.UCSR0A:
      if value & Self.TXC0 != 0 { statusBits &= ~Self.TXC0 }
      statusBits = statusBits & ~0x03 | value & 0x03
    case USART.UCSR0B: setControl(value)
    case USART.UCSR0C: controlC = value
    case USART.UBRR0L: divider = divider & 0xF00 | UInt16(value)
    case USART.UBRR0H: divider = divider & 0xFF | UInt16(value & 15) << 8
    default: send(value)
    }
    port.baudRate = chip.clock.frequency / bitCycles
    update()
  }

  private func setControl(_ value: UInt8) {
    controlB = value & 0xFD
    if value & Self.RXEN0 == 0 {
      received.removeAll(keepingCapacity: true)
    } else {
      beginReceiving()
    }
  }
}
