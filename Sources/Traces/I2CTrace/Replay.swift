public import I2C

/// A bus and its clock that return the recorded responses of a trace.
///
/// A replay never invents data, so a request without a recorded response fails. In lenient mode
/// every tolerated deviation is counted.
public final class Replay: I2CAdapter, I2CClock {
  /// The tolerance for deviations from the recorded requests.
  public enum Strictness: String, Hashable, Sendable, CaseIterable {
    /// The program must make the same transfers in the same order.
    case strict
    /// Each request is matched with a nearby recorded transfer. Loops may have more or fewer
    /// iterations, and recorded transfers of other programs are skipped.
    case lenient
  }

  /// The effect of the recorded times on the time of the replay.
  public struct Pace: Hashable, Sendable {
    /// Each transfer ends no earlier than recorded.
    ///
    /// If the program does not wait between transfers, time passes as recorded.
    public static let kept = Pace(factor: 1)
    /// Time passes only during waits.
    public static let ignored = Pace(factor: 0)

    /// The factor by which the recorded times are multiplied: 2 halves the speed, 0 ignores the
    /// times.
    public let factor: Double

    /// Creates a pace.
    ///
    /// - Parameter factor: the factor, at least 0.
    public init(factor: Double) {
      precondition(factor >= 0 && factor.isFinite, "a pace needs a finite factor of at least 0")
      self.factor = factor
    }

    /// Converts a recorded time to the time of the replay, in nanoseconds.
    func time(_ recorded: UInt64) -> UInt64 {
      if factor == 1 { return recorded }
      return UInt64(min(Double(recorded) * factor, 9e18))
    }
  }

  /// The deviations tolerated in lenient mode.
  public struct Repairs: Hashable, Sendable {
    /// The number of recorded transfers that were skipped.
    public var skipped = 0
    /// The number of requests that matched only an earlier transfer and received its response
    /// again.
    public var repeated = 0

    /// Creates the counts.
    ///
    /// Default: 0.
    public init(skipped: Int = 0, repeated: Int = 0) {
      self.skipped = skipped
      self.repeated = repeated
    }

    /// Whether no deviation was tolerated.
    public var isNone: Bool { self == Repairs() }
  }

  /// The first deviation from the trace.
  public struct Difference: Hashable, Sendable {
    /// The line number in the trace, from 1.
    public let line: Int
    /// The recorded transfer that was expected next; `nil` at the end of the trace.
    public let recorded: TracedTransfer?
    /// The request of the program; `nil` if the program ended.
    public let requested: TracedTransfer?

    /// The request of the program.
    @available(*, deprecated, renamed: "requested")
    public var asked: TracedTransfer? { requested }
  }

  /// The number of recorded transfers that lenient mode searches ahead for a request.
  public static let window = 64

  /// The functionality of the recorded adapter.
  public let functionality: I2CFunctionality
  /// The limits of the recorded adapter.
  public let quirks: I2CQuirks
  /// The number of the bus, which is the N in /dev/i2c-N.
  public let bus: Int
  /// The deviations tolerated so far.
  public private(set) var repairs = Repairs()
  /// The first deviation that was not tolerated; all later requests fail.
  public private(set) var difference: Difference?
  /// The error that occurred while the trace was read, if any.
  public private(set) var failure: (any Error)?
  /// The time in nanoseconds since the start of the trace, or the time of the external clock.
  public var nanoseconds: UInt64 { clock?.nanoseconds ?? own }

  private let strictness: Strictness
  private let pace: Pace
  private let clock: (any I2CClock)?
  private var own: UInt64 = 0
  private var reader: TraceReader
  private var ahead: [(line: Int, transfer: TracedTransfer)] = []
  private var past: [TracedTransfer] = []

  /// Creates a replay of one bus of a trace.
  ///
  /// - Parameters:
  ///   - reader: the trace, at its beginning.
  ///   - bus: the bus; transfers on other buses are skipped.
  ///   - strictness: the tolerance for deviations.
  ///   - pace: the interpretation of the recorded times. Default: as recorded.
  ///   - clock: an external clock to advance. Default: an internal clock that starts at 0.
  public init(
    _ reader: TraceReader, bus: TraceHeader.Bus, strictness: Strictness, pace: Pace = .kept,
    clock: (any I2CClock)? = nil
  ) {
    self.reader = reader
    self.bus = bus.number
    self.strictness = strictness
    self.pace = pace
    self.clock = clock
    functionality = bus.functionality
    quirks = bus.quirks
  }

  /// Advances the clock and returns at once.
  public func wait(nanoseconds: UInt64) {
    if let clock { clock.wait(nanoseconds: nanoseconds) } else { own += nanoseconds }
  }

  /// Returns the recorded response to a transfer.
  ///
  /// - Throws: the recorded error, or an error of kind `noDevice` (EIO) if the trace contains no
  ///   response.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    let request = TracedTransfer(
      time: nanoseconds, duration: 0, bus: bus, segments, writing: writing, reading: Span())
    guard difference == nil, failure == nil, let answer = answer(to: request) else {
      throw I2CError(.noDevice, errno: .eio)
    }
    let (end, now) = (pace.time(answer.time &+ answer.duration), nanoseconds)
    if end > now { wait(nanoseconds: end - now) }
    if let error = answer.error { throw error }
    var offset = 0
    for message in answer.messages where message.segment.direction == .read {
      for byte in message.bytes {
        reading[offset] = byte
        offset += 1
      }
    }
  }

  /// Checks for recorded transfers that were never requested.
  ///
  /// In strict mode they are a difference; in lenient mode they count as skipped.
  public func finish() {
    guard difference == nil, failure == nil, fill(1) else { return }
    switch strictness {
    case .strict:
      difference = Difference(line: ahead[0].line, recorded: ahead[0].transfer, requested: nil)
    case .lenient:
      while fill(1) {
        repairs.skipped += 1
        ahead.removeFirst()
      }
    }
  }

  private func answer(to request: TracedTransfer) -> TracedTransfer? {
    let depth = strictness == .strict ? 1 : Self.window
    for index in 0..<depth where fill(index + 1) {
      guard ahead[index].transfer.hasSameRequest(as: request) else { continue }
      repairs.skipped += index
      let answer = ahead[index].transfer
      if strictness == .lenient { store(ahead[0...index].map(\.transfer)) }
      ahead.removeFirst(index + 1)
      return answer
    }
    if failure == nil, strictness == .lenient,
      let answer = past.last(where: { $0.hasSameRequest(as: request) })
    {
      repairs.repeated += 1
      return answer
    }
    difference = Difference(
      line: ahead.first?.line ?? reader.line + 1, recorded: ahead.first?.transfer,
      requested: request)
    return nil
  }

  private func store(_ transfers: [TracedTransfer]) {
    past += transfers
    if past.count > 2 * Self.window { past.removeFirst(past.count - Self.window) }
  }

  /// Reads ahead until `count` transfers on this bus are buffered; returns `false` if the trace
  /// ends before.
  private func fill(_ count: Int) -> Bool {
    while ahead.count < count {
      do {
        guard let transfer = try reader.next() else { return false }
        if transfer.bus == bus { ahead.append((reader.line, transfer)) }
      } catch {
        // A truncated trace is valid up to its last complete line.
        if (error as? TraceError)?.kind != .cutOff { failure = error }
        return false
      }
    }
    return true
  }
}
