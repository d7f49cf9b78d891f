import I2C
import Machines

/// The two-wire interface as a controller: a write to TWCR begins a step of a transfer, and TWSR reports its status.
///
/// A step takes as long as its bits on the wire, after which TWINT is set. Target mode is not modelled.
final class TWI: IOBlock {
  static let TWBR: UInt16 = 0xB8
  static let TWSR: UInt16 = 0xB9
  static let TWAR: UInt16 = 0xBA
  static let TWDR: UInt16 = 0xBB
  static let TWCR: UInt16 = 0xBC
  static let TWAMR: UInt16 = 0xBD

  /// The state of the transfer, which determines the next step.
  private enum Phase { case idle, started, writing, reading, ended }

  private unowned let chip: Chip
  private let port: I2CPort
  private var phase = Phase.idle
  private var bitRate: UInt8 = 0
  private var status = Status.noState
  private var prescaler: UInt8 = 0
  private var control: UInt8 = 0
  private var data: UInt8 = 0xFF
  private var target: (address: UInt8, mask: UInt8) = (0xFE, 0)
  /// The status and the data at the end of the current step.
  private var result: (status: UInt8, data: UInt8?) = (Status.noState, nil)
  private var isStopping = false
  private var startsAfterStop = false
  private var done: ChipEvent?

  /// The status codes of TWSR (data sheet, tables 22-2, 22-3 and 22-6).
  private enum Status {
    static let busError: UInt8 = 0x00, start: UInt8 = 0x08, repeatedStart: UInt8 = 0x10
    static let addressWriteACK: UInt8 = 0x18, addressWriteNACK: UInt8 = 0x20
    static let dataSentACK: UInt8 = 0x28, dataSentNACK: UInt8 = 0x30
    static let arbitrationLost: UInt8 = 0x38
    static let addressReadACK: UInt8 = 0x40, addressReadNACK: UInt8 = 0x48
    static let dataReceivedACK: UInt8 = 0x50, dataReceivedNACK: UInt8 = 0x58
    static let noState: UInt8 = 0xF8
  }
  /// TWINT, TWEN and TWIE, which together request the interrupt.
  private static let requests: UInt8 = 0x85
  /// Bits of TWCR.
  private static let TWINT: UInt8 = 0x80, TWEA: UInt8 = 0x40, TWSTA: UInt8 = 0x20
  private static let TWSTO: UInt8 = 0x10, TWWC: UInt8 = 0x08, TWEN: UInt8 = 0x04

  init(_ chip: Chip, _ port: I2CPort) {
    self.chip = chip
    self.port = port
    super.init()
    done = ChipEvent(chip) { [unowned self] _ in finish() }
  }

  override var addresses: [UInt16] {
    [TWI.TWBR, TWI.TWSR, TWI.TWAR, TWI.TWDR, TWI.TWCR, TWI.TWAMR]
  }
  override var vectors: [Vector] { [.twi] }

  override func reset() {
    release()
    (bitRate, prescaler, control, data) = (0, 0, 0, 0xFF)
    target = (0xFE, 0)
    update()
  }

  override func clock(runs: Bool) { done?.clock(runs: runs) }

  private func update() {
    chip.request(.twi, control & Self.requests == Self.requests)
  }

  // MARK: Time on the wire

  /// The bit rate that TWBR and the prescaler select, in Hz (datasheet, 22.5.2).
  private var frequency: UInt64 {
    let divisor = 16 + 2 * UInt64(bitRate) << (2 * UInt64(prescaler))
    return max(1, chip.clock.frequency / divisor)
  }
  private var bitTime: UInt64 { 1_000_000_000 / frequency }

  /// Schedules the end of a step.
  private func end(_ status: UInt8, _ data: UInt8? = nil, at time: UInt64) {
    result = (status, data)
    done?.set(at: max(chip.clock.cycle(at: time), chip.cycle + 1))
  }

  private func finish() {
    if isStopping {
      isStopping = false
      control &= ~Self.TWSTO
      status = Status.noState
      if startsAfterStop {
        startsAfterStop = false
        begin(isRepeated: false)
      }
      return update()
    }
    status = result.status
    if let byte = result.data { data = byte }
    control |= Self.TWINT
    update()
  }

  // MARK: Steps

  /// Begins a start condition, which lasts one bit; it is sent on the wire together with the address.
  private func begin(isRepeated: Bool) {
    phase = .started
    end(isRepeated ? Status.repeatedStart : Status.start, at: chip.now + bitTime)
  }

  private func address() {
    let isRead = data & 1 != 0
    let now = chip.now
    guard let wire = port.wire, let address = I2CAddress(rawValue: UInt16(data >> 1)) else {
      phase = .ended
      return end(isRead ? Status.addressReadNACK : Status.addressWriteNACK, at: now + 9 * bitTime)
    }
    wire.frequency = frequency
    // The bit of the start condition precedes the current time.
    let reply = wire.start(
      address, isRead ? .read : .write, plan: I2CWirePlan(),
      at: now > bitTime ? now - bitTime : 0)
    phase = isRead ? .reading : .writing
    if let failure = reply.failure {
      phase = isRead ? .ended : .writing
      return fail(failure, isRead ? Status.addressReadNACK : Status.addressWriteNACK, at: reply.end)
    }
    end(isRead ? Status.addressReadACK : Status.addressWriteACK, at: reply.end)
  }

  private func write() {
    let now = chip.now
    guard let wire = port.wire else { return end(Status.dataSentNACK, at: now + 9 * bitTime) }
    let reply = wire.write(data, at: now)
    if let failure = reply.failure { return fail(failure, Status.dataSentNACK, at: reply.end) }
    end(Status.dataSentACK, at: reply.end)
  }

  private func read(acknowledging: Bool) {
    let now = chip.now
    guard let wire = port.wire else {
      return end(Status.dataReceivedNACK, 0xFF, at: now + 9 * bitTime)
    }
    let reply = wire.read(acknowledging: acknowledging, at: now)
    if !acknowledging { phase = .ended }
    if let failure = reply.failure { return fail(failure, Status.busError, at: reply.end) }
    end(acknowledging ? Status.dataReceivedACK : Status.dataReceivedNACK, reply.byte, at: reply.end)
  }

  /// Ends a step with the status code of a failure; after a time-out the step never ends, because a target holds SCL
  /// low.
  private func fail(_ failure: I2CError.Kind, _ nack: UInt8, at time: UInt64) {
    switch failure {
    case .addressNack, .dataNack, .noDevice: end(nack, at: time)
    case .arbitrationLost:
      loseBus(at: time)
      end(Status.arbitrationLost, at: time)
    case .timeOut:
      // A device holds SCL low, so the controller waits forever.
      done?.clear()
    default:
      loseBus(at: time)
      end(Status.busError, at: time)
    }
  }

  /// Releases the bus without a stop condition, so the next start condition is not a repeated one.
  private func loseBus(at time: UInt64) {
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

  /// Releases the bus.
  private func release() {
    done?.clear()
    if phase != .idle { _ = port.wire?.stop(at: chip.now) }
    (phase, status, isStopping, startsAfterStop) = (.idle, Status.noState, false, false)
  }

  // MARK: Registers

  override func read(_ address: UInt16) -> UInt8 {
    switch address {
    case TWI.TWBR: return bitRate
    case TWI.TWSR: return status | prescaler
    case TWI.TWAR: return target.address
    case TWI.TWDR: return data
    case TWI.TWCR: return control
    default: return target.mask
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case TWI.TWBR: bitRate = value
    case TWI.TWSR: prescaler = value & 3
    case TWI.TWAR:
      target.address = value
      // The target mode is not modelled.
      chip.unmodelledRegisters.note(
        IOSpace.dataBase + UInt32(TWI.TWAR), bytes: 1, isWrite: true, mode: "TWI as a target (TWAR)"
      )
    case TWI.TWDR:
      if control & Self.TWINT != 0 || status == Status.noState && done?.isDue != true {
        data = value
        control &= ~Self.TWWC
      } else {
        control |= Self.TWWC
      }
    case TWI.TWCR: setControl(value)
    default: target.mask = value & 0xFE
    }
  }

  private func setControl(_ value: UInt8) {
    let clears = value & Self.TWINT != 0
    let kept = control & (Self.TWWC | (clears ? 0 : Self.TWINT))
    control = value & 0x75 | kept
    if value & Self.TWEN == 0 {
      release()
      control &= ~Self.TWSTO
      return update()
    }
    // A step begins when TWINT is cleared, or when no transfer is in progress.
    let isFree = phase == .idle && done?.isDue != true
    if clears || isFree { step(clears: clears) }
    update()
  }

  private func step(clears: Bool) {
    guard done?.isDue != true else {
      startsAfterStop = isStopping && control & Self.TWSTA != 0
      return
    }
    if control & Self.TWSTO != 0 {
      startsAfterStop = control & Self.TWSTA != 0
      return sendStop()
    }
    if control & Self.TWSTA != 0 { return begin(isRepeated: phase != .idle) }
    guard clears else { return }
    switch phase {
    case .started: address()
    case .writing: write()
    case .reading: read(acknowledging: control & Self.TWEA != 0)
    case .idle, .ended: status = Status.noState
    }
  }
}
