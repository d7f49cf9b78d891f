public import I2C

/// An adapter that injects planned wire faults into the transfers of another adapter, such as a
/// real adapter, a replayed trace or a bridge.
///
/// Transfers without a fault are forwarded unchanged. If a fault keeps a message off the wire, only
/// the messages before it are forwarded. They end with a stop, although the program requested a
/// repeated start. If a fault NACKs a byte, the bytes before it are forwarded.
public final class FaultyAdapter: I2CAdapter {
  /// The planned faults.
  ///
  /// Only the faults that act on the wire are injected here.
  public let faults: FaultPlan

  private let adapter: any I2CAdapter
  private let clock: any I2CClock
  private let errnoPolicy: ErrnoPolicy
  private let stretchLimit: UInt64
  /// The register pointer that was written last, from which reads continue.
  private var register: UInt8?

  /// Creates an adapter.
  ///
  /// - Parameters:
  ///   - adapter: the adapter whose transfers are changed.
  ///   - clock: the clock of that adapter. Time 0 is the start of the fault plan.
  ///   - faults: the fault plan.
  ///   - errnoPolicy: the errno for each kind of injected failure. Default: the recommendations of
  ///     the kernel.
  ///   - stretchLimit: the longest clock stretch tolerated, in nanoseconds. Default: 1 s.
  public init(
    _ adapter: any I2CAdapter, clock: any I2CClock, faults: FaultPlan,
    errnoPolicy: ErrnoPolicy = ErrnoPolicy(), stretchLimit: UInt64 = 1_000_000_000
  ) {
    self.adapter = adapter
    self.clock = clock
    self.faults = faults
    self.errnoPolicy = errnoPolicy
    self.stretchLimit = stretchLimit
  }

  /// The functionality of the other adapter.
  public var functionality: I2CFunctionality { adapter.functionality }
  /// The limits of the other adapter.
  public var quirks: I2CQuirks { adapter.quirks }

  /// Makes the transfer on the other adapter and applies the faults that fire.
  ///
  /// - Throws: the errors of the other adapter, and the errors caused by faults.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    // Malformed transfers are rejected by the adapter itself.
    guard let messages = Messages(segments, writing.count, reading.count),
      quirks.violation(in: segments) == nil
    else { return try adapter.transfer(segments, writing: writing, reading: &reading) }
    defer { faults.end([], at: clock.nanoseconds) }
    if faults.begin(at: clock.nanoseconds, []) {
      clock.wait(nanoseconds: stretchLimit)
      throw failure(.timeOut, message: 0)
    }
    let injections = inject(on: messages, writing)
    guard injections.contains(where: { $0.effect != nil }) else {
      return try adapter.transfer(segments, writing: writing, reading: &reading)
    }
    do throws(I2CError) {
      try apply(injections, messages, writing, &reading)
    } catch {
      // Undo the faults chosen for the messages after the failed one, because they did not happen.
      if error.message + 1 < injections.count {
        faults.restore(injections[error.message + 1].before)
      }
      throw error
    }
  }

  /// The fault chosen for a message, if any, and the state of the plan before the choice.
  private struct Injected {
    let effect: WireEffect?
    let before: FaultPlan.State
  }

  /// Chooses the fault for each message, up to a fault that ends the transfer.
  private func inject(on messages: Messages, _ writing: Span<UInt8>) -> [Injected] {
    var injections: [Injected] = []
    for (segment, offset) in zip(messages.segments, messages.offsets) {
      if segment.direction == .write, segment.count > 0 { register = writing[offset] }
      let before = faults.state
      let effect = faults.inject(segment, register: register, at: clock.nanoseconds, [])
      injections.append(Injected(effect: effect, before: before))
      if effect?.endsTransfer(stretchLimit: stretchLimit) == true { break }
    }
    return injections
  }

  private func apply(
    _ injections: [Injected], _ messages: Messages, _ writing: Span<UInt8>,
    _ reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    var first = 0
    for (index, injection) in injections.enumerated() {
      guard let effect = injection.effect else { continue }
      if effect.endsTransfer(stretchLimit: stretchLimit) {
        try forward(messages, first..<index, upTo: effect.nackedByte ?? 0, writing, &reading)
        throw failure(of: effect, message: index)
      }
      if effect.holdTime > 0 { clock.wait(nanoseconds: effect.holdTime) }
      if let value = effect.standIn {
        try forward(messages, first..<index, writing, &reading)
        messages.fill(index, with: value, &reading)
        first = index + 1
      }
    }
    try forward(messages, first..<messages.segments.count, writing, &reading)
    for (index, injection) in injections.enumerated() {
      if let effect = injection.effect { messages.corrupt(index, by: effect, &reading) }
    }
  }

  /// Waits while a fault holds the bus, then returns the failure with which the fault ends a
  /// message.
  private func failure(of effect: WireEffect, message: Int) -> I2CError {
    if let byte = effect.nackedByte { return failure(.dataNack, message: message, byte: byte) }
    let kind = effect.failureKind ?? .timeOut
    if kind == .timeOut { clock.wait(nanoseconds: stretchLimit) }
    return failure(kind, message: message)
  }

  /// Forwards some messages, and the first bytes of the message after them.
  private func forward(
    _ messages: Messages, _ range: Range<Int>, upTo bytes: Int = 0, _ writing: Span<UInt8>,
    _ reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    let part = messages.part(range, upTo: bytes, writing)
    guard !part.segments.isEmpty else { return }
    var received = [UInt8](repeating: 0, count: part.reading.count)
    do throws(I2CError) {
      var bytes = received.mutableSpan
      try adapter.transfer(part.segments.span, writing: part.writing.span, reading: &bytes)
    } catch {
      throw I2CError(
        error.kind, message: error.message + range.lowerBound, byte: error.byte, errno: error.errno)
    }
    for (offset, byte) in zip(part.reading, received) { reading[offset] = byte }
  }

  private func failure(_ kind: I2CError.Kind, message: Int, byte: Int = 0) -> I2CError {
    I2CError(kind, message: message, byte: byte, errno: errnoPolicy.errno(for: kind))
  }
}

/// The messages of a transfer, with the offsets of their bytes in the write and read buffers.
struct Messages {
  let segments: [I2CSegment]
  let offsets: [Int]

  /// Computes the offsets; returns `nil` if the messages are malformed.
  init?(_ segments: Span<I2CSegment>, _ writing: Int, _ reading: Int) {
    var (all, offsets): ([I2CSegment], [Int]) = ([], [])
    var (written, received) = (0, 0)
    for index in segments.indices {
      let segment = segments[index]
      guard segment.count >= 0 else { return nil }
      all.append(segment)
      switch segment.direction {
      case .write:
        offsets.append(written)
        written += segment.count
      case .read:
        offsets.append(received)
        received += segment.count
      }
    }
    guard !all.isEmpty, written <= writing, received <= reading else { return nil }
    (self.segments, self.offsets) = (all, offsets)
  }

  /// Returns the range of a message's bytes in its buffer.
  private func bytes(of index: Int) -> Range<Int> {
    offsets[index]..<offsets[index] + segments[index].count
  }

  /// Returns some messages as a separate transfer, with the first bytes of the message after them.
  ///
  /// - Returns: the messages, the bytes to write, and the offsets of the bytes to read.
  func part(
    _ range: Range<Int>, upTo count: Int, _ writing: Span<UInt8>
  ) -> (segments: [I2CSegment], writing: [UInt8], reading: [Int]) {
    var (chosen, written, read): ([I2CSegment], [UInt8], [Int]) = ([], [], [])
    for index in range {
      chosen.append(segments[index])
      switch segments[index].direction {
      case .write: for offset in bytes(of: index) { written.append(writing[offset]) }
      case .read: read += bytes(of: index)
      }
    }
    if count > 0 {
      var cut = segments[range.upperBound]
      cut.count = count
      chosen.append(cut)
      for offset in bytes(of: range.upperBound).prefix(count) { written.append(writing[offset]) }
    }
    return (chosen, written, read)
  }

  /// Fills the bytes that a message reads with one value.
  func fill(_ index: Int, with value: UInt8, _ reading: inout MutableSpan<UInt8>) {
    guard segments[index].direction == .read else { return }
    for offset in bytes(of: index) { reading[offset] = value }
  }

  /// Corrupts the bytes that a message has read.
  func corrupt(_ index: Int, by effect: WireEffect, _ reading: inout MutableSpan<UInt8>) {
    guard segments[index].direction == .read else { return }
    for (byte, offset) in bytes(of: index).enumerated() {
      reading[offset] = effect.corrupted(reading[offset], at: byte)
    }
  }
}

/// An adapter that the faults of a plan unplug: meanwhile every transfer fails with ENODEV, at once.
public final class UnpluggableAdapter: I2CAdapter {
  private let adapter: any I2CAdapter
  private let clock: any I2CClock
  private let faults: FaultPlan

  /// Creates an adapter.
  ///
  /// - Parameters:
  ///   - adapter: the adapter that makes the transfers while it is plugged in.
  ///   - clock: the clock of that adapter. Time 0 is the start of the fault plan.
  ///   - faults: the fault plan.
  public init(_ adapter: any I2CAdapter, clock: any I2CClock, faults: FaultPlan) {
    self.adapter = adapter
    self.clock = clock
    self.faults = faults
  }

  /// The functionality of the other adapter.
  public var functionality: I2CFunctionality { adapter.functionality }
  /// The limits of the other adapter.
  public var quirks: I2CQuirks { adapter.quirks }

  /// Whether the adapter is unplugged now.
  fileprivate var isUnplugged: Bool {
    faults.isUnplugged(at: clock.nanoseconds)
  }

  /// Makes the transfer on the other adapter.
  ///
  /// - Throws: the errors of the other adapter; `I2CError` of kind no device while the adapter is unplugged.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    guard !isUnplugged else { throw I2CError(.noDevice, errno: .enodev) }
    try adapter.transfer(segments, writing: writing, reading: &reading)
  }
}

extension UnpluggableAdapter: I2CWireAdapter {
  /// Returns byte-by-byte access to the bus, on which no transfer begins while the adapter is unplugged.
  public func wire(_ clock: any I2CClock) -> any I2CWire {
    UnpluggableWire(self, adapter.anyWire(clock))
  }
}

/// The wire of an adapter that can be unplugged; a transfer that is open then still ends.
private final class UnpluggableWire: I2CWire {
  private let adapter: UnpluggableAdapter
  private let wire: any I2CWire
  private var isOpen = false

  init(_ adapter: UnpluggableAdapter, _ wire: any I2CWire) {
    self.adapter = adapter
    self.wire = wire
  }

  var frequency: UInt64 {
    get { wire.frequency }
    set { wire.frequency = newValue }
  }

  func start(
    _ address: I2CAddress, _ direction: I2CSegment.Direction, plan: I2CWirePlan, at time: UInt64
  ) -> I2CWireReply {
    guard isOpen || !adapter.isUnplugged else {
      return I2CWireReply(failure: .noDevice, end: time)
    }
    isOpen = true
    return wire.start(address, direction, plan: plan, at: time)
  }

  func write(_ byte: UInt8, at time: UInt64) -> I2CWireReply {
    isOpen ? wire.write(byte, at: time) : I2CWireReply(failure: .noDevice, end: time)
  }

  func read(acknowledging: Bool, at time: UInt64) -> I2CWireReply {
    isOpen
      ? wire.read(acknowledging: acknowledging, at: time)
      : I2CWireReply(failure: .noDevice, end: time)
  }

  func stop(at time: UInt64) -> I2CWireReply {
    guard isOpen else { return I2CWireReply(end: time) }
    isOpen = false
    return wire.stop(at: time)
  }

  func errno(of kind: I2CError.Kind) -> I2CErrno {
    kind == .noDevice ? .enodev : wire.errno(of: kind)
  }
}
