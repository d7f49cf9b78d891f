public import I2C

/// An adapter that lets planned faults of the wire happen on another, whatever that one is: a real adapter, a replayed
/// trace, a bridge.
///
/// What no fault concerns goes through as it is. A message that a fault keeps from the wire never reaches the other
/// adapter. The messages before it do, and then end with a stop where the program asked for a repeated start; so do
/// the bytes before one that is not acknowledged.
public final class FaultyAdapter: I2CAdapter {
  /// The failures that are planned, of which only those of the wire happen here.
  public let faults: FaultPlan

  private let adapter: any I2CAdapter
  private let clock: any I2CClock
  private let errnoPolicy: ErrnoPolicy
  private let stretchLimit: UInt64
  /// The register that was written last, which reads go on from.
  private var register: UInt8?

  /// Creates an adapter.
  ///
  /// - Parameters:
  ///   - adapter: the adapter on which faults happen.
  ///   - clock: its time, which begins with the faults' plan.
  ///   - faults: the plan.
  ///   - errnoPolicy: the errno of each failure.
  ///   - stretchLimit: for how long SCL may be held low, in nanoseconds.
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

  /// What the other adapter can do.
  public var functionality: I2CFunctionality { adapter.functionality }
  /// The limits of the other adapter.
  public var quirks: I2CQuirks { adapter.quirks }

  /// Makes the transfer on the other adapter, as far as the faults leave it.
  ///
  /// - Throws: what the other adapter throws, and the failures of the faults.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    // The adapter itself refuses what is malformed, before anything reaches the wire.
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
      try carryOut(injections, messages, writing, &reading)
    } catch {
      // What had been drawn for messages behind the failed one has not happened.
      if error.message + 1 < injections.count {
        faults.goBack(to: injections[error.message + 1].before)
      }
      throw error
    }
  }

  /// What is drawn for a message, and the plan before.
  private struct Injected {
    let effect: WireEffect?
    let before: FaultPlan.State
  }

  /// Draws what happens to each message, up to one that ends the transfer.
  private func inject(on messages: Messages, _ writing: Span<UInt8>) -> [Injected] {
    var injections: [Injected] = []
    for (segment, offset) in zip(messages.segments, messages.offsets) {
      if segment.direction == .write, segment.count > 0 { register = writing[offset] }
      let before = faults.state
      let effect = faults.inject(segment, register: register, at: clock.nanoseconds, [])
      injections.append(Injected(effect: effect, before: before))
      if effect?.endsTransfer(within: stretchLimit) == true { break }
    }
    return injections
  }

  private func carryOut(
    _ injections: [Injected], _ messages: Messages, _ writing: Span<UInt8>,
    _ reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    var first = 0
    for (index, injection) in injections.enumerated() {
      guard let effect = injection.effect else { continue }
      if effect.endsTransfer(within: stretchLimit) {
        try forward(messages, first..<index, upTo: effect.refusedByte ?? 0, writing, &reading)
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
      if let effect = injection.effect { messages.spoil(index, by: effect, &reading) }
    }
  }

  /// The failure of a message that an effect ends; the time in which the bus was held has passed.
  private func failure(of effect: WireEffect, message: Int) -> I2CError {
    if let byte = effect.refusedByte { return failure(.dataNack, message: message, byte: byte) }
    let kind = effect.refusal ?? .timeOut
    if kind == .timeOut { clock.wait(nanoseconds: stretchLimit) }
    return failure(kind, message: message)
  }

  /// Sends some messages on, and the first bytes of the one after them.
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
