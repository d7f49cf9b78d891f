package import I2C

/// A bit-banged I2C bus on two pins that the program drives, with pull-ups and with targets that respond bit by bit.
///
/// Pin changes are decoded to start conditions, bits and stop conditions. Each complete byte is then passed to the
/// simulated bus, an `I2CWire`, so traces, faults and timing treat the transfer like any other. A byte that a target
/// sends is placed on SDA bit by bit and is assumed to be acknowledged by the program. A target stretches the clock
/// from the falling edge after the acknowledge bit. If the program does not wait for SCL to be high, its clock pulses
/// are lost.
package final class PinWire {
  private enum Phase {
    /// The bus is idle, or no target is addressed.
    case idle
    /// The program sends the bits of an address or of a byte to write.
    case receiving(isAddress: Bool)
    /// The target sends its acknowledge bit; `next` determines the phase after it.
    case acknowledging(next: Next)
    /// The target sends the bits of a byte.
    case sending
    /// The program sends its acknowledge bit.
    case awaitingAcknowledge
  }
  private enum Next { case write, read, nothing }

  private let bank: PinBank
  private let clock: Int
  private let data: Int
  private let wire: any I2CWire
  private var phase = Phase.idle
  private var isHigh = (clock: true, data: true)
  private var shift: UInt8 = 0
  private var count = 0
  private var isOpen = false
  /// The start time of the current byte, in nanoseconds.
  private var began: UInt64 = 0
  /// The duration of a bit, in nanoseconds, measured while the program sends the address.
  private var bitTime: UInt64 = 0
  /// The time for which the target stretches the clock after the current acknowledge bit, in nanoseconds.
  private var stretch: UInt64 = 0
  /// `true` while a target holds SCL low.
  private var isHeld = false
  /// `true` while the program holds SCL low.
  private var isPulled = false
  private var heldUntil: UInt64 = 0
  private let schedule: EventSchedule
  private let time: MachineClock
  private var release: EventSchedule.Slot?

  /// Connects two pins to a wire.
  ///
  /// - Parameters:
  ///   - bank: the pins.
  ///   - clock: the index of SCL.
  ///   - data: the index of SDA.
  ///   - wire: the bus.
  ///   - schedule: the event schedule, in which the release of SCL by a target is an event.
  ///   - time: the clock of the microcontroller.
  package init(
    _ bank: PinBank, clock: Int, data: Int, wire: any I2CWire, schedule: EventSchedule,
    time: MachineClock
  ) {
    (self.bank, self.clock, self.data, self.wire) = (bank, clock, data, wire)
    (self.schedule, self.time) = (schedule, time)
    release = schedule.slot { [weak self] _ in self?.releaseClock() }
    bank.set(clock, to: true)
    bank.set(data, to: true)
    let previous = bank.output
    bank.output = { [unowned self] pin, drive, time in
      previous(pin, drive, time)
      if pin == clock || pin == data { move(pin, drive != .driven(false), time) }
    }
  }

  private func move(_ pin: Int, _ level: Bool, _ time: UInt64) {
    if pin == data {
      guard isHigh.data != level else { return }
      isHigh.data = level
      if isHigh.clock { level ? stop(time) : start(time) }
    } else {
      isPulled = !level
      // A reset of the microcontroller cancels scheduled events, but the target still holds SCL.
      if isHeld, let release, schedule.cycle(of: release) == nil {
        schedule.set(release, at: self.time.cycle(at: max(heldUntil, time)))
      }
      guard !isHeld, isHigh.clock != level else { return }
      isHigh.clock = level
      level ? rise() : fall(time)
    }
  }

  // MARK: Clock stretching

  /// Holds SCL low for a duration, as a target does when it stretches the clock.
  private func hold(_ length: UInt64, from time: UInt64) {
    guard length > 0, let release else { return }
    (isHeld, heldUntil) = (true, time &+ length)
    bank.set(clock, to: false)
    schedule.set(release, at: self.time.cycle(at: heldUntil))
  }

  private func releaseClock() {
    isHeld = false
    bank.set(clock, to: true)
    guard !isPulled, !isHigh.clock else { return }
    isHigh.clock = true
    rise()
  }

  /// Returns the time for which a target stretched the clock: the duration of its reply minus the duration of `bits`
  /// bits.
  ///
  /// A difference of up to two bits is ignored, because the program's bit time is not exact.
  private func stretching(_ reply: I2CWireReply, from start: UInt64, bits: UInt64) -> UInt64 {
    let end = start &+ bits &* bitTime
    return reply.failure == nil && reply.end > end &+ 2 &* bitTime ? reply.end - end : 0
  }

  // MARK: Bits

  private func driveData(_ level: Bool) { bank.set(data, to: level) }

  private func start(_ time: UInt64) {
    driveData(true)
    (phase, shift, count, began) = (.receiving(isAddress: true), 0, 0, time)
  }

  private func stop(_ time: UInt64) {
    if isOpen { _ = wire.stop(at: time) }
    (isOpen, phase) = (false, .idle)
    driveData(true)
  }

  private func rise() {
    switch phase {
    case .receiving where count < 8:
      shift = shift << 1 | (isHigh.data ? 1 : 0)
      count += 1
    case .sending: count += 1
    default: break
    }
  }

  private func fall(_ time: UInt64) {
    switch phase {
    case .receiving(let isAddress) where count == 8: acknowledge(isAddress, time)
    case .acknowledging(let next):
      driveData(true)
      (shift, count, began) = (0, 0, time &+ stretch)
      hold(stretch, from: time)
      switch next {
      case .write: phase = .receiving(isAddress: false)
      case .read: fetch(began)
      case .nothing: phase = .idle
      }
    case .sending:
      if count < 8 {
        driveData(shift << UInt8(count) & 0x80 != 0)
      } else {
        driveData(true)
        phase = .awaitingAcknowledge
      }
    case .awaitingAcknowledge:
      if isHigh.data { phase = .idle } else { fetch(time) }
    default: break
    }
  }

  /// Sends eight received bits to the target, which acknowledges them or not.
  private func acknowledge(_ isAddress: Bool, _ time: UInt64) {
    let reads = isAddress && shift & 1 != 0
    let reply: I2CWireReply
    if isAddress {
      // The bus frequency is derived from the duration of the eight bits.
      wire.frequency = max(8_500_000_000 / max(time &- began, 1), 1)
      bitTime = (time &- began) / 8
      let address = I2CAddress(rawValue: UInt16(shift >> 1)) ?? 0
      reply = wire.start(
        address, reads ? .read : .write, plan: I2CWirePlan(), at: began)
      isOpen = true
    } else {
      reply = wire.write(shift, at: began)
    }
    stretch = stretching(reply, from: began, bits: isAddress ? 10 : 9)
    driveData(reply.failure != nil)
    phase = .acknowledging(next: reply.failure != nil ? .nothing : reads ? .read : .write)
  }

  /// Reads the target's next byte and places its first bit on SDA.
  private func fetch(_ time: UInt64) {
    let reply = wire.read(acknowledging: true, at: time)
    (phase, shift, count) = (.sending, reply.failure == nil ? reply.byte : 0xFF, 0)
    hold(stretching(reply, from: time, bits: 9), from: time)
    driveData(shift & 0x80 != 0)
  }
}

/// A bus with pull-ups and without targets, on which no address is acknowledged and every bit reads 1.
package final class OpenWire: I2CWire {
  package var frequency: UInt64 = 100_000

  package init() {}

  private func reply(_ bits: UInt64, _ kind: I2CError.Kind?, _ time: UInt64) -> I2CWireReply {
    I2CWireReply(failure: kind, end: time + bits * 1_000_000_000 / frequency)
  }

  package func start(
    _ address: I2CAddress, _ direction: I2CSegment.Direction, plan: I2CWirePlan, at time: UInt64
  ) -> I2CWireReply { reply(10, .addressNack, time) }

  package func write(_ byte: UInt8, at time: UInt64) -> I2CWireReply { reply(9, .dataNack, time) }
  package func read(acknowledging: Bool, at time: UInt64) -> I2CWireReply { reply(9, nil, time) }
  package func stop(at time: UInt64) -> I2CWireReply { reply(1, nil, time) }
  package func errno(of kind: I2CError.Kind) -> I2CErrno { .enxio }
}
