import I2C
import Machines

/// TWI and TWIM, SPI and SPIM, which share a page: ENABLE says which works, byte by byte or with EasyDMA.
///
/// TWI and TWIM move one byte after the other on the wire; the events of each come when its bits have passed.
final class TwoWireUnit: TaskPeripheral {
  enum Task { static let startRead = 0, startWrite = 2, stop = 5, suspend = 7, resume = 8 }
  enum Event {
    static let stopped = 1, received = 2, sent = 7, error = 9, boundary = 14, suspended = 18
    static let readStarted = 19, writeStarted = 20, lastRead = 23, lastWrite = 24
  }
  /// Bits of ERRORSRC.
  enum Failure { static let overrun: UInt32 = 1, address: UInt32 = 2, data: UInt32 = 4 }
  /// What is under way on the wire.
  enum Step {
    /// Nothing, and the bus is free.
    case idle
    /// The address, then bytes of a direction.
    case address(I2CSegment.Direction)
    /// The byte of an index.
    case write(Int)
    case read(Int)
    /// Nothing, and the bus is held.
    case held
    /// The stop.
    case stop
  }

  /// Whether a step ends, and when the one ends that it began.
  @exclusivity(unchecked) private var isStepping = false
  @exclusivity(unchecked) private var stepEnd: UInt64?
  let port: I2CPort
  private let nobody = OpenWire()
  @exclusivity(unchecked) var step = Step.idle
  @exclusivity(unchecked) var direction = I2CSegment.Direction.write
  /// What is asked for and not done yet.
  @exclusivity(unchecked) var wantsStop = false
  @exclusivity(unchecked) var wantsSuspend = false
  @exclusivity(unchecked) var wantsStart: I2CSegment.Direction?
  @exclusivity(unchecked) var isSuspended = false
  @exclusivity(unchecked) var failures: UInt32 = 0
  /// The failure of the step under way, told when it has ended.
  @exclusivity(unchecked) var outcome: I2CError.Kind?
  @exclusivity(unchecked) var byte: UInt8 = 0
  /// EasyDMA: where the bytes of the message under way are, how many, and how many have been moved.
  @exclusivity(unchecked) var pointer: UInt32 = 0
  @exclusivity(unchecked) var count = 0
  @exclusivity(unchecked) var received: UInt32 = 0
  @exclusivity(unchecked) var sent: UInt32 = 0
  /// The legacy registers: TXD that waits, RXD that was not read.
  @exclusivity(unchecked) var waiting: UInt8?
  @exclusivity(unchecked) var unread: UInt8?
  @exclusivity(unchecked) var lastByte: UInt8 = 0
  /// The message under way has failed, and only a stop or a start goes on.
  @exclusivity(unchecked) var isLost = false
  /// What SPI does: whether a byte or a transfer is under way, and the byte of TXD behind it.
  @exclusivity(unchecked) var isShifting = false
  @exclusivity(unchecked) var nextShift: UInt8?
  /// Whether the hint was given that nothing is connected to SPI.
  @exclusivity(unchecked) var hasHinted = false
  @exclusivity(unchecked) private var slots: (shift: EventSchedule.Slot?, step: EventSchedule.Slot?)
  var shiftSlot: EventSchedule.Slot { die.slot(&slots.shift, of: self) { $0.shiftDidEnd(at: $1) } }
  private var slot: EventSchedule.Slot {
    die.slot(&slots.step, of: self) { $0.stepsDidEnd(at: $1) }
  }

  /// - Parameters:
  ///   - index: the number in its names; that of SPI2 is 2, and has no TWI.
  ///   - page: its number of a peripheral.
  ///   - die: what it is a part of.
  init(_ index: Int, page: Int, _ die: Die) {
    port = I2CPort("TWIM\(index)", "TWI\(index)", "I2C\(index)")
    super.init(
      page, events: [1, 2, 4, 6, 7, 8, 9, 14, 18, 19, 20, 23, 24],
      shorts: [
        Short(bit: 0, event: Event.boundary, task: Task.suspend),
        Short(bit: 1, event: Event.boundary, task: Task.stop),
        Short(bit: 7, event: Event.lastWrite, task: Task.startRead),
        Short(bit: 8, event: Event.lastWrite, task: Task.suspend),
        Short(bit: 9, event: Event.lastWrite, task: Task.stop),
        Short(bit: 10, event: Event.lastRead, task: Task.startWrite),
        Short(bit: 12, event: Event.lastRead, task: Task.stop),
        Short(bit: 17, event: 6, task: 4),
      ], die)
    define(0x500, mask: 15)
    define(0x508, reset: 0xFFFF_FFFF)
    define(0x50C, reset: 0xFFFF_FFFF)
    define(0x510, reset: 0xFFFF_FFFF)
    define(0x554, mask: 7)
    define(0x5C0, mask: 0xFF)
    define(0x524, reset: 0x0400_0000)
    define(0x588, mask: 0x7F)
    for offset: UInt32 in [0x534, 0x544] { define(offset) }
    for offset: UInt32 in [0x538, 0x548] { define(offset, mask: 0xFF) }
    for offset: UInt32 in [0x540, 0x550] { define(offset, mask: 7) }
  }

  /// Whether the part works byte by byte.
  var isLegacy: Bool { self[0x500] == 5 }
  private var isOn: Bool { number < 5 && (self[0x500] == 5 || self[0x500] == 6) }

  var wire: any I2CWire {
    let isConnected = (self[0x508] | self[0x50C]) >> 31 == 0
    return isConnected ? port.wire ?? nobody : nobody
  }

  override func reset() {
    abandon()
    (received, sent, failures, lastByte) = (0, 0, 0, 0)
    super.reset()
  }

  /// Lets go of the bus, as when the part is switched off in the middle.
  private func abandon() {
    if case .idle = step {
    } else {
      _ = port.wire?.stop(at: die.nanoseconds(die.now))
      die.energy(.twoWire, false, at: die.now)
    }
    die.schedule.clear(slot)
    stepEnd = nil
    die.schedule.clear(shiftSlot)
    (isShifting, nextShift) = (false, nil)
    step = .idle
    (wantsStop, wantsSuspend, isSuspended) = (false, false, false)
    (wantsStart, waiting, unread, outcome) = (nil, nil, nil, nil)
  }

  /// The bits a second: FREQUENCY is a fraction of 16 MHz, of which three are documented.
  private var frequency: UInt64 {
    switch self[0x524] {
    case 0x0198_0000: 100_000
    case 0x0400_0000: 250_000
    case 0x0640_0000: 400_000
    default: max((UInt64(self[0x524]) * 16_000_000) >> 32, 1)
    }
  }

  /// Lets a step last until its last bit has passed.
  func wait(for reply: I2CWireReply, as step: Step, from cycle: UInt64) {
    self.step = step
    outcome = reply.failure
    byte = reply.byte
    let end = max(die.clock.cycle(at: reply.end), cycle + 1)
    if isStepping { stepEnd = end } else { die.schedule.set(slot, at: end) }
  }

  /// Ends a step, and those behind it while the core sleeps and nothing else happens.
  private func stepsDidEnd(at cycle: UInt64) {
    isStepping = true
    defer { isStepping = false }
    let run = die.run
    var cycle = cycle
    while true {
      stepEnd = nil
      stepDidEnd(at: cycle)
      guard let end = stepEnd else { return }
      guard run.sleepsOn(to: end) else { return die.schedule.set(slot, at: end) }
      cycle = end
    }
  }

  /// Sends a start, a repeated one where the bus is held.
  func begin(_ direction: I2CSegment.Direction, at cycle: UInt64) {
    if case .idle = step { die.energy(.twoWire, true, at: cycle) }
    self.direction = direction
    isLost = false
    wire.frequency = frequency
    var plan = I2CWirePlan()
    if isLegacy {
      (waiting, unread) = (nil, nil)
    } else {
      plan = latch(direction, at: cycle)
    }
    let address = I2CAddress(rawValue: UInt16(self[0x588])) ?? 0
    let reply = wire.start(address, direction, plan: plan, at: die.nanoseconds(cycle))
    wait(for: reply, as: .address(direction), from: cycle)
  }

  func end(at cycle: UInt64) {
    wantsStop = false
    wait(for: wire.stop(at: die.nanoseconds(cycle)), as: .stop, from: cycle)
  }

  func hold() { step = .held }

  /// Tells of a failure.
  ///
  /// A clock line that is held low is none for this part: it waits, and says nothing.
  func fail(_ kind: I2CError.Kind, at cycle: UInt64) {
    guard kind != .timeOut else { return }
    failures |= kind == .addressNack ? Failure.address : Failure.data
    raise(Event.error, at: cycle)
  }

  private func stepDidEnd(at cycle: UInt64) {
    if case .stop = step {
      step = .idle
      // A stop that was asked for while this one was sent is this one.
      (isSuspended, wantsStop) = (false, false)
      die.energy(.twoWire, false, at: cycle)
      if let outcome { fail(outcome, at: cycle) }
      raise(Event.stopped, at: cycle)
      if let start = wantsStart {
        wantsStart = nil
        begin(start, at: cycle)
      }
      return
    }
    if isLegacy { legacyDidEnd(at: cycle) } else { dmaDidEnd(at: cycle) }
  }

  /// Whether a byte or an address is on its way.
  var isMoving: Bool {
    switch step {
    case .idle, .held: false
    default: true
    }
  }

  override func hasTask(_ index: Int) -> Bool { [0, 2, 4, 5, 7, 8].contains(index) }

  override func task(_ index: Int, at cycle: UInt64) {
    if shifts { return shiftTask(index, at: cycle) }
    guard isOn else { return }
    switch index {
    case Task.startRead, Task.startWrite:
      let way: I2CSegment.Direction = index == Task.startRead ? .read : .write
      if isMoving || isSuspended { wantsStart = way } else { begin(way, at: cycle) }
    case Task.stop:
      if case .idle = step {
        raise(Event.stopped, at: cycle)
      } else if isMoving || isSuspended {
        wantsStop = true
      } else {
        end(at: cycle)
      }
    case Task.suspend:
      if isMoving {
        wantsSuspend = true
      } else {
        isSuspended = true
        raise(Event.suspended, at: cycle)
      }
    case Task.resume:
      wantsSuspend = false
      guard isSuspended else { return }
      isSuspended = false
      if case .idle = step { return }
      goOn(at: cycle)
    default: break
    }
  }

  /// Goes on where a suspension or the end of a message left off.
  func goOn(at cycle: UInt64) {
    if let start = wantsStart {
      wantsStart = nil
      begin(start, at: cycle)
    } else if wantsStop {
      end(at: cycle)
    } else if isLegacy {
      legacyGoesOn(at: cycle)
    } else {
      dmaGoesOn(at: cycle)
    }
  }

  /// Suspends where that was asked for; returns whether it did.
  func suspends(at cycle: UInt64) -> Bool {
    guard wantsSuspend else { return false }
    wantsSuspend = false
    isSuspended = true
    hold()
    raise(Event.suspended, at: cycle)
    return true
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case 0x4C4: return failures
    case 0x53C: return received
    case 0x54C: return sent
    case 0x518: return readByte()
    case 0x51C: return UInt32(waiting ?? lastByte)
    default: return nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case 0x4C4: failures &= ~value
    case 0x500:
      if value & 15 != self[0x500] { abandon() }
      // As a target of another's bus it is not modelled. Its tasks are told as such; this write is not, since drivers also
      // reset the unit with it.
      self[0x500] = value & 15
    case 0x51C where shifts: shift(UInt8(truncatingIfNeeded: value), at: die.now)
    case 0x51C: write(UInt8(truncatingIfNeeded: value))
    default: return false
    }
    return true
  }
}
