import Machines

/// USART0, asynchronous: a frame takes its bits at the baud rate; a transmit buffer of one byte, a receive buffer of two.
///
/// Parity and a ninth bit take their time on the line and carry nothing; the synchronous modes are not modelled.
final class Usart: IOBlock {
  private unowned let chip: AvrChip
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

  private static let overrun: UInt8 = 0x08, doubled: UInt8 = 0x02
  private static let complete: UInt8 = 0x40
  private static let status: UInt16 = 0xC0, data: UInt16 = 0xC6

  init(_ chip: AvrChip, _ port: SerialPort) {
    self.chip = chip
    self.port = port
    super.init()
    received.reserveCapacity(4)
    sent = ChipEvent(chip) { [unowned self] cycle in finishSending(at: cycle) }
    arrived = ChipEvent(chip) { [unowned self] _ in finishReceiving() }
    port.arrives = { [unowned self] in beginReceiving() }
  }

  override var addresses: [UInt16] { [Self.status, 0xC1, 0xC2, 0xC4, 0xC5, Self.data] }
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
    (UInt64(divider) + 1) * (statusBits & Self.doubled != 0 ? 8 : 16)
  }

  /// The bits of a frame: start, data, parity, stops.
  private var frameBits: UInt64 {
    let size = controlB & 4 != 0 ? 9 : 5 + controlC >> 1 & 3
    return 1 + UInt64(size) + (controlC & 0x20 != 0 ? 1 : 0) + (controlC & 8 != 0 ? 2 : 1)
  }

  /// What the flags ask for.
  private func update() {
    chip.request(.usartReceive, controlB & 0x80 != 0 && !received.isEmpty)
    chip.request(.usartSent, controlB & 0x40 != 0 && statusBits & Self.complete != 0)
    chip.request(.usartEmpty, controlB & 0x20 != 0 && waiting == nil)
  }

  override func acknowledge(_ vector: Vector) {
    if vector == .usartSent { statusBits &= ~Self.complete }
    update()
  }

  // MARK: Sending

  private func send(_ byte: UInt8) {
    guard controlB & 8 != 0 else { return }
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
      statusBits |= Self.complete
    }
    update()
  }

  // MARK: Receiving

  private func beginReceiving() {
    guard controlB & 0x10 != 0, arriving == nil, arrived?.isDue != true else { return }
    guard let byte = port.receive() else { return }
    arriving = byte
    arrived?.set(in: frameBits * bitCycles)
  }

  private func finishReceiving() {
    if let byte = arriving {
      if received.count < 2 { received.append(byte) } else { statusBits |= Self.overrun }
    }
    arriving = nil
    update()
    beginReceiving()
  }

  // MARK: Registers

  override func read(_ address: UInt16) -> UInt8 {
    switch address {
    case Self.status:
      return statusBits | (received.isEmpty ? 0 : 0x80) | (waiting == nil ? 0x20 : 0)
    case 0xC1: return controlB
    case 0xC2: return controlC
    case 0xC4: return UInt8(truncatingIfNeeded: divider)
    case 0xC5: return UInt8(truncatingIfNeeded: divider >> 8)
    default:
      guard !received.isEmpty else { return 0 }
      statusBits &= ~Self.overrun
      defer { update() }
      return received.removeFirst()
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case Self.status:
      if value & Self.complete != 0 { statusBits &= ~Self.complete }
      statusBits = statusBits & ~0x03 | value & 0x03
    case 0xC1: setControl(value)
    case 0xC2: controlC = value
    case 0xC4: divider = divider & 0xF00 | UInt16(value)
    case 0xC5: divider = divider & 0xFF | UInt16(value & 15) << 8
    default: send(value)
    }
    port.baudRate = chip.clock.frequency / bitCycles
    update()
  }

  private func setControl(_ value: UInt8) {
    controlB = value & 0xFD
    if value & 0x10 == 0 {
      received.removeAll(keepingCapacity: true)
    } else {
      beginReceiving()
    }
  }
}
