package import I2C

/// An I2C bus at two pins that a program moves itself, without a controller: pull-ups, and targets that answer bit by bit.
///
/// What the program does to the pins is read as starts, bits and stops; each byte becomes a step on the wire of the bus,
/// so that such a transfer is one like any other, in traces, faults and time. A byte that a target sends is shown as
/// its bits are clocked, and counts as acknowledged. A target that would hold the clock low is not waited for: it holds
/// the data line as it will be afterwards.
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

  /// Ties two pins to a wire.
  ///
  /// - Parameters:
  ///   - bank: the pins.
  ///   - clock: the index of SCL.
  ///   - data: the index of SDA.
  ///   - wire: the bus.
  package init(_ bank: PinBank, clock: Int, data: Int, wire: any I2CWire) {
    (self.bank, self.clock, self.data, self.wire) = (bank, clock, data, wire)
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
      guard isHigh.clock != level else { return }
      isHigh.clock = level
      level ? rise() : fall(time)
    }
  }

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
      (shift, count, began) = (0, 0, time)
      switch next {
      case .write: phase = .listening(isAddress: false)
      case .read: fetch(time)
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
      let address = I2CAddress(rawValue: UInt16(shift >> 1)) ?? 0
      reply = wire.start(
        address, reads ? .read : .write, plan: I2CWirePlan(), at: began)
      isOpen = true
    } else {
      reply = wire.write(shift, at: began)
    }
    show(reply.failure != nil)
    phase = .answering(next: reply.failure != nil ? .nothing : reads ? .read : .write)
  }

  /// The target's next byte, its first bit at once.
  private func fetch(_ time: UInt64) {
    let reply = wire.read(acknowledging: true, at: time)
    (phase, shift, count) = (.sending, reply.failure == nil ? reply.byte : 0xFF, 0)
    show(shift & 0x80 != 0)
  }
}
