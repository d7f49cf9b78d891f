import I2C
import Machines

/// TWI, TWIM, SPI and SPIM, which share a page; ENABLE selects one of them.
///
/// TWI and SPI transfer byte by byte through registers, TWIM and SPIM with EasyDMA.
///
/// TWI and TWIM transfer byte by byte on the wire; the events of a byte are raised when its bits have been transferred.
package final class TWIM: TaskPeripheral {
  package static let TASKS_STARTRX: UInt32 = 0x000
  package static let TASKS_STARTTX: UInt32 = 0x008
  package static let TASKS_STOP: UInt32 = 0x014
  package static let TASKS_SUSPEND: UInt32 = 0x01C
  package static let TASKS_RESUME: UInt32 = 0x020
  package static let EVENTS_STOPPED: UInt32 = 0x104
  package static let EVENTS_ERROR: UInt32 = 0x124
  package static let EVENTS_SUSPENDED: UInt32 = 0x148
  package static let EVENTS_RXSTARTED: UInt32 = 0x14C
  package static let EVENTS_TXSTARTED: UInt32 = 0x150
  package static let EVENTS_LASTRX: UInt32 = 0x15C
  package static let EVENTS_LASTTX: UInt32 = 0x160
  package static let ERRORSRC: UInt32 = 0x4C4
  package static let ENABLE: UInt32 = 0x500
  package static let PSEL_SCL: UInt32 = 0x508
  package static let PSEL_SDA: UInt32 = 0x50C
  package static let FREQUENCY: UInt32 = 0x524
  package static let RXD_PTR: UInt32 = 0x534
  package static let RXD_MAXCNT: UInt32 = 0x538
  package static let RXD_AMOUNT: UInt32 = 0x53C
  package static let RXD_LIST: UInt32 = 0x540
  package static let TXD_PTR: UInt32 = 0x544
  package static let TXD_MAXCNT: UInt32 = 0x548
  package static let TXD_AMOUNT: UInt32 = 0x54C
  package static let TXD_LIST: UInt32 = 0x550
  package static let ADDRESS: UInt32 = 0x588

  /// The values of ENABLE that are modelled.
  enum Mode { static let spi: UInt32 = 1, twi: UInt32 = 5, twim: UInt32 = 6, spim: UInt32 = 7 }
  /// The bits of ERRORSRC.
  enum Failure { static let OVERRUN: UInt32 = 1, ANACK: UInt32 = 2, DNACK: UInt32 = 4 }

  private static let events = [
    EVENTS_STOPPED, TWI.EVENTS_RXDREADY, SPIM.EVENTS_ENDRX, SPIM.EVENTS_END, TWI.EVENTS_TXDSENT,
    SPIM.EVENTS_ENDTX, EVENTS_ERROR, TWI.EVENTS_BB, EVENTS_SUSPENDED, EVENTS_RXSTARTED,
    EVENTS_TXSTARTED, EVENTS_LASTRX, EVENTS_LASTTX,
  ]
  private static let shorts = [
    Short(bit: 0, event: TWI.EVENTS_BB, task: TASKS_SUSPEND),
    Short(bit: 1, event: TWI.EVENTS_BB, task: TASKS_STOP),
    Short(bit: 7, event: EVENTS_LASTTX, task: TASKS_STARTRX),
    Short(bit: 8, event: EVENTS_LASTTX, task: TASKS_SUSPEND),
    Short(bit: 9, event: EVENTS_LASTTX, task: TASKS_STOP),
    Short(bit: 10, event: EVENTS_LASTRX, task: TASKS_STARTTX),
    Short(bit: 12, event: EVENTS_LASTRX, task: TASKS_STOP),
    Short(bit: 17, event: SPIM.EVENTS_END, task: SPIM.TASKS_START),
  ]

  /// The state of the transfer on the wire.
  enum Step {
    /// The bus is free.
    case idle
    /// The address is on the wire, for a transfer in this direction.
    case address(I2CSegment.Direction)
    /// The byte at this index is on the wire.
    case write(Int)
    case read(Int)
    /// The bus is held between two bytes.
    case held
    /// The stop condition is on the wire.
    case stop
  }

  /// `true` while `stepsDidEnd(at:)` is running, in which case a new step sets `stepEnd` instead of scheduling an
  /// event.
  @exclusivity(unchecked) private var isStepping = false
  @exclusivity(unchecked) private var stepEnd: UInt64?
  let port: I2CPort
  private let openBus = OpenWire()
  @exclusivity(unchecked) var step = Step.idle
  @exclusivity(unchecked) var direction = I2CSegment.Direction.write
  /// `true` if a STOP task is pending.
  @exclusivity(unchecked) var wantsStop = false
  /// `true` if a SUSPEND task is pending.
  @exclusivity(unchecked) var wantsSuspend = false
  /// The direction of a pending start task, STARTRX or STARTTX; `nil` if none is pending.
  @exclusivity(unchecked) var wantsStart: I2CSegment.Direction?
  @exclusivity(unchecked) var isSuspended = false
  @exclusivity(unchecked) var failures: UInt32 = 0
  /// The failure of the current step, which is reported when the step ends; `nil` if it succeeds.
  @exclusivity(unchecked) var outcome: I2CError.Kind?
  @exclusivity(unchecked) var byte: UInt8 = 0
  /// The buffer address of the current EasyDMA transfer.
  @exclusivity(unchecked) var pointer: UInt32 = 0
  /// The buffer length of the current EasyDMA transfer, in bytes.
  @exclusivity(unchecked) var count = 0
  /// The number of bytes received by EasyDMA.
  @exclusivity(unchecked) var received: UInt32 = 0
  /// The number of bytes sent by EasyDMA.
  @exclusivity(unchecked) var sent: UInt32 = 0
  /// The byte in TXD that TWI has not sent yet; `nil` if TXD is empty.
  @exclusivity(unchecked) var waiting: UInt8?
  /// The byte in RXD that the program has not read yet; `nil` if RXD is empty.
  @exclusivity(unchecked) var unread: UInt8?
  @exclusivity(unchecked) var lastByte: UInt8 = 0
  /// `true` if the current transfer has failed, so only a stop or a start can follow.
  @exclusivity(unchecked) var isLost = false
  /// `true` while an SPI byte or an SPIM transfer is in progress.
  @exclusivity(unchecked) var isShifting = false
  /// The next byte that SPI will send, written to TXD; `nil` if there is none.
  @exclusivity(unchecked) var nextShift: UInt8?
  /// `true` if the hint that nothing is connected to SPI has been given.
  @exclusivity(unchecked) var hasHinted = false
  @exclusivity(unchecked) private var slots: (spi: EventSchedule.Slot?, step: EventSchedule.Slot?)
  var spiSlot: EventSchedule.Slot { chip.slot(&slots.spi, of: self) { $0.spiDidEnd(at: $1) } }
  private var slot: EventSchedule.Slot {
    chip.slot(&slots.step, of: self) { $0.stepsDidEnd(at: $1) }
  }

  /// - Parameters:
  ///   - index: the number of the instance, which is 0 for TWIM0; instance 2 has only SPI and SPIM.
  ///   - page: the peripheral ID.
  ///   - chip: the shared resources of the chip.
  init(_ index: Int, page: Int, _ chip: Chip) {
    port = I2CPort("TWIM\(index)", "TWI\(index)", "I2C\(index)")
    super.init(page, events: Self.events, shorts: Self.shorts, chip)
    define(TWIM.ENABLE, mask: 15)
    define(TWIM.PSEL_SCL, reset: 0xFFFF_FFFF)
    define(TWIM.PSEL_SDA, reset: 0xFFFF_FFFF)
    define(SPIM.PSEL_MISO, reset: 0xFFFF_FFFF)
    define(SPIM.CONFIG, mask: 7)
    define(SPIM.ORC, mask: 0xFF)
    define(TWIM.FREQUENCY, reset: 0x0400_0000)
    define(TWIM.ADDRESS, mask: 0x7F)
    for offset in [TWIM.RXD_PTR, TWIM.TXD_PTR] { define(offset) }
    for offset in [TWIM.RXD_MAXCNT, TWIM.TXD_MAXCNT] {
      define(offset, mask: chip.model.dmaMask)
    }
    for offset in [TWIM.RXD_LIST, TWIM.TXD_LIST] { define(offset, mask: 7) }
  }

  /// `true` if TWI is enabled, which transfers byte by byte through TXD and RXD.
  var isLegacy: Bool { self[TWIM.ENABLE] == Mode.twi }
  private var isOn: Bool { number < 5 && (isLegacy || self[TWIM.ENABLE] == Mode.twim) }

  var wire: any I2CWire {
    let isConnected = (self[TWIM.PSEL_SCL] | self[TWIM.PSEL_SDA]) >> 31 == 0
    return isConnected ? port.wire ?? openBus : openBus
  }

  override func reset() {
    abandon()
    (received, sent, failures, lastByte) = (0, 0, 0, 0)
    super.reset()
  }

  /// Releases the bus, as when the peripheral is disabled during a transfer.
  private func abandon() {
    if case .idle = step {
    } else {
      _ = port.wire?.stop(at: chip.nanoseconds(chip.now))
      chip.energy(.twim, false, at: chip.now)
    }
    chip.schedule.clear(slot)
    stepEnd = nil
    chip.schedule.clear(spiSlot)
    (isShifting, nextShift) = (false, nil)
    step = .idle
    (wantsStop, wantsSuspend, isSuspended) = (false, false, false)
    (wantsStart, waiting, unread, outcome) = (nil, nil, nil, nil)
  }

  /// The bit rate in Hz: one of the three documented values of FREQUENCY or, for other values, 16 MHz times FREQUENCY /
  /// 2^32.
  private var frequency: UInt64 {
    switch self[TWIM.FREQUENCY] {
    case 0x0198_0000: 100_000
    case 0x0400_0000: 250_000
    case 0x0640_0000: 400_000
    default: max((UInt64(self[TWIM.FREQUENCY]) * 16_000_000) >> 32, 1)
    }
  }

  /// Begins a step, which ends with its last bit on the wire.
  func wait(for reply: I2CWireReply, as step: Step, from cycle: UInt64) {
    self.step = step
    outcome = reply.failure
    byte = reply.byte
    let end = max(chip.clock.cycle(at: reply.end), cycle + 1)
    if isStepping { stepEnd = end } else { chip.schedule.set(slot, at: end) }
  }

  /// Ends a step, and the steps after it as long as the core sleeps and no other event is due.
  private func stepsDidEnd(at cycle: UInt64) {
    isStepping = true
    defer { isStepping = false }
    let run = chip.run
    var cycle = cycle
    while true {
      stepEnd = nil
      stepDidEnd(at: cycle)
      guard let end = stepEnd else { return }
      guard run.staysAsleep(until: end) else { return chip.schedule.set(slot, at: end) }
      cycle = end
    }
  }

  /// Sends a start condition, which is a repeated start if the bus is held.
  func begin(_ direction: I2CSegment.Direction, at cycle: UInt64) {
    if case .idle = step { chip.energy(.twim, true, at: cycle) }
    self.direction = direction
    isLost = false
    wire.frequency = frequency
    var plan = I2CWirePlan()
    if isLegacy {
      (waiting, unread) = (nil, nil)
    } else {
      plan = latch(direction, at: cycle)
    }
    let address = I2CAddress(rawValue: UInt16(self[TWIM.ADDRESS])) ?? 0
    let reply = wire.start(address, direction, plan: plan, at: chip.nanoseconds(cycle))
    wait(for: reply, as: .address(direction), from: cycle)
  }

  func end(at cycle: UInt64) {
    wantsStop = false
    wait(for: wire.stop(at: chip.nanoseconds(cycle)), as: .stop, from: cycle)
  }

  func hold() { step = .held }

  /// Raises EVENTS_ERROR for a failure.
  ///
  /// A clock line held low is not a failure for this chip, which waits without an event.
  func fail(_ kind: I2CError.Kind, at cycle: UInt64) {
    guard kind != .timeOut else { return }
    failures |= kind == .addressNack ? Failure.ANACK : Failure.DNACK
    raise(TWIM.EVENTS_ERROR, at: cycle)
  }

  private func stepDidEnd(at cycle: UInt64) {
    if case .stop = step {
      step = .idle
      // This stop condition also serves a STOP task triggered during it.
      (isSuspended, wantsStop) = (false, false)
      chip.energy(.twim, false, at: cycle)
      if let outcome { fail(outcome, at: cycle) }
      raise(TWIM.EVENTS_STOPPED, at: cycle)
      if let start = wantsStart {
        wantsStart = nil
        begin(start, at: cycle)
      }
      return
    }
    if isLegacy { legacyDidEnd(at: cycle) } else { dmaDidEnd(at: cycle) }
  }

  /// `true` if an address, a byte or a stop condition is being transferred.
  var isMoving: Bool {
    switch step {
    case .idle, .held: false
    default: true
    }
  }

  override func hasTask(_ task: UInt32) -> Bool {
    switch task {
    case TWIM.TASKS_STARTRX, TWIM.TASKS_STARTTX, SPIM.TASKS_START, TWIM.TASKS_STOP,
      TWIM.TASKS_SUSPEND, TWIM.TASKS_RESUME:
      true
    default: false
    }
  }

  override func task(_ task: UInt32, at cycle: UInt64) {
    if isSPI { return spiTask(task, at: cycle) }
    guard isOn else { return }
    switch task {
    case TWIM.TASKS_STARTRX, TWIM.TASKS_STARTTX:
      let direction: I2CSegment.Direction = task == TWIM.TASKS_STARTRX ? .read : .write
      if isMoving || isSuspended { wantsStart = direction } else { begin(direction, at: cycle) }
    case TWIM.TASKS_STOP:
      if case .idle = step {
        raise(TWIM.EVENTS_STOPPED, at: cycle)
      } else if isMoving || isSuspended {
        wantsStop = true
      } else {
        end(at: cycle)
      }
    case TWIM.TASKS_SUSPEND:
      if isMoving {
        wantsSuspend = true
      } else {
        isSuspended = true
        raise(TWIM.EVENTS_SUSPENDED, at: cycle)
      }
    case TWIM.TASKS_RESUME:
      wantsSuspend = false
      guard isSuspended else { return }
      isSuspended = false
      if case .idle = step { return }
      proceed(at: cycle)
    default: break
    }
  }

  /// Continues after a suspension or the end of a transfer.
  func proceed(at cycle: UInt64) {
    if let start = wantsStart {
      wantsStart = nil
      begin(start, at: cycle)
    } else if wantsStop {
      end(at: cycle)
    } else if isLegacy {
      legacyProceed(at: cycle)
    } else {
      dmaProceed(at: cycle)
    }
  }

  /// Suspends the transfer if a SUSPEND task is pending; returns whether it did.
  func suspends(at cycle: UInt64) -> Bool {
    guard wantsSuspend else { return false }
    wantsSuspend = false
    isSuspended = true
    hold()
    raise(TWIM.EVENTS_SUSPENDED, at: cycle)
    return true
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case TWIM.ERRORSRC: return failures
    case TWIM.RXD_AMOUNT: return received
    case TWIM.TXD_AMOUNT: return sent
    case TWI.RXD: return readByte()
    case TWI.TXD: return UInt32(waiting ?? lastByte)
    default: return nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case TWIM.ERRORSRC: failures &= ~value
    case TWIM.ENABLE:
      if value & 15 != self[TWIM.ENABLE] { abandon() }
      // TWIS and SPIS are not modelled. Their tasks are reported; this write is not, since drivers also reset the
      // peripheral with it.
      self[TWIM.ENABLE] = value & 15
    case TWI.TXD where isSPI: shift(UInt8(truncatingIfNeeded: value), at: chip.now)
    case TWI.TXD: write(UInt8(truncatingIfNeeded: value))
    default: return false
    }
    return true
  }
}

/// The functions of TWIM, which transfers whole messages between the wire and RAM.
extension TWIM {
  /// Latches PTR and MAXCNT at the start of a transfer.
  func latch(_ direction: I2CSegment.Direction, at cycle: UInt64) -> I2CWirePlan {
    if direction == .write {
      (pointer, count, sent) = (self[TWIM.TXD_PTR], Int(self[TWIM.TXD_MAXCNT]), 0)
      raise(TWIM.EVENTS_TXSTARTED, at: cycle)
      return I2CWirePlan(count: count, first: count > 0 ? memory(0) : nil)
    }
    (pointer, count, received) = (self[TWIM.RXD_PTR], Int(self[TWIM.RXD_MAXCNT]), 0)
    raise(TWIM.EVENTS_RXSTARTED, at: cycle)
    return I2CWirePlan(count: count)
  }

  /// Reads a byte of the buffer.
  ///
  /// EasyDMA accesses RAM only; a byte outside RAM reads 0, and the pointer is reported.
  private func memory(_ index: Int) -> UInt8 {
    if let byte = chip.readRAM(pointer &+ UInt32(index)) { return byte }
    chip.noteOutsideRAM(base + TWIM.TXD_PTR, "TXD.PTR")
    return 0
  }

  func dmaDidEnd(at cycle: UInt64) {
    switch step {
    case .address(let way):
      if let outcome { return abort(outcome, at: cycle) }
      move(0, way, at: cycle)
    case .write(let index):
      sent += 1
      if let outcome { return abort(outcome, at: cycle) }
      move(index + 1, .write, at: cycle)
    case .read(let index):
      if !chip.writeRAM(pointer &+ UInt32(index), byte) {
        chip.noteOutsideRAM(base + TWIM.RXD_PTR, "RXD.PTR")
      }
      received += 1
      if let outcome { return abort(outcome, at: cycle) }
      move(index + 1, .read, at: cycle)
    default: break
    }
  }

  /// Ends the transfer with a failure; the bus stays held until the program stops it.
  private func abort(_ kind: I2CError.Kind, at cycle: UInt64) {
    (count, isLost) = (0, true)
    hold()
    fail(kind, at: cycle)
    if isMoving { return }
    // EVENTS_SUSPENDED: "Last byte has been sent out after the SUSPEND task has been issued" (PS v1.4, TWIM), also if
    // that byte was not acknowledged.
    if wantsStop { end(at: cycle) } else { _ = suspends(at: cycle) }
  }

  /// Transfers the byte at an index, or ends the transfer after the last one.
  private func move(_ index: Int, _ direction: I2CSegment.Direction, at cycle: UInt64) {
    guard index < count else { return transferDidEnd(at: cycle) }
    if wantsStop { return end(at: cycle) }
    if suspends(at: cycle) { return }
    // The shortcuts of LASTTX and LASTRX trigger the next task while the last byte is being transferred.
    step = direction == .write ? .write(index) : .read(index)
    if index == count - 1 {
      raise(direction == .write ? TWIM.EVENTS_LASTTX : TWIM.EVENTS_LASTRX, at: cycle)
    }
    let time = chip.nanoseconds(cycle)
    let reply =
      direction == .write
      ? wire.write(memory(index), at: time)
      : wire.read(acknowledging: index < count - 1, at: time)
    wait(for: reply, as: step, from: cycle)
  }

  private func transferDidEnd(at cycle: UInt64) {
    hold()
    if suspends(at: cycle) { return }
    proceed(at: cycle)
  }

  func dmaProceed(at cycle: UInt64) {
    let moved = Int(direction == .write ? sent : received)
    if moved < count { move(moved, direction, at: cycle) } else { hold() }
  }
}
