public import I2C

/// A virtual time for programs, independent of the machine's clock.
///
/// Virtual time does not advance while any thread of a client runs, except by the small cost of clock readings, which
/// ends loops that wait for a clock. When all threads wait, it advances to the earliest deadline.
public struct VirtualTime {
  /// The clock of the buses, in nanoseconds since the start.
  public let clock: any I2CClock
  /// The start time, in nanoseconds since 1970.
  public let epoch: Int64
  /// The time after which programs that wait for each other are terminated, in nanoseconds of the machine; `nil` for
  /// never.
  let stallTimeout: UInt64?
  /// Called with the current time, in nanoseconds, before time advances to the next deadline while all programs sleep;
  /// a result of `false` prevents the advance.
  let mayAdvance: (UInt64) -> Bool
  /// The steps of the wall clock, in chronological order.
  let steps: [Step]

  /// A step of the wall clock, which changes CLOCK_REALTIME and the clocks like it, and the end of waits until a time
  /// on them, but no wait for a duration.
  public struct Step: Hashable, Sendable {
    /// The time of the step, in nanoseconds since the start.
    public let time: UInt64
    /// The length of the step, in nanoseconds; negative for a step back.
    public let length: Int64

    /// Creates a step.
    public init(time: UInt64, length: Int64) { (self.time, self.length) = (time, length) }
  }

  /// The phrase with which notices say that a part of a program does not follow virtual time.
  static let leak = "follows the machine's clock"

  /// The value of CLOCK_MONOTONIC at time 0, in nanoseconds.
  ///
  /// It is not 0, because on a real machine it never is.
  private static let uptime: UInt64 = 100_000_000_000
  /// The end of time, in nanoseconds: 146 years, so that the sum of two times does not overflow.
  static let end: UInt64 = 1 << 62

  /// The default of the stall timeout: one minute, in nanoseconds.
  public static let defaultStallTimeout: UInt64 = 60_000_000_000

  /// The former name of `defaultStallTimeout`.
  @available(*, deprecated, renamed: "defaultStallTimeout")
  public static let usualPatience = defaultStallTimeout

  /// Creates a virtual time.
  ///
  /// - Parameters:
  ///   - clock: the clock of the buses.
  ///   - epoch: the start time, in nanoseconds since 1970.
  ///   - stallTimeout: the time after which programs that wait only for each other are terminated, in nanoseconds of
  ///     the machine; `nil` for never. Default: one minute.
  ///   - mayAdvance: called with the current time, in nanoseconds, before time advances while all programs sleep; a
  ///     result of `false` prevents the advance. Default: always `true`.
  ///   - steps: the steps of the wall clock. Default: none.
  public init(
    clock: any I2CClock, epoch: Int64, stallTimeout: UInt64? = defaultStallTimeout,
    mayAdvance: @escaping (UInt64) -> Bool = { _ in true }, steps: [Step] = []
  ) {
    self.steps = steps.sorted { $0.time < $1.time }
    self.clock = clock
    self.epoch = epoch
    self.stallTimeout = stallTimeout
    self.mayAdvance = mayAdvance
  }

  /// Creates a virtual time by the former labels.
  ///
  /// - Parameters:
  ///   - clock: the clock of the buses.
  ///   - epoch: the start time, in nanoseconds since 1970.
  ///   - patience: the stall timeout.
  ///   - mayPass: called before time advances.
  @available(*, deprecated, renamed: "init(clock:epoch:stallTimeout:mayAdvance:)")
  public init(
    clock: any I2CClock, epoch: Int64, patience: UInt64?,
    mayPass: @escaping (UInt64) -> Bool = { _ in true }
  ) {
    self.init(clock: clock, epoch: epoch, stallTimeout: patience, mayAdvance: mayPass)
  }

  /// The current time in nanoseconds since the start.
  var now: UInt64 { clock.nanoseconds }

  /// Advances the time.
  func pass(_ nanoseconds: UInt64) { advance(to: now + nanoseconds) }

  /// Advances to a time, at most to the end of time.
  func advance(to moment: UInt64) {
    let moment = min(moment, Self.end)
    if moment > now { clock.wait(nanoseconds: moment - now) }
  }

  /// Returns the current time plus a duration, at most the end of time.
  func moment(after length: UInt64) -> UInt64 {
    min(now + min(length, Self.end), max(Self.end, now))
  }

  /// The value of a clock of `clock_gettime`; `nil` for clocks that measure CPU time.
  func reading(of clock: Int32) -> UInt64? { reading(of: clock, at: now) }

  /// The value of a clock of `clock_gettime` at a time; `nil` for clocks that measure CPU time.
  func reading(of clock: Int32, at moment: UInt64) -> UInt64? {
    origin(of: clock, at: moment).map { origin in
      let (sum, isTooMuch) = origin.addingReportingOverflow(moment)
      return isTooMuch ? .max : sum
    }
  }

  /// Returns when a clock of `clock_gettime` will reach a time, in nanoseconds since the start; `nil` for clocks that
  /// measure CPU time.
  ///
  /// A step forward can reach it; after a step back the clock takes longer.
  func moment(at time: UInt64, on clock: Int32) -> UInt64? {
    func moment(with origin: UInt64) -> UInt64 { time > origin ? time - origin : 0 }
    guard var reached = origin(of: clock, at: now).map(moment) else { return nil }
    for step in steps where step.time > now && reached >= step.time {
      reached = max(origin(of: clock, at: step.time).map(moment) ?? 0, step.time)
    }
    return reached
  }

  /// The value that a clock would have had at the start, in nanoseconds, according to its steps up to a time; `nil` for
  /// clocks that measure CPU time.
  func origin(of clock: Int32, at moment: UInt64) -> UInt64? {
    switch clock {
    case 0, 5, 8, 11:
      UInt64(max(steps.prefix { $0.time <= moment }.reduce(epoch) { $0 &+ $1.length }, 0))
    case 1, 4, 6, 7, 9: Self.uptime
    default: nil
    }
  }
}

/// A limit for the running time of a program, in its own time.
struct TimeLimit {
  private let time: VirtualTime?
  /// The virtual time beyond which no wait ends.
  let end: UInt64
  private let deadline: ContinuousClock.Instant

  /// Starts the limit.
  ///
  /// - Parameters:
  ///   - nanoseconds: the maximum running time.
  ///   - time: the program's virtual time; `nil` for the machine's clock.
  init(_ nanoseconds: UInt64, _ time: VirtualTime?) {
    self.time = time
    end = time?.moment(after: nanoseconds) ?? .max
    deadline = .now + .nanoseconds(Int64(clamping: nanoseconds))
  }

  /// `true` if the limit is reached.
  var isOver: Bool {
    if let time { return time.now >= end }
    return ContinuousClock.now >= deadline
  }

  /// The time to wait for events until the limit, in nanoseconds of the machine; `nil` in virtual time.
  var longestWaitNanoseconds: Int64? {
    guard time == nil else { return nil }
    let left = (deadline - .now).components
    return max(left.seconds * 1_000_000_000 + left.attoseconds / 1_000_000_000, 0)
  }
}
