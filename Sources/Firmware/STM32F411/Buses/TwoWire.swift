import I2C
import Machines

/// I2C1 to I2C3 as controllers, in the event sequence of the F4 (RM0383, section 18.3.3): EV5 to EV8.
///
/// Each event comes when its bits have passed on the wire. Whether a byte that is received is acknowledged is asked at
/// its ninth clock. The part as a target and SMBus are not modelled.
final class TwoWire: Peripheral {
  /// Bits of SR1.
  enum Status {
    static let start: UInt32 = 1, address: UInt32 = 2, finished: UInt32 = 4
    static let received: UInt32 = 64, empty: UInt32 = 128, busError: UInt32 = 256
    static let lost: UInt32 = 512, refused: UInt32 = 1024, overrun: UInt32 = 2048
    static let errors: UInt32 = 0xDF00
  }
  /// Bits of CR1.
  enum Control {
    static let on: UInt32 = 1, start: UInt32 = 1 << 8, stop: UInt32 = 1 << 9
    static let acknowledge: UInt32 = 1 << 10, position: UInt32 = 1 << 11, reset: UInt32 = 1 << 15
  }
  /// What is under way on the wire.
  enum Step {
    /// Nothing, and the bus is free; or nothing, and the clock is held low.
    case idle, held
    /// The start condition; the program's address is awaited behind it.
    case start, awaitsAddress
    /// The address, a byte, eight clocks of a byte that comes, its ninth, the stop.
    case address, write, read, ninth, stop
    /// A clock that somebody holds low for ever.
    case stuck
  }

  let port: I2CPort
  let number: Int
  private let interrupt: Int
  private let nobody = OpenWire()
  var status: UInt32 = 0
  var step = Step.idle
  var direction = I2CSegment.Direction.write
  /// The byte of DR: one that waits to be sent, or that was received.
  var data: UInt8 = 0
  var isFull = false
  /// A byte that was received while DR was full.
  var shifted: UInt8?
  /// Whether the last byte was acknowledged, so that more come.
  var goesOn = false
  /// When the byte under way began, in nanoseconds.
  var began: UInt64 = 0
  var reply = I2CWireReply(end: 0)
  /// ACK as it was for the byte before: with POS it counts for the next one.
  var isFirst = true
  private var hasSeenAddress = false
  lazy var alarm = Alarm(chip) { [unowned self] in stepDidEnd() }

  init(_ number: Int, interrupt: Int, _ chip: Silicon) {
    port = I2CPort("I2C\(number)")
    self.number = number
    self.interrupt = interrupt
    super.init(at: 0x4000_5400 + UInt32(number - 1) * 0x400, chip)
    define(0x00, mask: 0xBFFB)
    define(0x04, mask: 0x1F3F)
    define(0x08, mask: 0xC3FF)
    define(0x0C, mask: 0xFF)
    define(0x10, mask: 0)
    define(0x14, mask: 0)
    define(0x18, mask: 0)
    define(0x1C, mask: 0xCFFF)
    define(0x20, mask: 0x3F, reset: 2)
    define(0x24, mask: 0x1F)
  }

  var wire: any I2CWire { port.wire ?? nobody }
  var time: UInt64 { chip.nanoseconds(chip.now) }
  private var isOn: Bool { self[0x00] & Control.on != 0 }

  override func reset() {
    abandon()
    super.reset()
    refresh()
  }

  override func clocksDidChange() { alarm.renew() }

  /// Lets go of the bus, as when the controller is switched off in the middle.
  private func abandon() {
    if case .idle = step {} else { _ = wire.stop(at: time) }
    alarm.clear()
    (status, step, isFull, shifted, goesOn) = (0, .idle, false, nil, false)
    hasSeenAddress = false
  }

  /// The bits a second that CCR sets.
  private var frequency: UInt64 {
    let word = self[0x1C]
    let ratio = UInt64(word & 0xFFF)
    let clocks = word >> 15 & 1 == 0 ? ratio * 2 : word >> 14 & 1 == 0 ? ratio * 3 : ratio * 25
    return max(chip.slowBus / max(clocks, 1), 1)
  }

  // MARK: Registers

  override func load(_ offset: UInt32) -> UInt32 {
    switch offset {
    case 0x10: return readData()
    case 0x14:
      hasSeenAddress = status & Status.address != 0
      return status
    case 0x18:
      let word = secondStatus
      if hasSeenAddress { addressWasSeen() }
      return word
    default: return self[offset]
    }
  }

  /// SR2: MSL, BUSY, TRA.
  private var secondStatus: UInt32 {
    var isActive = true
    switch step {
    case .idle: return 0
    case .start: isActive = false
    default: break
    }
    let sends = direction == .write && status & Status.start == 0
    return isActive ? 3 | (sends ? 4 : 0) : 2
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case 0x00: control(before: before)
    case 0x10: writeData(UInt8(truncatingIfNeeded: value))
    case 0x14: status &= value | ~Status.errors
    case 0x1C: break
    default: break
    }
    refresh()
  }

  private func control(before: UInt32) {
    if self[0x00] & Control.reset != 0 || !isOn {
      if before & Control.on != 0 || self[0x00] & Control.reset != 0 { abandon() }
      self[0x00] &= ~(Control.start | Control.stop)
      return
    }
    goOn()
  }

  /// Interrupts of events, of bytes, and of errors.
  func refresh() {
    let enabled = self[0x04]
    var events = Status.start | Status.address | Status.finished
    if enabled >> 10 & 1 != 0 { events |= Status.received | Status.empty }
    chip.setLine(interrupt, enabled >> 9 & 1 != 0 && status & events != 0)
    chip.setLine(interrupt + 1, enabled >> 8 & 1 != 0 && status & Status.errors != 0)
    let moves = enabled >> 11 & 1 != 0
    chip.requests?.set(.wireIn(number), moves && status & Status.received != 0)
    chip.requests?.set(.wireOut(number), moves && status & Status.empty != 0)
  }

  // MARK: The wire

  func wait(_ step: Step, until end: UInt64) {
    self.step = step
    alarm.set(at: end)
  }

  /// Does what the program has asked for, where the bus is held or free.
  func goOn() {
    switch step {
    case .idle:
      // A start of a free bus; a stop without a transfer is nothing.
      self[0x00] &= ~Control.stop
      if self[0x00] & Control.start != 0 { begin() }
    case .held, .awaitsAddress:
      if self[0x00] & Control.stop != 0 {
        end()
      } else if self[0x00] & Control.start != 0 {
        begin()
      }
    default: break
    }
  }

  private func begin() {
    wire.frequency = frequency
    status &= ~(Status.finished | Status.empty)
    wait(.start, until: time + 1_000_000_000 / (frequency * 2))
  }

  /// Sends the stop; what was received stays.
  func end() {
    status &= ~(Status.finished | Status.empty | Status.start | Status.address)
    wait(.stop, until: wire.stop(at: time).end)
  }

  private func stepDidEnd() {
    switch step {
    case .start:
      self[0x00] &= ~Control.start
      status |= Status.start
      step = .awaitsAddress
    case .address: addressDidEnd()
    case .write: writeDidEnd()
    case .read: acknowledge()
    case .ninth: readDidEnd()
    case .stop:
      self[0x00] &= ~Control.stop
      step = .idle
      goOn()
    default: break
    }
    refresh()
  }

  /// Tells of a failure; returns whether there was one.
  func fails(_ kind: I2CError.Kind?) -> Bool {
    switch kind {
    case nil: return false
    case .addressNack, .dataNack:
      status |= Status.refused
      step = .held
      goOn()
    case .arbitrationLost:
      // The controller is a target from here on, and the bus another's.
      status |= Status.lost
      _ = wire.stop(at: time)
      step = .idle
    case .timeOut: step = .stuck
    default:
      status |= Status.busError
      step = .held
    }
    return true
  }

  private func addressDidEnd() {
    guard !fails(reply.failure) else { return }
    // What a program sends behind it can be written at once: TXE comes with ADDR, as the maker's constant 0x70082 for
    // this event says.
    status |= Status.address | (direction == .write ? Status.empty : 0)
    step = .held
    // A stop that was asked for meanwhile comes behind "the current byte transfer" (RM0383, 18.6.1), which was this.
    if self[0x00] & Control.stop != 0 { end() }
  }

  /// SR1 and then SR2 were read behind the address: what follows begins.
  private func addressWasSeen() {
    hasSeenAddress = false
    status &= ~Status.address
    isFirst = true
    if direction == .read {
      receive()
    } else if isFull {
      send(data)
    }
    refresh()
  }
}
