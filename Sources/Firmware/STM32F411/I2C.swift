import I2C
import Machines

/// I2C1 to I2C3 as controllers, with the events EV5 to EV8 of the F4 (RM0383, section 18.3.3).
///
/// Each event occurs when its bits have been transferred on the wire. ACK is evaluated at the ninth clock of a received
/// byte. The target mode and SMBus are not modelled.
package final class I2CPeripheral: Peripheral {
  package static let CR1: UInt32 = 0x00
  package static let CR2: UInt32 = 0x04
  package static let OAR1: UInt32 = 0x08
  package static let OAR2: UInt32 = 0x0C
  package static let DR: UInt32 = 0x10
  package static let SR1: UInt32 = 0x14
  package static let SR2: UInt32 = 0x18
  package static let CCR: UInt32 = 0x1C
  package static let TRISE: UInt32 = 0x20
  package static let FLTR: UInt32 = 0x24

  /// Bits of SR1.
  enum Status {
    static let SB: UInt32 = 1, ADDR: UInt32 = 2, BTF: UInt32 = 4
    static let RXNE: UInt32 = 64, TXE: UInt32 = 128, BERR: UInt32 = 256
    static let ARLO: UInt32 = 512, AF: UInt32 = 1024, OVR: UInt32 = 2048
    /// The error flags, which a program clears by writing 0.
    static let errors: UInt32 = 0xDF00
  }
  /// Bits of CR1.
  enum Control {
    static let PE: UInt32 = 1, START: UInt32 = 1 << 8, STOP: UInt32 = 1 << 9
    static let ACK: UInt32 = 1 << 10, POS: UInt32 = 1 << 11, SWRST: UInt32 = 1 << 15
  }
  /// The state of the transfer on the wire.
  enum Step {
    /// `idle`, in which the bus is free, and `held`, in which the controller stretches the clock.
    case idle, held
    /// The start condition is being sent, or the controller waits until the program writes the address.
    case start, awaitsAddress
    /// The controller transfers the address, a byte to send, the first eight bits of a received byte, its acknowledge
    /// bit (the ninth clock), or the stop condition.
    case address, write, read, ninth, stop
    /// A device holds the clock low forever.
    case stuck
  }

  let port: I2CPort
  let number: Int
  private let interrupt: Int
  private let openBus = OpenWire()
  var status: UInt32 = 0
  var step = Step.idle
  var direction = I2CSegment.Direction.write
  /// The byte in DR, which is the next byte to send or the last byte received.
  var data: UInt8 = 0
  var isFull = false
  /// The byte in the shift register, received while DR was full.
  var shifted: UInt8?
  /// `true` if the last byte was acknowledged, so the transfer continues.
  var continues = false
  /// The start of the current byte in nanoseconds.
  var began: UInt64 = 0
  var reply = I2CWireReply(end: 0)
  /// `true` if no byte of the transfer has been acknowledged yet; with POS, ACK then applies to the next byte.
  var isFirst = true
  private var hasSeenAddress = false
  lazy var event = MachineEvent(chip.run) { [unowned self] in stepDidEnd() }

  init(_ number: Int, interrupt: Int, _ chip: Chip) {
    port = I2CPort("I2C\(number)")
    self.number = number
    self.interrupt = interrupt
    super.init(at: 0x4000_5400 + UInt32(number - 1) * 0x400, chip)
    define(I2CPeripheral.CR1, mask: 0xBFFB)
    define(I2CPeripheral.CR2, mask: 0x1F3F)
    define(I2CPeripheral.OAR1, mask: 0xC3FF)
    define(I2CPeripheral.OAR2, mask: 0xFF)
    define(I2CPeripheral.DR, mask: 0)
    define(I2CPeripheral.SR1, mask: 0)
    define(I2CPeripheral.SR2, mask: 0)
    define(I2CPeripheral.CCR, mask: 0xCFFF)
    define(I2CPeripheral.TRISE, mask: 0x3F, reset: 2)
    define(I2CPeripheral.FLTR, mask: 0x1F)
  }

  var wire: any I2CWire { port.wire ?? openBus }
  var time: UInt64 { chip.nanoseconds(chip.now) }
  private var isOn: Bool { self[I2CPeripheral.CR1] & Control.PE != 0 }

  override func reset() {
    abandon()
    super.reset()
    refresh()
  }

  override func clocksDidChange() { event.reschedule() }

  /// Releases the bus, as when the controller is disabled during a transfer.
  private func abandon() {
    if case .idle = step {} else { _ = wire.stop(at: time) }
    event.clear()
    (status, step, isFull, shifted, continues) = (0, .idle, false, nil, false)
    hasSeenAddress = false
  }

  /// The bit rate in Hz, which CCR selects.
  private var frequency: UInt64 {
    let word = self[I2CPeripheral.CCR]
    let ratio = UInt64(word & 0xFFF)
    let clocks = word >> 15 & 1 == 0 ? ratio * 2 : word >> 14 & 1 == 0 ? ratio * 3 : ratio * 25
    return max(chip.apb1Clock / max(clocks, 1), 1)
  }

  // MARK: Registers

  override func load(_ offset: UInt32) -> UInt32 {
    switch offset {
    case I2CPeripheral.DR: return readData()
    case I2CPeripheral.SR1:
      hasSeenAddress = status & Status.ADDR != 0
      return status
    case I2CPeripheral.SR2:
      let word = secondStatus
      if hasSeenAddress { addressWasSeen() }
      return word
    default: return self[offset]
    }
  }

  /// The value of SR2, of which MSL, BUSY and TRA are modelled.
  private var secondStatus: UInt32 {
    var isActive = true
    switch step {
    case .idle: return 0
    case .start: isActive = false
    default: break
    }
    let sends = direction == .write && status & Status.SB == 0
    return isActive ? 3 | (sends ? 4 : 0) : 2
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case I2CPeripheral.CR1: control(before: before)
    case I2CPeripheral.DR: writeData(UInt8(truncatingIfNeeded: value))
    case I2CPeripheral.SR1: status &= value | ~Status.errors
    default: break
    }
    refresh()
  }

  private func control(before: UInt32) {
    if self[I2CPeripheral.CR1] & Control.SWRST != 0 || !isOn {
      if before & Control.PE != 0 || self[I2CPeripheral.CR1] & Control.SWRST != 0 { abandon() }
      self[I2CPeripheral.CR1] &= ~(Control.START | Control.STOP)
      return
    }
    proceed()
  }

  /// Updates the event and error interrupts (ITEVTEN, ITBUFEN, ITERREN) and the DMA requests.
  func refresh() {
    let enabled = self[I2CPeripheral.CR2]
    var events = Status.SB | Status.ADDR | Status.BTF
    if enabled >> 10 & 1 != 0 { events |= Status.RXNE | Status.TXE }
    chip.setLine(interrupt, enabled >> 9 & 1 != 0 && status & events != 0)
    chip.setLine(interrupt + 1, enabled >> 8 & 1 != 0 && status & Status.errors != 0)
    let moves = enabled >> 11 & 1 != 0
    chip.requests?.set(.i2cRX(number), moves && status & Status.RXNE != 0)
    chip.requests?.set(.i2cTX(number), moves && status & Status.TXE != 0)
  }

  // MARK: The wire

  func wait(_ step: Step, until end: UInt64) {
    self.step = step
    event.set(at: end)
  }

  /// Performs a pending START or STOP if the bus is held or free.
  func proceed() {
    switch step {
    case .idle:
      // STOP without a transfer has no effect.
      self[I2CPeripheral.CR1] &= ~Control.STOP
      if self[I2CPeripheral.CR1] & Control.START != 0 { begin() }
    case .held, .awaitsAddress:
      if self[I2CPeripheral.CR1] & Control.STOP != 0 {
        end()
      } else if self[I2CPeripheral.CR1] & Control.START != 0 {
        begin()
      }
    default: break
    }
  }

  private func begin() {
    wire.frequency = frequency
    status &= ~(Status.BTF | Status.TXE)
    wait(.start, until: time + 1_000_000_000 / (frequency * 2))
  }

  /// Sends the stop condition; received bytes are kept.
  func end() {
    status &= ~(Status.BTF | Status.TXE | Status.SB | Status.ADDR)
    wait(.stop, until: wire.stop(at: time).end)
  }

  private func stepDidEnd() {
    switch step {
    case .start:
      self[I2CPeripheral.CR1] &= ~Control.START
      status |= Status.SB
      step = .awaitsAddress
    case .address: addressDidEnd()
    case .write: writeDidEnd()
    case .read: acknowledge()
    case .ninth: readDidEnd()
    case .stop:
      self[I2CPeripheral.CR1] &= ~Control.STOP
      step = .idle
      proceed()
    default: break
    }
    refresh()
  }

  /// Sets the error flag for a failure; returns `false` if there is no failure.
  func fails(_ kind: I2CError.Kind?) -> Bool {
    switch kind {
    case nil: return false
    case .addressNack, .dataNack:
      status |= Status.AF
      step = .held
      proceed()
    case .arbitrationLost:
      // The controller becomes a target because a different controller owns the bus.
      status |= Status.ARLO
      _ = wire.stop(at: time)
      step = .idle
    case .timeOut: step = .stuck
    default:
      status |= Status.BERR
      step = .held
    }
    return true
  }

  private func addressDidEnd() {
    guard !fails(reply.failure) else { return }
    // The next byte can be written at once: TXE is set with ADDR, as in ST's constant 0x70082 for this event.
    status |= Status.ADDR | (direction == .write ? Status.TXE : 0)
    step = .held
    // A STOP set meanwhile takes effect after "the current byte transfer" (RM0383, 18.6.1), which was this one.
    if self[I2CPeripheral.CR1] & Control.STOP != 0 { end() }
  }

  /// Continues after the address, once SR1 and then SR2 have been read.
  private func addressWasSeen() {
    hasSeenAddress = false
    status &= ~Status.ADDR
    isFirst = true
    if direction == .read {
      receive()
    } else if isFull {
      send(data)
    }
    refresh()
  }
}

/// Bytes in both directions, through DR and the shift register.
extension I2CPeripheral {
  /// Applies a write of DR: the address after a start, or a byte.
  func writeData(_ byte: UInt8) {
    if case .awaitsAddress = step {
      status &= ~Status.SB
      direction = byte & 1 != 0 ? .read : .write
      (isFull, shifted) = (false, nil)
      status &= ~Status.RXNE
      let address = I2CAddress(rawValue: UInt16(byte >> 1)) ?? 0
      reply = wire.start(address, direction, plan: I2CWirePlan(), at: time)
      return wait(.address, until: reply.end)
    }
    guard direction == .write else { return }
    data = byte
    status &= ~Status.BTF
    switch step {
    case .held where status & (Status.ADDR | Status.AF) == 0: send(byte)
    case .write, .held:
      isFull = true
      status &= ~Status.TXE
    default: break
    }
  }

  func send(_ byte: UInt8) {
    isFull = false
    status |= Status.TXE
    reply = wire.write(byte, at: time)
    wait(.write, until: reply.end)
  }

  func writeDidEnd() {
    guard !fails(reply.failure) else { return }
    if self[I2CPeripheral.CR1] & Control.STOP != 0 {
      end()
    } else if isFull, self[I2CPeripheral.CR1] & Control.START == 0 {
      send(data)
    } else {
      // A START set meanwhile takes effect after this byte, regardless of DR (RM0383, 18.3.3).
      status |= Status.BTF
      step = .held
      proceed()
    }
  }

  /// Begins to receive a byte: eight clocks up to the acknowledge bit.
  func receive() {
    began = time
    wait(.read, until: time + 8_000_000_000 / wire.frequency)
  }

  /// Sends the acknowledge bit that ACK selects for this byte, or with POS for the next byte.
  func acknowledge() {
    // With LAST the last byte of the DMA transfer is not acknowledged.
    let endsTransfer =
      self[I2CPeripheral.CR2] >> 11 & 3 == 3
      && chip.requests?.left(.i2cRX(number)) == (isFull ? 2 : 1)
    let acknowledges = self[I2CPeripheral.CR1] & Control.ACK != 0 && !endsTransfer
    let position = self[I2CPeripheral.CR1] & Control.POS != 0
    continues = position && isFirst ? true : acknowledges
    isFirst = false
    reply = wire.read(acknowledging: continues, at: began)
    wait(.ninth, until: reply.end)
  }

  func readDidEnd() {
    guard !fails(reply.failure) else { return }
    if isFull {
      shifted = reply.byte
      status |= Status.BTF
      step = .held
    } else {
      (data, isFull) = (reply.byte, true)
      status |= Status.RXNE
      step = .held
      if continues, self[I2CPeripheral.CR1] & (Control.STOP | Control.START) == 0 {
        return receive()
      }
    }
    proceed()
  }

  /// Reads DR: the byte in the shift register moves to DR, and the next byte may be received.
  func readData() -> UInt32 {
    guard direction == .read else { return UInt32(data) }
    let byte = data
    guard isFull else { return UInt32(byte) }
    if let next = shifted {
      (data, shifted) = (next, nil)
      status &= ~Status.BTF
      if case .held = step, continues, self[I2CPeripheral.CR1] & (Control.STOP | Control.START) == 0
      {
        receive()
      }
    } else {
      isFull = false
      status &= ~Status.RXNE
    }
    refresh()
    return UInt32(byte)
  }
}
