public import I2C

/// A trace that answers again what was answered then.
///
/// It is a bus and the time of that bus. Nothing is invented: what the trace cannot answer fails, and in
/// lenient mode every deviation that was bridged is counted.
public final class Replay: I2CAdapter, I2CClock {
  /// How exactly a program must do again what was recorded.
  public enum Strictness: String, Hashable, Sendable, CaseIterable {
    /// The same transfers in the same order.
    case strict
    /// Requests are looked for nearby: loops may take more or fewer turns, and transfers of others that
    /// lie between are passed over.
    case lenient
  }

  /// What the recorded times mean.
  public struct Pace: Hashable, Sendable {
    /// Each transfer ends no earlier than then; without waiting between, time passes as it did.
    public static let kept = Pace(factor: 1)
    /// Time passes only by waiting.
    public static let ignored = Pace(factor: 0)

    /// By how much the recorded times are stretched: 2 is half as fast, 0 ignores them.
    public let factor: Double

    /// Creates a pace.
    ///
    /// - Parameter factor: from 0 on.
    public init(factor: Double) {
      precondition(factor >= 0 && factor.isFinite, "time does not go back")
      self.factor = factor
    }

    /// A recorded time in the time of the replay, in nanoseconds.
    func time(_ recorded: UInt64) -> UInt64 {
      if factor == 1 { return recorded }
      return UInt64(min(Double(recorded) * factor, 9e18))
    }
  }

  /// What was bridged in lenient mode, and what was not done.
  public struct Repairs: Hashable, Sendable {
    /// Recorded transfers that were passed over.
    public var skipped = 0
    /// Requests that got an earlier answer again.
    public var repeated = 0

    /// Creates the count of what was bridged, nothing unless said.
    public init(skipped: Int = 0, repeated: Int = 0) {
      self.skipped = skipped
      self.repeated = repeated
    }

    /// Whether nothing was bridged.
    public var isNone: Bool { self == Repairs() }
  }

  /// The first deviation from the trace.
  public struct Difference: Hashable, Sendable {
    /// The line of the trace, from 1.
    public let line: Int
    /// What was recorded there, or `nil` at the end of the trace.
    public let recorded: TracedTransfer?
    /// What was asked instead, or `nil` where the program ended.
    public let asked: TracedTransfer?
  }

  /// How far lenient mode looks ahead, in transfers.
  public static let window = 64

  /// What the adapter could do then.
  public let functionality: I2CFunctionality
  /// The limits of the adapter then.
  public let quirks: I2CQuirks
  /// N of the bus.
  public let bus: Int
  /// What was bridged so far.
  public private(set) var repairs = Repairs()
  /// The first deviation, after which nothing is answered any more.
  public private(set) var difference: Difference?
  /// What is wrong with the trace, if that showed while it was read.
  public private(set) var failure: (any Error)?
  /// Nanoseconds since the start of the trace, or the time of the clock that it was given.
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
  ///   - bus: N of the bus; others are passed over.
  ///   - strictness: how exactly it must be done again.
  ///   - pace: what the recorded times mean.
  ///   - clock: the time that it moves; its own, from 0 on, when nothing.
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

  /// Moves the time ahead and returns at once.
  public func wait(nanoseconds: UInt64) {
    if let clock { clock.wait(nanoseconds: nanoseconds) } else { own += nanoseconds }
  }

  /// Answers a transfer as it was answered then.
  ///
  /// - Throws: the recorded error; of kind no device (EIO) when the trace has no answer.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    let asked = TracedTransfer(
      time: nanoseconds, duration: 0, bus: bus, segments, writing: writing, reading: Span())
    guard difference == nil, failure == nil, let answer = answer(to: asked) else {
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

  /// Looks whether something is left over; in strict mode that is a difference.
  public func finish() {
    guard difference == nil, failure == nil, fill(1) else { return }
    switch strictness {
    case .strict:
      difference = Difference(line: ahead[0].line, recorded: ahead[0].transfer, asked: nil)
    case .lenient:
      while fill(1) {
        repairs.skipped += 1
        ahead.removeFirst()
      }
    }
  }

  private func answer(to asked: TracedTransfer) -> TracedTransfer? {
    let depth = strictness == .strict ? 1 : Self.window
    for index in 0..<depth where fill(index + 1) {
      guard ahead[index].transfer.asksTheSame(as: asked) else { continue }
      repairs.skipped += index
      let answer = ahead[index].transfer
      if strictness == .lenient { remember(ahead[0...index].map(\.transfer)) }
      ahead.removeFirst(index + 1)
      return answer
    }
    if failure == nil, strictness == .lenient,
      let answer = past.last(where: { $0.asksTheSame(as: asked) })
    {
      repairs.repeated += 1
      return answer
    }
    difference = Difference(
      line: ahead.first?.line ?? reader.line + 1, recorded: ahead.first?.transfer, asked: asked)
    return nil
  }

  private func remember(_ transfers: [TracedTransfer]) {
    past += transfers
    if past.count > 2 * Self.window { past.removeFirst(past.count - Self.window) }
  }

  /// Reads on until so many transfers of the bus lie ahead; whether there are.
  private func fill(_ count: Int) -> Bool {
    while ahead.count < count {
      do {
        guard let transfer = try reader.next() else { return false }
        if transfer.bus == bus { ahead.append((reader.line, transfer)) }
      } catch {
        // A trace that was cut off is good up to there.
        if (error as? TraceError)?.kind != .cutOff { failure = error }
        return false
      }
    }
    return true
  }
}
