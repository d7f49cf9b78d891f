package import I2C

/// An I2C bus at two pins that a program moves itself, without a controller: pull-ups, and targets that answer bit by bit.
///
/// What the program does to the pins is read as starts, bits and stops; each byte becomes a step on the wire of the bus,
/// so that such a transfer is one like any other, in traces, faults and time. A byte that a target sends is shown as
/// its bits are clocked, and counts as acknowledged. A target that holds the clock low does so from the falling edge behind
/// the acknowledge bit on; a program that does not wait until the clock is high clocks nothing meanwhile.
package final class PinWire {
  private enum Phase {
    /// No start was seen, or nobody is spoken to any more.
    case idle
    /// Bits of an address or of a byte that is written.
    case listening(isAddress: Bool)
    /// The acknowledge bit of the target, and what follows it.
    case answering(next: Next)
    /// Bits of a byte that is read.
    case sending
    /// The program's acknowledge bit.
    case asking
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
  /// When the byte under way began, in nanoseconds.
  private var began: UInt64 = 0
  /// How long a bit lasts, in nanoseconds, by the pace of the address.
  private var bitTime: UInt64 = 0
  /// For how long a target holds the clock low behind the acknowledge bit that is under way.
  private var stretch: UInt64 = 0
  /// Whether a target holds the clock low, and whether the program does.
  private var isHeld = false
  private var isPulled = false
  private var heldUntil: UInt64 = 0
  private let schedule: EventSchedule
  private let time: MachineClock
  private var release: EventSchedule.Slot?

  /// Ties two pins to a wire.
  ///
  /// - Parameters:
  ///   - bank: the pins.
  ///   - clock: the index of SCL.
  ///   - data: the index of SDA.
  ///   - wire: the bus.
  ///   - schedule: what happens on the microcontroller: a target lets go of the clock.
  ///   - time: its clock.
  package init(
    _ bank: PinBank, clock: Int, data: Int, wire: any I2CWire, schedule: EventSchedule,
    time: MachineClock
  ) {
    (self.bank, self.clock, self.data, self.wire) = (bank, clock, data, wire)
    (self.schedule, self.time) = (schedule, time)
    release = schedule.slot { [weak self] _ in self?.letGo() }
    bank.set(clock, to: true)
    bank.set(data, to: true)
    let told = bank.output
    bank.output = { [unowned self] pin, drive, time in
      told(pin, drive, time)
      if pin == clock || pin == data { move(pin, drive != .driven(false), time) }
    }
  }

  /// The index of a pin by its name; `nil` where there is none.
  package static func pin(_ name: some StringProtocol, of bank: PinBank) -> Int? {
    bank.names.firstIndex { $0 == name }
  }

  private func move(_ pin: Int, _ level: Bool, _ time: UInt64) {
    if pin == data {
      guard isHigh.data != level else { return }
      isHigh.data = level
      if isHigh.clock { level ? stop(time) : start(time) }
    } else {
      isPulled = !level
      // A reset of the microcontroller forgets what was to happen, the target does not.
      if isHeld, let release, schedule.cycle(of: release) == nil {
        schedule.set(release, at: self.time.cycle(at: max(heldUntil, time)))
      }
      guard !isHeld, isHigh.clock != level else { return }
      isHigh.clock = level
      level ? rise() : fall(time)
    }
  }

  // MARK: Holding the clock

  /// Lets a target hold the clock low for a while, from now on.
  private func hold(_ length: UInt64, from time: UInt64) {
    guard length > 0, let release else { return }
    (isHeld, heldUntil) = (true, time &+ length)
    bank.set(clock, to: false)
    schedule.set(release, at: self.time.cycle(at: heldUntil))
  }

  private func letGo() {
    isHeld = false
    bank.set(clock, to: true)
    guard !isPulled, !isHigh.clock else { return }
    isHigh.clock = true
    rise()
  }

  /// How long a target has held the clock in a step that took longer than its bits; two bits are within the program's
  /// own pace.
  private func held(_ reply: I2CWireReply, from start: UInt64, bits: UInt64) -> UInt64 {
    let end = start &+ bits &* bitTime
    return reply.failure == nil && reply.end > end &+ 2 &* bitTime ? reply.end - end : 0
  }

  // MARK: Bits

  private func show(_ level: Bool) { bank.set(data, to: level) }

  private func start(_ time: UInt64) {
    show(true)
    (phase, shift, count, began) = (.listening(isAddress: true), 0, 0, time)
  }

  private func stop(_ time: UInt64) {
    if isOpen { _ = wire.stop(at: time) }
    (isOpen, phase) = (false, .idle)
    show(true)
  }

  private func rise() {
    switch phase {
    case .listening where count < 8:
      shift = shift << 1 | (isHigh.data ? 1 : 0)
      count += 1
    case .sending: count += 1
    default: break
    }
  }

  private func fall(_ time: UInt64) {
    switch phase {
    case .listening(let isAddress) where count == 8: answer(isAddress, time)
    case .answering(let next):
      show(true)
      (shift, count, began) = (0, 0, time &+ stretch)
      hold(stretch, from: time)
      switch next {
      case .write: phase = .listening(isAddress: false)
      case .read: fetch(began)
      case .nothing: phase = .idle
      }
    case .sending:
      if count < 8 {
        show(shift << UInt8(count) & 0x80 != 0)
      } else {
        show(true)
        phase = .asking
      }
    case .asking:
      if isHigh.data { phase = .idle } else { fetch(time) }
    default: break
    }
  }

  /// Eight bits have come: the target acknowledges them or not.
  private func answer(_ isAddress: Bool, _ time: UInt64) {
    let reads = isAddress && shift & 1 != 0
    let reply: I2CWireReply
    if isAddress {
      // The pace of the eight bits is the frequency of the bus.
      wire.frequency = max(8_500_000_000 / max(time &- began, 1), 1)
      bitTime = (time &- began) / 8
      let address = I2CAddress(rawValue: UInt16(shift >> 1)) ?? 0
      reply = wire.start(
        address, reads ? .read : .write, plan: I2CWirePlan(), at: began)
      isOpen = true
    } else {
      reply = wire.write(shift, at: began)
    }
    stretch = held(reply, from: began, bits: isAddress ? 10 : 9)
    show(reply.failure != nil)
    phase = .answering(next: reply.failure != nil ? .nothing : reads ? .read : .write)
  }

  /// The target's next byte, its first bit at once.
  private func fetch(_ time: UInt64) {
    let reply = wire.read(acknowledging: true, at: time)
    (phase, shift, count) = (.sending, reply.failure == nil ? reply.byte : 0xFF, 0)
    hold(held(reply, from: time, bits: 9), from: time)
    show(shift & 0x80 != 0)
  }
}
