public import I2C

extension VirtualAdapter: I2CWireAdapter {
  /// Returns a byte-by-byte view of this bus.
  public func wire(_ clock: any I2CClock) -> any I2CWire { VirtualWire(self) }
}

/// Byte-by-byte access to the bus of a virtual adapter, with the targets, timing and faults of combined transfers.
///
/// SCL runs at the frequency of the controller. Between two bytes the controller holds SCL low until it is ready.
final class VirtualWire: I2CWire {
  var frequency: UInt64 {
    didSet {
      precondition(frequency > 0, "a bus needs a frequency")
      bitTime = WireTime.bitTime(at: frequency)
    }
  }

  private let bus: VirtualAdapter
  @exclusivity(unchecked) private var bitTime: UInt64
  /// The timing of the open transfer.
  @exclusivity(unchecked) private var time = WireTime(start: 0, frequency: 1)
  @exclusivity(unchecked) private var isOpen = false
  /// The failure after which only a stop can follow.
  @exclusivity(unchecked) private var failure: I2CError.Kind?
  /// Whether SCL is held low, which prevents even a stop.
  @exclusivity(unchecked) private var isStuck = false
  @exclusivity(unchecked) private var device: (any VirtualI2CDevice)?
  @exclusivity(unchecked) private var effect: WireEffect?
  /// The current message.
  ///
  /// Its count is the number of bytes transferred so far.
  @exclusivity(unchecked) private var segment = I2CSegment.write(0, to: 0)
  @exclusivity(unchecked) private var isPlanned = false
  @exclusivity(unchecked) private var freeAt: UInt64 = 0

  init(_ bus: VirtualAdapter) {
    self.bus = bus
    frequency = bus.frequency
    bitTime = WireTime.bitTime(at: bus.frequency)
  }

  private var now: UInt64 { isStuck ? freeAt : time.nanoseconds }

  private func reply(_ kind: I2CError.Kind? = nil, byte: UInt8 = 0xFF) -> I2CWireReply {
    I2CWireReply(failure: kind, byte: byte, end: now)
  }

  /// Records a failed step, after which the remaining bytes are not sent.
  private func fail(_ kind: I2CError.Kind) -> I2CWireReply {
    // After a NACK the controller may send a repeated start. After any other failure it may only
    // send a stop.
    if kind != .addressNack, kind != .dataNack { failure = kind }
    device = nil
    return reply(kind)
  }

  /// Begins a transfer; returns whether the bus is free.
  private func open(at moment: UInt64) -> Bool {
    let start = max(moment, freeAt)
    time = WireTime(start: start, frequency: frequency, bitTime: bitTime)
    (isOpen, failure, isStuck) = (true, nil, false)
    let isHeld = bus.begin(at: start)
    let missing = start < bus.heldUntil ? bus.heldUntil - start : 0
    guard !isHeld, missing <= bus.stretchLimit else {
      isStuck = true
      freeAt = start &+ bus.stretchLimit
      return false
    }
    if missing > 0 { time.stretch(nanoseconds: missing) }
    return true
  }

  func start(
    _ address: I2CAddress, _ direction: I2CSegment.Direction, plan: I2CWirePlan, at moment: UInt64
  ) -> I2CWireReply {
    if isOpen {
      if let failure { return reply(failure) }
      time.idle(until: moment)
    } else if !open(at: moment) {
      return fail(.timeOut)
    }
    segment = I2CSegment(address: address, direction: direction, count: plan.count ?? 0)
    isPlanned = plan.count != nil && (direction == .read || plan.count == 0 || plan.first != nil)
    if isPlanned, direction == .write, let first = plan.first { bus.register = first }
    let register = direction == .read || isPlanned ? bus.register : nil
    do throws(VirtualAdapter.WireFailure) {
      time.clock(bits: 10)
      effect = bus.inject(segment, register: register, at: time.start)
      segment.count = 0
      try answer()
      return reply()
    } catch {
      return fail(error.kind)
    }
  }

  /// Finds the target that acknowledges the address, and applies a fault that acts at the address.
  private func answer() throws(VirtualAdapter.WireFailure) {
    if let effect {
      try bus.begin(effect, &time)
      if let value = effect.standIn {
        device = UniformTarget(segment.address, reads: value)
        return
      }
    }
    guard let found = bus.target(at: segment.address), found.start(segment.direction, at: &time)
    else { throw VirtualAdapter.WireFailure(kind: .addressNack) }
    try bus.checkStretching(&time, byte: 0)
    device = found
  }

  /// Counts a byte and starts a fault that depends on this byte.
  ///
  /// Returns the index of the byte, or -1 if a fault starts here.
  private func count() -> Int {
    segment.count += 1
    if !isPlanned,
      let late = bus.injectByte(segment, at: time.start)
    {
      effect = late
      return -1
    }
    return segment.count - 1
  }

  func write(_ byte: UInt8, at moment: UInt64) -> I2CWireReply {
    if let failure { return reply(failure) }
    if isOpen { time.idle(until: moment) }
    guard isOpen, let device, segment.direction == .write else { return unanswered(.dataNack) }
    if segment.count == 0 { bus.register = byte }
    time.clock(bits: 9)
    let isNew = count() < 0
    let index = segment.count - 1
    if isNew, let effect, effect.nackedByte == nil { return applyLate(effect) }
    guard index != effect?.nackedByte ?? -1, device.write(byte, at: &time) else {
      return fail(.dataNack)
    }
    do throws(VirtualAdapter.WireFailure) {
      try bus.checkStretching(&time, byte: index)
      return reply()
    } catch {
      return fail(error.kind)
    }
  }

  /// Applies a fault that depends on the register, which is known only after the address was sent.
  ///
  /// The target does not receive the register byte.
  private func applyLate(_ effect: WireEffect) -> I2CWireReply {
    do throws(VirtualAdapter.WireFailure) {
      try bus.begin(effect, &time)
      if let value = effect.standIn { device = UniformTarget(segment.address, reads: value) }
      try bus.checkStretching(&time, byte: 0)
      return reply()
    } catch {
      return fail(error.kind == .addressNack ? .dataNack : error.kind)
    }
  }

  func read(acknowledging: Bool, at moment: UInt64) -> I2CWireReply {
    if let failure { return reply(failure) }
    if isOpen { time.idle(until: moment) }
    guard isOpen, let device, segment.direction == .read else { return unanswered(nil) }
    _ = count()
    let index = segment.count - 1
    let value = device.read(at: &time)
    let byte = effect?.corrupted(value, at: index) ?? value
    time.clock(bits: 9)
    do throws(VirtualAdapter.WireFailure) {
      try bus.checkStretching(&time, byte: index)
      return reply(byte: byte)
    } catch {
      return fail(error.kind)
    }
  }

  /// Sends nine clocks to which no target responds.
  private func unanswered(_ kind: I2CError.Kind?) -> I2CWireReply {
    time.clock(bits: 9)
    return reply(kind)
  }

  func errno(of kind: I2CError.Kind) -> I2CErrno { bus.errnoPolicy.errno(for: kind) }

  func stop(at moment: UInt64) -> I2CWireReply {
    guard isOpen else { return I2CWireReply(end: max(moment, freeAt)) }
    if !isStuck {
      time.idle(until: moment)
      time.clock(bits: 1)
      for device in bus.devices { device.stop(at: &time) }
      freeAt = time.nanoseconds
    }
    bus.end(at: freeAt)
    (isOpen, failure, device, effect) = (false, nil, nil, nil)
    defer { isStuck = false }
    return I2CWireReply(end: freeAt)
  }
}
