public import I2C

/// A simulated I2C controller with targets on its bus.
///
/// It spends the time that the bytes take on the wire on its clock, honours its functionality and
/// quirks, and gives the errno of its policy. A NACK at byte n leaves the bytes before it effective.
public final class VirtualAdapter: I2CAdapter {
  /// What can be wrong with a set of targets.
  public enum AttachError: Error, Hashable, Sendable {
    /// Another target already answers to the address.
    case addressInUse(I2CAddress)
  }

  /// What the adapter can do.
  public let functionality: I2CFunctionality
  /// The limits of the adapter.
  public let quirks: I2CQuirks
  /// The bus frequency in Hz.
  public let frequency: UInt64
  /// The longest clock stretch that it bears, in nanoseconds.
  public let stretchLimit: UInt64
  /// The errno that it gives for each failure.
  public let errnoPolicy: ErrnoPolicy
  /// The failures planned for this bus.
  public let faults: FaultPlan

  /// The targets on the bus.
  public var devices: [any VirtualI2CDevice] { targets }

  // An adapter is confined to the thread of its bus, and no target attaches another while it answers:
  // its state is accessed without the run time's checks.
  @exclusivity(unchecked) private(set) var targets: [any VirtualI2CDevice] = []
  private let clock: any I2CClock
  /// The register that was written last, which reads go on from.
  @exclusivity(unchecked) var register: UInt8?
  private let bitTime: UInt64
  /// Until when a target holds SCL low for which the adapter no longer waited.
  @exclusivity(unchecked) var heldUntil: UInt64 = 0

  /// Creates an adapter without targets; default frequency: standard mode.
  public init(
    clock: any I2CClock, frequency: UInt64 = I2CBusFrequency.standard,
    functionality: I2CFunctionality = .standard, quirks: I2CQuirks = .none,
    stretchLimit: UInt64 = 1_000_000_000, errnoPolicy: ErrnoPolicy = ErrnoPolicy(),
    faults: FaultPlan = FaultPlan()
  ) {
    precondition(frequency > 0, "a bus needs a frequency")
    self.clock = clock
    self.frequency = frequency
    bitTime = WireTime.bitTime(at: frequency)
    self.functionality = functionality
    self.quirks = quirks
    self.stretchLimit = stretchLimit
    self.errnoPolicy = errnoPolicy
    self.faults = faults
  }

  /// Puts a target on the bus.
  ///
  /// - Throws: ``AttachError`` when another target answers to its address.
  public func attach(_ device: any VirtualI2CDevice) throws(AttachError) {
    guard target(at: device.address) == nil else { throw .addressInUse(device.address) }
    targets.append(device)
  }

  /// Makes one combined transfer and spends its time on the clock.
  ///
  /// - Throws: `I2CError`; what the adapter cannot do never reaches the wire.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    try check(segments, writing: writing.count, reading: reading.count)
    var time = WireTime(start: clock.nanoseconds, frequency: frequency, bitTime: bitTime)
    defer { faults.end(targets, at: clock.nanoseconds) }
    if faults.begin(at: time.start, targets) {
      clock.wait(nanoseconds: stretchLimit)
      throw I2CError(.timeOut, errno: errnoPolicy.errno(for: .timeOut))
    }
    if time.start < heldUntil { try waitForClock(&time) }
    var failure: I2CError?
    var (written, received) = (0, 0)
    for index in segments.indices {
      let segment = segments[index]
      do throws(WireFailure) {
        switch segment.direction {
        case .write:
          try send(segment, writing, from: written, at: &time)
          written += segment.count
        case .read:
          try receive(segment, into: &reading, from: received, at: &time)
          received += segment.count
        }
      } catch {
        failure = I2CError(
          error.kind, message: index, byte: error.byte, errno: errnoPolicy.errno(for: error.kind))
        break
      }
    }
    time.clock(bits: 1)
    for device in targets { device.stop(at: &time) }
    clock.wait(nanoseconds: time.elapsed)
    if let failure { throw failure }
  }

  /// What went wrong in a message, at which byte.
  struct WireFailure: Error {
    let kind: I2CError.Kind
    var byte = 0
  }

  @inline(__always)
  func target(at address: I2CAddress) -> (any VirtualI2CDevice)? {
    for device in targets where device.address == address { return device }
    return nil
  }

  /// Sends a start and the address; returns the target that acknowledged, and what a fault does to the message.
  @inline(__always)
  private func address(
    _ segment: I2CSegment, register: UInt8?, at time: inout WireTime
  ) throws(WireFailure) -> (device: any VirtualI2CDevice, effect: WireEffect?) {
    time.clock(bits: segment.flags.contains(.tenBit) ? 19 : 10)
    let effect = faults.inject(segment, register: register, at: time.start, targets)
    if let effect {
      try begin(effect, &time)
      if let value = effect.standIn {
        return (UniformTarget(segment.address, reads: value), effect)
      }
    }
    guard let device = target(at: segment.address), device.start(segment.direction, at: &time)
    else { throw WireFailure(kind: .addressNack) }
    try checkStretching(&time, byte: 0)
    return (device, effect)
  }

  /// Lets happen what a fault does at the address of a message.
  func begin(_ effect: WireEffect, _ time: inout WireTime) throws(WireFailure) {
    time.stretch(nanoseconds: min(effect.holdTime, stretchLimit + 1))
    guard let refusal = effect.refusal else { return }
    if refusal == .timeOut { time.stretch(nanoseconds: stretchLimit) }
    time.clock(bits: effect.freeingClocks)
    throw WireFailure(kind: refusal)
  }

  @inline(__always)
  private func send(
    _ segment: I2CSegment, _ bytes: Span<UInt8>, from offset: Int, at time: inout WireTime
  ) throws(WireFailure) {
    if segment.count > 0 { register = bytes[offset] }
    let (device, effect) = try address(segment, register: register, at: &time)
    let refused = effect?.refusedByte ?? -1
    for byte in 0..<segment.count {
      time.clock(bits: 9)
      guard byte != refused, device.write(bytes[offset + byte], at: &time)
      else { throw WireFailure(kind: .dataNack, byte: byte) }
      try checkStretching(&time, byte: byte)
    }
  }

  @inline(__always)
  private func receive(
    _ segment: I2CSegment, into bytes: inout MutableSpan<UInt8>, from offset: Int,
    at time: inout WireTime
  ) throws(WireFailure) {
    let (device, effect) = try address(segment, register: register, at: &time)
    for byte in 0..<segment.count {
      let value = device.read(at: &time)
      bytes[offset + byte] = effect?.spoilt(value, at: byte) ?? value
      time.clock(bits: 9)
      try checkStretching(&time, byte: byte)
    }
  }

  /// Gives up on a target that holds SCL low for longer than the adapter bears.
  ///
  /// The target goes on holding it: until it lets go, nobody can use the bus.
  @inline(__always)
  func checkStretching(_ time: inout WireTime, byte: Int) throws(WireFailure) {
    guard time.longestStretch > stretchLimit else { return }
    heldUntil = time.nanoseconds
    time.giveUp(after: stretchLimit + 1)
    throw WireFailure(kind: .timeOut, byte: byte)
  }

  /// Waits for SCL that a target still holds low, as long as the adapter bears it.
  private func waitForClock(_ time: inout WireTime) throws(I2CError) {
    let missing = heldUntil - time.start
    guard missing <= stretchLimit else {
      clock.wait(nanoseconds: stretchLimit)
      throw I2CError(.timeOut, errno: errnoPolicy.errno(for: .timeOut))
    }
    time.stretch(nanoseconds: missing)
  }
}
