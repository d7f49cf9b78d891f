public import I2C

/// A simulated I2C controller with targets on its bus.
///
/// Each transfer advances the clock by its duration on the wire. Functionality, quirks and errno
/// values are configurable. A NACK at byte n does not undo the bytes before it.
public final class VirtualAdapter: I2CAdapter {
  /// An error thrown by `VirtualAdapter/attach(_:)`.
  public enum AttachError: Error, Hashable, Sendable {
    /// The address is already used by another target.
    case addressInUse(I2CAddress)
  }

  /// The functionality of the adapter.
  public let functionality: I2CFunctionality
  /// The limits of the adapter.
  public let quirks: I2CQuirks
  /// The bus frequency in Hz.
  public let frequency: UInt64
  /// The longest clock stretch that the adapter tolerates, in nanoseconds.
  public let stretchLimit: UInt64
  /// The errno for each kind of failure.
  public let errnoPolicy: ErrnoPolicy
  /// The faults planned for this bus.
  public let faults: FaultPlan

  /// The targets on the bus.
  public var devices: [any VirtualI2CDevice] { targets }

  // Dynamic exclusivity checks are off, because an adapter is used only on the thread of its bus
  // and a target never attaches another target during a transfer.
  @exclusivity(unchecked) private(set) var targets: [any VirtualI2CDevice] = []
  @exclusivity(unchecked) private(set) var multiplexers: [VirtualMultiplexer] = []
  /// The responder if several connected targets have the same address.
  let shared = SharedTarget()
  /// The segments that were connected when the current transfer began.
  @exclusivity(unchecked) var reached: [VirtualSegment] = []
  private let clock: any I2CClock
  /// The register pointer that was written last, from which reads continue.
  @exclusivity(unchecked) var register: UInt8?
  private let bitTime: UInt64
  /// The time until which a target holds SCL low after the adapter timed out, in nanoseconds.
  @exclusivity(unchecked) var heldUntil: UInt64 = 0

  /// Creates an adapter without targets.
  ///
  /// Default: 100 kHz (standard mode), I2C and emulated SMBus, no limits on messages, a stretch
  /// limit of 1 s, the errno values recommended by the kernel, and no faults.
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

  /// Attaches a target to the bus.
  ///
  /// - Throws: `AttachError` if another target uses its address.
  public func attach(_ device: any VirtualI2CDevice) throws(AttachError) {
    guard !targets.contains(where: { $0.address == device.address }) else {
      throw .addressInUse(device.address)
    }
    targets.append(device)
    if let multiplexer = device as? VirtualMultiplexer { multiplexers.append(multiplexer) }
  }

  /// Makes one combined transfer and advances the clock by its duration.
  ///
  /// - Throws: `I2CError`. An unsupported transfer is rejected before it reaches the wire.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    try check(segments, writing: writing.count, reading: reading.count)
    var time = WireTime(start: clock.nanoseconds, frequency: frequency, bitTime: bitTime)
    defer { end(at: clock.nanoseconds) }
    if begin(at: time.start) {
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

  /// A failure in a message: its kind, and the index of the byte at which it occurred.
  struct WireFailure: Error {
    let kind: I2CError.Kind
    var byte = 0
  }

  @inline(__always)
  func target(at address: I2CAddress) -> (any VirtualI2CDevice)? {
    guard multiplexers.isEmpty else { return connectedTarget(at: address) }
    for device in targets where device.address == address { return device }
    return nil
  }

  /// Begins a transfer; returns whether SCL is held low.
  @inline(__always)
  func begin(at time: UInt64) -> Bool {
    let isHeld = faults.begin(at: time, targets)
    return multiplexers.isEmpty ? isHeld : beginBehind(at: time) || isHeld
  }

  /// Ends a transfer, and updates the counts of the faults.
  @inline(__always)
  func end(at time: UInt64) {
    faults.end(targets, at: time)
    if !multiplexers.isEmpty { endBehind(at: time) }
  }

  /// Returns the effect of the fault that acts on a message.
  @inline(__always)
  func inject(_ segment: I2CSegment, register: UInt8?, at time: UInt64) -> WireEffect? {
    if let effect = faults.inject(segment, register: register, at: time, targets) { return effect }
    guard !multiplexers.isEmpty else { return nil }
    return injectBehind(segment, register: register, at: time, isByte: false)
  }

  /// Returns the effect of the fault that acts at the last byte of a message so far.
  @inline(__always)
  func injectByte(_ segment: I2CSegment, at time: UInt64) -> WireEffect? {
    if let effect = faults.injectByte(segment, register: register, at: time, targets) {
      return effect
    }
    guard !multiplexers.isEmpty else { return nil }
    return injectBehind(segment, register: register, at: time, isByte: true)
  }

  /// Sends a start and the address.
  ///
  /// Returns the target that acknowledged, and the effect of a fault on the message.
  @inline(__always)
  private func address(
    _ segment: I2CSegment, register: UInt8?, at time: inout WireTime
  ) throws(WireFailure) -> (device: any VirtualI2CDevice, effect: WireEffect?) {
    time.clock(bits: segment.flags.contains(.tenBit) ? 19 : 10)
    let effect = inject(segment, register: register, at: time.start)
    if let effect {
      try begin(effect, &time)
      if let value = effect.standIn {
        return (UniformTarget(segment.address, reads: value), effect)
      }
    }
    guard let device = target(at: segment.address), device.start(segment.direction, at: &time)
    else {
      if effect != nil { faults.withdrawChange() }
      throw WireFailure(kind: .addressNack)
    }
    try checkStretching(&time, byte: 0)
    return (device, effect)
  }

  /// Applies the part of a fault that occurs at the address of a message.
  func begin(_ effect: WireEffect, _ time: inout WireTime) throws(WireFailure) {
    time.stretch(nanoseconds: min(effect.holdTime, stretchLimit + 1))
    guard let failure = effect.failureKind else { return }
    if failure == .timeOut { time.stretch(nanoseconds: stretchLimit) }
    time.clock(bits: effect.freeingClocks)
    throw WireFailure(kind: failure)
  }

  @inline(__always)
  private func send(
    _ segment: I2CSegment, _ bytes: Span<UInt8>, from offset: Int, at time: inout WireTime
  ) throws(WireFailure) {
    if segment.count > 0 { register = bytes[offset] }
    let (device, effect) = try address(segment, register: register, at: &time)
    let nacked = effect?.nackedByte ?? -1
    for byte in 0..<segment.count {
      time.clock(bits: 9)
      guard byte != nacked, device.write(bytes[offset + byte], at: &time)
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
      bytes[offset + byte] = effect?.corrupted(value, at: byte) ?? value
      time.clock(bits: 9)
      try checkStretching(&time, byte: byte)
    }
  }

  /// Times out if a target stretches the clock beyond the limit.
  ///
  /// The target continues to hold SCL low, and the bus is unusable until the target releases the
  /// line.
  @inline(__always)
  func checkStretching(_ time: inout WireTime, byte: Int) throws(WireFailure) {
    guard time.longestStretch > stretchLimit else { return }
    heldUntil = time.nanoseconds
    time.timeOut(after: stretchLimit + 1)
    throw WireFailure(kind: .timeOut, byte: byte)
  }

  /// Waits for a target that still holds SCL low, up to the stretch limit.
  private func waitForClock(_ time: inout WireTime) throws(I2CError) {
    let missing = heldUntil - time.start
    guard missing <= stretchLimit else {
      clock.wait(nanoseconds: stretchLimit)
      throw I2CError(.timeOut, errno: errnoPolicy.errno(for: .timeOut))
    }
    time.stretch(nanoseconds: missing)
  }
}

extension VirtualAdapter {
  /// Rejects malformed and unsupported transfers before they reach the wire.
  func check(_ segments: Span<I2CSegment>, writing: Int, reading: Int) throws(I2CError) {
    guard !segments.isEmpty else { throw error(.invalid, message: 0) }
    var (toWrite, toRead) = (0, 0)
    for index in segments.indices {
      let segment = segments[index]
      guard segment.count >= 0 else { throw error(.invalid, message: index) }
      switch segment.direction {
      case .write: toWrite += segment.count
      case .read: toRead += segment.count
      }
      try checkAddress(of: segment, message: index)
    }
    guard toWrite <= writing, toRead <= reading else { throw error(.invalid, message: 0) }
    if let message = quirks.violation(in: segments) {
      throw error(.unsupported, message: message)
    }
  }

  private func checkAddress(of segment: I2CSegment, message: Int) throws(I2CError) {
    if segment.flags.contains(.tenBit) {
      guard functionality.contains(.tenBitAddresses) else {
        throw error(.unsupported, message: message)
      }
    } else if !segment.address.isSevenBit {
      throw error(.invalid, message: message)
    }
    // Adapters that do not know the flag read the bytes that the message has, as Linux's i2c-bcm2835, i2c-tiny-usb and
    // i2c-virtio do.
    let ignored: I2CSegment.Flags =
      functionality.contains(.smbusReadBlock) ? [] : .receiveLength
    guard segment.flags.isSubset(of: [.tenBit, ignored]) else {
      throw error(.unsupported, message: message)
    }
  }

  private func error(_ kind: I2CError.Kind, message: Int) -> I2CError {
    I2CError(kind, message: message, errno: errnoPolicy.errno(for: kind))
  }
}

/// The errno that an adapter returns for each kind of failure.
public struct ErrnoPolicy: Hashable, Sendable {
  /// The errno for an address NACK.
  ///
  /// Adapters differ most in this value.
  public var addressNack: I2CErrno
  /// The errno for a data NACK.
  public var dataNack: I2CErrno
  /// The errno for lost arbitration.
  public var arbitrationLost: I2CErrno
  /// The errno for a bus error.
  public var busError: I2CErrno
  /// The errno for a busy bus or a clock stretched too long.
  public var timeOut: I2CErrno

  /// Creates a policy.
  ///
  /// Default: the recommendations of the kernel's document on I2C fault codes.
  public init(
    addressNack: I2CErrno = .enxio, dataNack: I2CErrno = .eio,
    arbitrationLost: I2CErrno = .eagain, busError: I2CErrno = .eio, timeOut: I2CErrno = .etimedout
  ) {
    self.addressNack = addressNack
    self.dataNack = dataNack
    self.arbitrationLost = arbitrationLost
    self.busError = busError
    self.timeOut = timeOut
  }

  /// Returns the errno for a kind of failure.
  public func errno(for kind: I2CError.Kind) -> I2CErrno {
    switch kind {
    case .addressNack: addressNack
    case .dataNack: dataNack
    case .arbitrationLost: arbitrationLost
    case .busError: busError
    case .timeOut: timeOut
    case .unsupported: .eopnotsupp
    case .invalid: .einval
    case .noDevice: .enodev
    }
  }
}
