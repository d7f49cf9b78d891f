import I2C
import Machines

/// The two-wire interface as a master: each step of a transfer is asked for by TWCR and told by a status.
///
/// A step lasts as long as its bits on the wire; then TWINT is set. As a slave it is never addressed.
final class TwoWireMaster: IOBlock {
  /// What the last step was, and so what the next can be.
  private enum Phase { case idle, started, writing, reading, ended }

  private unowned let chip: AvrChip
  private let port: I2CPort
  private var phase = Phase.idle
  private var bitRate: UInt8 = 0
  private var status: UInt8 = 0xF8
  private var prescaler: UInt8 = 0
  private var control: UInt8 = 0
  private var data: UInt8 = 0xFF
  private var slave: (address: UInt8, mask: UInt8) = (0xFE, 0)
  /// What the step that is under way leaves.
  private var coming: (status: UInt8, data: UInt8?) = (0xF8, nil)
  private var isStopping = false
  private var startsAfterStop = false
  private var done: ChipEvent?

  private static let noState: UInt8 = 0xF8
  private static let interrupt: UInt8 = 0x80, acknowledges: UInt8 = 0x40, start: UInt8 = 0x20
  private static let stop: UInt8 = 0x10, collision: UInt8 = 0x08, enable: UInt8 = 0x04

  init(_ chip: AvrChip, _ port: I2CPort) {
    self.chip = chip
    self.port = port
    super.init()
    done = ChipEvent(chip) { [unowned self] _ in finish() }
  }

  override var addresses: [UInt16] { [0xB8, 0xB9, 0xBA, 0xBB, 0xBC, 0xBD] }
  override var vectors: [Vector] { [.twoWire] }

  override func reset() {
    release()
    (bitRate, prescaler, control, data) = (0, 0, 0, 0xFF)
    slave = (0xFE, 0)
    update()
  }

  override func clock(runs: Bool) { done?.clock(runs: runs) }

  private func update() {
    chip.request(.twoWire, control & 0x85 == 0x85)
  }

  // MARK: Time on the wire

  /// The bits a second that TWBR and the prescaler set (data sheet, 22.5.2).
  private var frequency: UInt64 {
    let divisor = 16 + 2 * UInt64(bitRate) << (2 * UInt64(prescaler))
    return max(1, chip.clock.frequency / divisor)
  }
  private var bitTime: UInt64 { 1_000_000_000 / frequency }

  /// Ends a step when the wire is through with it.
  private func end(_ status: UInt8, _ data: UInt8? = nil, at time: UInt64) {
    coming = (status, data)
    done?.set(at: max(chip.clock.cycle(at: time), chip.cycle + 1))
  }

  private func finish() {
    if isStopping {
      isStopping = false
      control &= ~Self.stop
      status = 0xF8
      if startsAfterStop {
        startsAfterStop = false
        begin(isRepeated: false)
      }
      return update()
    }
    status = coming.status
    if let byte = coming.data { data = byte }
    control |= Self.interrupt
    update()
  }

  // MARK: Steps

  /// A start takes a bit; the wire hears of it together with the address.
  private func begin(isRepeated: Bool) {
    phase = .started
    end(isRepeated ? 0x10 : 0x08, at: chip.now + bitTime)
  }

  private func address() {
    let isRead = data & 1 != 0
    let now = chip.now
    guard let wire = port.wire, let address = I2CAddress(rawValue: UInt16(data >> 1)) else {
      phase = .ended
      return end(isRead ? 0x48 : 0x20, at: now + 9 * bitTime)
    }
    wire.frequency = frequency
    // The start has passed already: its bit lies before now.
    let reply = wire.start(
      address, isRead ? .read : .write, plan: I2CWirePlan(),
      at: now > bitTime ? now - bitTime : 0)
    phase = isRead ? .reading : .writing
    if let failure = reply.failure {
      phase = isRead ? .ended : .writing
      return fail(failure, isRead ? 0x48 : 0x20, at: reply.end)
    }
    end(isRead ? 0x40 : 0x18, at: reply.end)
  }

  private func write() {
    let now = chip.now
    guard let wire = port.wire else { return end(0x30, at: now + 9 * bitTime) }
    let reply = wire.write(data, at: now)
    if let failure = reply.failure { return fail(failure, 0x30, at: reply.end) }
    end(0x28, at: reply.end)
  }

  private func read(acknowledging: Bool) {
    let now = chip.now
    guard let wire = port.wire else { return end(0x58, 0xFF, at: now + 9 * bitTime) }
    let reply = wire.read(acknowledging: acknowledging, at: now)
    if !acknowledging { phase = .ended }
    if let failure = reply.failure { return fail(failure, 0x00, at: reply.end) }
    end(acknowledging ? 0x50 : 0x58, reply.byte, at: reply.end)
  }

  /// A NACK is told by the step's status, what else goes wrong on a wire as far as this controller sees it.
  private func fail(_ failure: I2CError.Kind, _ nack: UInt8, at time: UInt64) {
    switch failure {
    case .addressNack, .dataNack, .noDevice: end(nack, at: time)
    case .arbitrationLost:
      letGo(at: time)
      end(0x38, at: time)
    case .timeOut:
      // SCL is held: this controller waits for ever.
      done?.clear()
    default:
      letGo(at: time)
      end(0x00, at: time)
    }
  }

  /// Is no master of the bus any more: the next start is a new one.
  private func letGo(at time: UInt64) {
    phase = .idle
    _ = port.wire?.stop(at: time)
  }

  private func sendStop() {
    let isOpen = phase != .idle
    phase = .idle
    isStopping = true
    let now = chip.now
    let end = isOpen ? port.wire?.stop(at: now).end : nil
    done?.set(at: max(chip.clock.cycle(at: end ?? now + bitTime), chip.cycle + 1))
  }

  /// Lets go of the bus.
  private func release() {
    done?.clear()
    if phase != .idle { _ = port.wire?.stop(at: chip.now) }
    (phase, status, isStopping, startsAfterStop) = (.idle, Self.noState, false, false)
  }

  // MARK: Registers

  override func read(_ address: UInt16) -> UInt8 {
    switch address {
    case 0xB8: return bitRate
    case 0xB9: return status | prescaler
    case 0xBA: return slave.address
    case 0xBB: return data
    case 0xBC: return control
    default: return slave.mask
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case 0xB8: bitRate = value
    case 0xB9: prescaler = value & 3
    case 0xBA:
      slave.address = value
      // An address of its own is for being spoken to, which is not modelled.
      chip.untouched.note(
        IOSpace.dataBase + 0xBA, bytes: 1, isWrite: true, mode: "TWI as a target (TWAR)")
    case 0xBB:
      if control & Self.interrupt != 0 || status == Self.noState && done?.isDue != true {
        data = value
        control &= ~Self.collision
      } else {
        control |= Self.collision
      }
    case 0xBC: setControl(value)
    default: slave.mask = value & 0xFE
    }
  }

  private func setControl(_ value: UInt8) {
    let clears = value & Self.interrupt != 0
    let kept = control & (Self.collision | (clears ? 0 : Self.interrupt))
    control = value & 0x75 | kept
    if value & Self.enable == 0 {
      release()
      control &= ~Self.stop
      return update()
    }
    // A step begins when the flag of the last one is cleared, or nothing is under way.
    let isFree = phase == .idle && done?.isDue != true
    if clears || isFree { step(clears: clears) }
    update()
  }

  private func step(clears: Bool) {
    guard done?.isDue != true else {
      startsAfterStop = isStopping && control & Self.start != 0
      return
    }
    if control & Self.stop != 0 {
      startsAfterStop = control & Self.start != 0
      return sendStop()
    }
    if control & Self.start != 0 { return begin(isRepeated: phase != .idle) }
    guard clears else { return }
    switch phase {
    case .started: address()
    case .writing: write()
    case .reading: read(acknowledging: control & Self.acknowledges != 0)
    case .idle, .ended: status = 0xF8
    }
  }
}
