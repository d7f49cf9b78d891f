import Machines

/// UART and UARTE, which share a page; UART transfers byte by byte, and UARTE with EasyDMA.
///
/// Incoming bytes wait on the line until the receiver is started.
package final class UARTE: TaskPeripheral {
  package static let TASKS_STARTRX: UInt32 = 0x000
  package static let TASKS_STOPRX: UInt32 = 0x004
  package static let TASKS_STARTTX: UInt32 = 0x008
  package static let TASKS_STOPTX: UInt32 = 0x00C
  package static let TASKS_FLUSHRX: UInt32 = 0x02C
  package static let EVENTS_CTS: UInt32 = 0x100
  package static let EVENTS_NCTS: UInt32 = 0x104
  package static let EVENTS_RXDRDY: UInt32 = 0x108
  package static let EVENTS_ENDRX: UInt32 = 0x110
  package static let EVENTS_TXDRDY: UInt32 = 0x11C
  package static let EVENTS_ENDTX: UInt32 = 0x120
  package static let EVENTS_ERROR: UInt32 = 0x124
  package static let EVENTS_RXTO: UInt32 = 0x144
  package static let EVENTS_RXSTARTED: UInt32 = 0x14C
  package static let EVENTS_TXSTARTED: UInt32 = 0x150
  package static let EVENTS_TXSTOPPED: UInt32 = 0x158
  package static let ERRORSRC: UInt32 = 0x480
  package static let ENABLE: UInt32 = 0x500
  package static let PSEL_RTS: UInt32 = 0x508
  package static let PSEL_TXD: UInt32 = 0x50C
  package static let PSEL_CTS: UInt32 = 0x510
  package static let PSEL_RXD: UInt32 = 0x514
  package static let BAUDRATE: UInt32 = 0x524
  package static let RXD_PTR: UInt32 = 0x534
  package static let RXD_MAXCNT: UInt32 = 0x538
  package static let RXD_AMOUNT: UInt32 = 0x53C
  package static let TXD_PTR: UInt32 = 0x544
  package static let TXD_MAXCNT: UInt32 = 0x548
  package static let TXD_AMOUNT: UInt32 = 0x54C
  package static let CONFIG: UInt32 = 0x56C

  /// The values of ENABLE.
  private enum Mode { static let uart: UInt32 = 4, uarte: UInt32 = 8 }

  private static let events = [
    EVENTS_CTS, EVENTS_NCTS, EVENTS_RXDRDY, EVENTS_ENDRX, EVENTS_TXDRDY, EVENTS_ENDTX,
    EVENTS_ERROR, EVENTS_RXTO, EVENTS_RXSTARTED, EVENTS_TXSTARTED, EVENTS_TXSTOPPED,
  ]
  private static let shorts = [
    Short(bit: 3, event: EVENTS_CTS, task: TASKS_STARTRX),
    Short(bit: 4, event: EVENTS_NCTS, task: TASKS_STOPRX),
    Short(bit: 5, event: EVENTS_ENDRX, task: TASKS_STARTRX),
    Short(bit: 6, event: EVENTS_ENDRX, task: TASKS_STOPRX),
  ]
  /// The documented speeds of BAUDRATE, in bits a second.
  private static let speeds: [UInt64] = [
    1200, 2400, 4800, 9600, 14400, 19200, 28800, 31250, 38400, 56000, 57600, 76800, 115_200,
    230_400, 250_000, 460_800, 921_600, 1_000_000,
  ]

  let port: SerialPort
  @exclusivity(unchecked) private var isSending = false
  @exclusivity(unchecked) private var stopsSending = false
  @exclusivity(unchecked) private var pointer: UInt32 = 0
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var sent: UInt32 = 0
  /// The next byte that UART will send, after the byte on the line.
  @exclusivity(unchecked) private var waiting: UInt8?
  @exclusivity(unchecked) private var current: UInt8 = 0

  @exclusivity(unchecked) private var isReceiving = false
  @exclusivity(unchecked) private var buffer: UInt32 = 0
  @exclusivity(unchecked) private var room = 0
  @exclusivity(unchecked) private var received: UInt32 = 0
  @exclusivity(unchecked) private var latest: UInt8 = 0
  /// The values of TXD.AMOUNT and RXD.AMOUNT: the number of bytes in the last complete buffer of each direction.
  @exclusivity(unchecked) private var ended: (sent: UInt32, received: UInt32) = (0, 0)
  @exclusivity(unchecked)
  private var slots:
    (output: EventSchedule.Slot?, input: EventSchedule.Slot?, quiet: EventSchedule.Slot?)
  private var output: EventSchedule.Slot {
    chip.slot(&slots.output, of: self) { $0.byteWasSent(at: $1) }
  }
  private var input: EventSchedule.Slot {
    chip.slot(&slots.input, of: self) { $0.byteArrived(at: $1) }
  }
  private var quiet: EventSchedule.Slot {
    chip.slot(&slots.quiet, of: self) { $0.raise(UARTE.EVENTS_RXTO, at: $1) }
  }

  init(_ number: Int, _ chip: Chip) {
    port = SerialPort(number == 2 ? "UARTE0" : "UARTE1")
    super.init(number, events: Self.events, shorts: Self.shorts, chip)
    define(UARTE.ERRORSRC, mask: 0)
    define(UARTE.ENABLE, mask: 15)
    for offset in [UARTE.PSEL_RTS, UARTE.PSEL_TXD, UARTE.PSEL_CTS, UARTE.PSEL_RXD] {
      define(offset, reset: 0xFFFF_FFFF)
    }
    define(UARTE.BAUDRATE, reset: 0x0400_0000)
    define(UARTE.RXD_PTR)
    define(UARTE.RXD_MAXCNT, mask: chip.model.dmaMask)
    define(UARTE.TXD_PTR)
    define(UARTE.TXD_MAXCNT, mask: chip.model.dmaMask)
    define(UARTE.CONFIG, mask: 31)
    port.didReceive = { [unowned self] in listen(at: self.chip.now) }
  }

  private var isLegacy: Bool { self[UARTE.ENABLE] == Mode.uart }
  private var isOn: Bool { isLegacy || self[UARTE.ENABLE] == Mode.uarte }

  override func reset() {
    silence()
    ended = (0, 0)
    super.reset()
  }

  /// Ends the transfers of both directions; AMOUNT is kept until the next buffer ends.
  private func silence() {
    (isSending, stopsSending, isReceiving, waiting) = (false, false, false, nil)
    (sent, received, count, room) = (0, 0, 0, 0)
    for slot in [output, input, quiet] { chip.schedule.clear(slot) }
    chip.energy(.uarte, false, at: chip.now)
  }

  /// The last calculated length of a byte, in cycles, with the values of BAUDRATE and CONFIG from which it was
  /// calculated.
  @exclusivity(unchecked) private var timing: (speed: UInt32, config: UInt32, length: UInt64) = (
    0, 0, 0
  )

  /// The number of cycles that a byte takes on the line.
  private var length: UInt64 {
    let (speed, config) = (self[UARTE.BAUDRATE], self[UARTE.CONFIG])
    if timing.length == 0 || timing.speed != speed || timing.config != config {
      timing = (speed, config, newLength())
    }
    return timing.length
  }

  /// Calculates the number of cycles of a byte: a start bit, eight data bits, an optional parity bit, one or two stop
  /// bits.
  private func newLength() -> UInt64 {
    let wanted = (UInt64(self[UARTE.BAUDRATE]) * 16_000_000) >> 32
    let speed =
      Self.speeds.first { max($0, wanted) - min($0, wanted) <= $0 / 50 } ?? max(wanted, 1)
    port.baudRate = speed
    let config = self[UARTE.CONFIG]
    let bits: UInt64 = 10 + (config & 0xE == 0xE ? 1 : 0) + (config >> 4 & 1 != 0 ? 1 : 0)
    return bits * Chip.frequency / speed
  }

  private func updateEnergy(at cycle: UInt64) {
    chip.energy(.uarte, isSending || isReceiving, at: cycle)
  }

  override func hasTask(_ task: UInt32) -> Bool {
    switch task {
    case UARTE.TASKS_STARTRX, UARTE.TASKS_STOPRX, UARTE.TASKS_STARTTX, UARTE.TASKS_STOPTX,
      UART.TASKS_SUSPEND, UARTE.TASKS_FLUSHRX:
      true
    default: false
    }
  }

  override func task(_ task: UInt32, at cycle: UInt64) {
    guard isOn else { return }
    switch task {
    case UARTE.TASKS_STARTTX: startSending(at: cycle)
    case UARTE.TASKS_STOPTX: stopSending(at: cycle)
    case UARTE.TASKS_STARTRX: startReceiving(at: cycle)
    case UARTE.TASKS_STOPRX: stopReceiving(at: cycle)
    case UART.TASKS_SUSPEND:
      isSending = false
      isReceiving = false
    default: break
    }
    updateEnergy(at: cycle)
  }

  // MARK: Sending

  private func startSending(at cycle: UInt64) {
    isSending = true
    stopsSending = false
    guard !isLegacy else { return }
    (pointer, count, sent) = (self[UARTE.TXD_PTR], Int(self[UARTE.TXD_MAXCNT]), 0)
    raise(UARTE.EVENTS_TXSTARTED, at: cycle)
    guard isSending else { return }
    if count == 0 { endSending(at: cycle) } else { sendNext(at: cycle) }
  }

  private func sendNext(at cycle: UInt64) {
    if let byte = chip.readRAM(pointer &+ sent) {
      current = byte
    } else {
      chip.noteOutsideRAM(base + UARTE.TXD_PTR, "TXD.PTR")
      current = 0
    }
    chip.schedule.set(output, at: cycle + length)
  }

  /// Sends further bytes as long as the core sleeps and no other event is due.
  ///
  /// - Parameter cycle: the end of the previous byte.
  /// - Returns: the end of the last byte sent.
  private func sendAsleep(from cycle: UInt64) -> UInt64 {
    let (length, chip, run, port) = (length, chip, chip.run, port)
    var cycle = cycle
    while sent < count, !stopsSending, !hasEffect(UARTE.EVENTS_TXDRDY),
      let byte = chip.readRAM(pointer &+ sent), run.staysAsleep(until: cycle + length)
    {
      mark(UARTE.EVENTS_TXDRDY)
      current = byte
      cycle += length
      port.put(current, at: chip.nanoseconds(cycle))
      sent += 1
    }
    return cycle
  }

  private func stopSending(at cycle: UInt64) {
    if chip.schedule.cycle(of: output) != nil, !isLegacy {
      stopsSending = true
    } else {
      isSending = false
      raise(UARTE.EVENTS_TXSTOPPED, at: cycle)
    }
  }

  private func byteWasSent(at cycle: UInt64) {
    port.put(current, at: chip.nanoseconds(cycle))
    guard !isLegacy else {
      if let byte = waiting {
        waiting = nil
        send(byte, at: cycle)
      }
      return raise(UARTE.EVENTS_TXDRDY, at: cycle)
    }
    sent += 1
    let cycle = sendAsleep(from: cycle)
    if sent < count, !stopsSending {
      sendNext(at: cycle)
      return raise(UARTE.EVENTS_TXDRDY, at: cycle)
    }
    raise(UARTE.EVENTS_TXDRDY, at: cycle)
    endSending(at: cycle)
    if stopsSending {
      (stopsSending, isSending) = (false, false)
      raise(UARTE.EVENTS_TXSTOPPED, at: cycle)
    }
    updateEnergy(at: cycle)
  }

  private func endSending(at cycle: UInt64) {
    ended.sent = sent
    raise(UARTE.EVENTS_ENDTX, at: cycle)
  }

  private func endReceiving(at cycle: UInt64) {
    ended.received = received
    raise(UARTE.EVENTS_ENDRX, at: cycle)
  }

  /// Sends a byte of UART.
  private func send(_ byte: UInt8, at cycle: UInt64) {
    current = byte
    chip.schedule.set(output, at: cycle + length)
  }

  // MARK: Receiving

  private func startReceiving(at cycle: UInt64) {
    isReceiving = true
    if !isLegacy {
      (buffer, room, received) = (self[UARTE.RXD_PTR], Int(self[UARTE.RXD_MAXCNT]), 0)
      raise(UARTE.EVENTS_RXSTARTED, at: cycle)
    }
    listen(at: cycle)
  }

  private func stopReceiving(at cycle: UInt64) {
    guard isReceiving else { return }
    isReceiving = false
    chip.schedule.clear(input)
    if !isLegacy, room > 0 {
      room = 0
      endReceiving(at: cycle)
    }
    chip.schedule.set(quiet, at: cycle + length)
  }

  /// Begins to receive the next byte, if one is available and there is room for it.
  private func listen(at cycle: UInt64) {
    guard isReceiving, port.hasInput, chip.schedule.cycle(of: input) == nil,
      isLegacy ? !isSet(UARTE.EVENTS_RXDRDY) : room > 0
    else { return }
    chip.schedule.set(input, at: cycle + length)
  }

  override func didClear(_ event: UInt32) {
    if event == UARTE.EVENTS_RXDRDY, isLegacy { listen(at: chip.now) }
  }

  private func byteArrived(at cycle: UInt64) {
    guard let byte = port.receive() else { return }
    latest = byte
    if isLegacy { return raise(UARTE.EVENTS_RXDRDY, at: cycle) }
    if !chip.writeRAM(buffer &+ received, byte) {
      chip.noteOutsideRAM(base + UARTE.RXD_PTR, "RXD.PTR")
    }
    received += 1
    room -= 1
    raise(UARTE.EVENTS_RXDRDY, at: cycle)
    if room == 0 { endReceiving(at: cycle) }
    listen(at: cycle)
    updateEnergy(at: cycle)
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case UARTE.ERRORSRC: 0
    case UART.RXD: UInt32(latest)
    case UARTE.RXD_AMOUNT: ended.received
    case UARTE.TXD_AMOUNT: ended.sent
    default: nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case UARTE.ENABLE:
      if value & 15 != self[UARTE.ENABLE] { silence() }
      self[UARTE.ENABLE] = value & 15
    case UART.TXD:
      guard isLegacy, isSending else { return true }
      let byte = UInt8(truncatingIfNeeded: value)
      if chip.schedule.cycle(of: output) == nil { send(byte, at: chip.now) } else { waiting = byte }
    default: return false
    }
    return true
  }
}

/// The registers that UART does not share with UARTE, by their offset in the common page.
package enum UART {
  package static let TASKS_SUSPEND: UInt32 = 0x01C
  package static let RXD: UInt32 = 0x518
  package static let TXD: UInt32 = 0x51C
}
