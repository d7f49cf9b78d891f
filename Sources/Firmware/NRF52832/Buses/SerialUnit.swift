import Machines

/// UART and UARTE, which share a page: byte by byte, or with EasyDMA.
///
/// What comes from outside waits on the line until the receiver is on.
final class SerialUnit: TaskPeripheral {
  enum Task {
    static let startReceive = 0, stopReceive = 1, startSend = 2, stopSend = 3, flush = 11
  }
  enum Event {
    static let cleared = 0, notCleared = 1, received = 2, receiveEnd = 4, sent = 7, sendEnd = 8
    static let error = 9, timeOut = 17, receiveStarted = 19, sendStarted = 20, sendStopped = 22
  }
  /// The speeds that BAUDRATE can be set to, in bits a second.
  private static let speeds: [UInt64] = [
    1200, 2400, 4800, 9600, 14400, 19200, 28800, 31250, 38400, 56000, 57600, 76800, 115_200,
    230_400, 250_000, 460_800, 921_600, 1_000_000,
  ]

  let port = SerialPort("UARTE0")
  @exclusivity(unchecked) private var isSending = false
  @exclusivity(unchecked) private var stopsSending = false
  @exclusivity(unchecked) private var pointer: UInt32 = 0
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var sent: UInt32 = 0
  /// UART: the byte that waits behind the one on the line.
  @exclusivity(unchecked) private var waiting: UInt8?
  @exclusivity(unchecked) private var current: UInt8 = 0

  @exclusivity(unchecked) private var isReceiving = false
  @exclusivity(unchecked) private var buffer: UInt32 = 0
  @exclusivity(unchecked) private var room = 0
  @exclusivity(unchecked) private var received: UInt32 = 0
  @exclusivity(unchecked) private var latest: UInt8 = 0
  /// What AMOUNT says of either direction: the bytes of the buffer that ended last, while the next may be under way.
  @exclusivity(unchecked) private var ended: (sent: UInt32, received: UInt32) = (0, 0)
  @exclusivity(unchecked)
  private var slots:
    (output: EventSchedule.Slot?, input: EventSchedule.Slot?, quiet: EventSchedule.Slot?)
  private var output: EventSchedule.Slot {
    die.slot(&slots.output, of: self) { $0.byteWasSent(at: $1) }
  }
  private var input: EventSchedule.Slot {
    die.slot(&slots.input, of: self) { $0.byteArrived(at: $1) }
  }
  private var quiet: EventSchedule.Slot {
    die.slot(&slots.quiet, of: self) { $0.raise(Event.timeOut, at: $1) }
  }

  init(_ die: Die) {
    super.init(
      2, events: [0, 1, 2, 4, 7, 8, 9, 17, 19, 20, 22],
      shorts: [
        Short(bit: 3, event: Event.cleared, task: Task.startReceive),
        Short(bit: 4, event: Event.notCleared, task: Task.stopReceive),
        Short(bit: 5, event: Event.receiveEnd, task: Task.startReceive),
        Short(bit: 6, event: Event.receiveEnd, task: Task.stopReceive),
      ], die)
    define(0x480, mask: 0)
    define(0x500, mask: 15)
    for offset: UInt32 in [0x508, 0x50C, 0x510, 0x514] { define(offset, reset: 0xFFFF_FFFF) }
    define(0x524, reset: 0x0400_0000)
    define(0x534)
    define(0x538, mask: 0xFF)
    define(0x544)
    define(0x548, mask: 0xFF)
    define(0x56C, mask: 31)
    port.arrives = { [unowned self] in listen(at: self.die.now) }
  }

  private var isLegacy: Bool { self[0x500] == 4 }
  private var isOn: Bool { self[0x500] == 4 || self[0x500] == 8 }

  override func reset() {
    silence()
    ended = (0, 0)
    super.reset()
  }

  /// Ends what is under way; AMOUNT of either direction stays until the next buffer ends.
  private func silence() {
    (isSending, stopsSending, isReceiving, waiting) = (false, false, false, nil)
    (sent, received, count, room) = (0, 0, 0, 0)
    for slot in [output, input, quiet] { die.schedule.clear(slot) }
    die.energy(.serial, false, at: die.now)
  }

  /// What the program last set, and the cycles of a byte with that.
  @exclusivity(unchecked) private var timing: (speed: UInt32, config: UInt32, length: UInt64) = (
    0, 0, 0
  )

  /// The cycles of a byte.
  private var length: UInt64 {
    let (speed, config) = (self[0x524], self[0x56C])
    if timing.length == 0 || timing.speed != speed || timing.config != config {
      timing = (speed, config, newLength())
    }
    return timing.length
  }

  /// A byte has a start bit, eight bits, perhaps parity, one or two stop bits.
  private func newLength() -> UInt64 {
    let wanted = (UInt64(self[0x524]) * 16_000_000) >> 32
    let speed =
      Self.speeds.first { max($0, wanted) - min($0, wanted) <= $0 / 50 } ?? max(wanted, 1)
    port.baudRate = speed
    let config = self[0x56C]
    let bits: UInt64 = 10 + (config & 0xE == 0xE ? 1 : 0) + (config >> 4 & 1 != 0 ? 1 : 0)
    return bits * Die.frequency / speed
  }

  private func tellEnergy(at cycle: UInt64) {
    die.energy(.serial, isSending || isReceiving, at: cycle)
  }

  override func hasTask(_ index: Int) -> Bool { index <= 3 || index == 7 || index == 11 }

  override func task(_ index: Int, at cycle: UInt64) {
    guard isOn else { return }
    switch index {
    case Task.startSend: startSending(at: cycle)
    case Task.stopSend: stopSending(at: cycle)
    case Task.startReceive: startReceiving(at: cycle)
    case Task.stopReceive: stopReceiving(at: cycle)
    case 7:
      isSending = false
      isReceiving = false
    default: break
    }
    tellEnergy(at: cycle)
  }

  // MARK: Sending

  private func startSending(at cycle: UInt64) {
    isSending = true
    stopsSending = false
    guard !isLegacy else { return }
    (pointer, count, sent) = (self[0x544], Int(self[0x548]), 0)
    raise(Event.sendStarted, at: cycle)
    guard isSending else { return }
    if count == 0 { endSending(at: cycle) } else { sendNext(at: cycle) }
  }

  private func sendNext(at cycle: UInt64) {
    if let byte = die.readRAM(pointer &+ sent) {
      current = byte
    } else {
      die.noteOutsideRAM(base + 0x544, "TXD.PTR")
      current = 0
    }
    die.schedule.set(output, at: cycle + length)
  }

  /// Sends one byte after the other while the core sleeps and nothing else happens.
  ///
  /// - Parameter cycle: when the last byte had been sent, with others left.
  /// - Returns: when the last one that it sent had been.
  private func sendAsleep(from cycle: UInt64) -> UInt64 {
    let (length, die, run, port) = (length, die, die.run, port)
    var cycle = cycle
    while sent < count, !stopsSending, !isHeeded(Event.sent),
      let byte = die.readRAM(pointer &+ sent), run.sleepsOn(to: cycle + length)
    {
      mark(Event.sent)
      current = byte
      cycle += length
      port.put(current, at: die.nanoseconds(cycle))
      sent += 1
    }
    return cycle
  }

  private func stopSending(at cycle: UInt64) {
    if die.schedule.cycle(of: output) != nil, !isLegacy {
      stopsSending = true
    } else {
      isSending = false
      raise(Event.sendStopped, at: cycle)
    }
  }

  private func byteWasSent(at cycle: UInt64) {
    port.put(current, at: die.nanoseconds(cycle))
    guard !isLegacy else {
      if let byte = waiting {
        waiting = nil
        send(byte, at: cycle)
      }
      return raise(Event.sent, at: cycle)
    }
    sent += 1
    let cycle = sendAsleep(from: cycle)
    if sent < count, !stopsSending {
      sendNext(at: cycle)
      return raise(Event.sent, at: cycle)
    }
    raise(Event.sent, at: cycle)
    endSending(at: cycle)
    if stopsSending {
      (stopsSending, isSending) = (false, false)
      raise(Event.sendStopped, at: cycle)
    }
    tellEnergy(at: cycle)
  }

  private func endSending(at cycle: UInt64) {
    ended.sent = sent
    raise(Event.sendEnd, at: cycle)
  }

  private func endReceiving(at cycle: UInt64) {
    ended.received = received
    raise(Event.receiveEnd, at: cycle)
  }

  /// UART: a byte goes on the line.
  private func send(_ byte: UInt8, at cycle: UInt64) {
    current = byte
    die.schedule.set(output, at: cycle + length)
  }

  // MARK: Receiving

  private func startReceiving(at cycle: UInt64) {
    isReceiving = true
    if !isLegacy {
      (buffer, room, received) = (self[0x534], Int(self[0x538]), 0)
      raise(Event.receiveStarted, at: cycle)
    }
    listen(at: cycle)
  }

  private func stopReceiving(at cycle: UInt64) {
    guard isReceiving else { return }
    isReceiving = false
    die.schedule.clear(input)
    if !isLegacy, room > 0 {
      room = 0
      endReceiving(at: cycle)
    }
    die.schedule.set(quiet, at: cycle + length)
  }

  /// Waits for the next byte, if there is one and somebody takes it.
  private func listen(at cycle: UInt64) {
    guard isReceiving, port.hasInput, die.schedule.cycle(of: input) == nil,
      isLegacy ? !isSet(Event.received) : room > 0
    else { return }
    die.schedule.set(input, at: cycle + length)
  }

  override func didClear(_ event: Int) {
    if event == Event.received, isLegacy { listen(at: die.now) }
  }

  private func byteArrived(at cycle: UInt64) {
    guard let byte = port.receive() else { return }
    latest = byte
    if isLegacy { return raise(Event.received, at: cycle) }
    if !die.writeRAM(buffer &+ received, byte) {
      die.noteOutsideRAM(base + 0x534, "RXD.PTR")
    }
    received += 1
    room -= 1
    raise(Event.received, at: cycle)
    if room == 0 { endReceiving(at: cycle) }
    listen(at: cycle)
    tellEnergy(at: cycle)
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case 0x480: 0
    case 0x518: UInt32(latest)
    case 0x53C: ended.received
    case 0x54C: ended.sent
    default: nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case 0x500:
      if value & 15 != self[0x500] { silence() }
      self[0x500] = value & 15
    case 0x51C:
      guard isLegacy, isSending else { return true }
      let byte = UInt8(truncatingIfNeeded: value)
      if die.schedule.cycle(of: output) == nil { send(byte, at: die.now) } else { waiting = byte }
    default: return false
    }
    return true
  }
}
