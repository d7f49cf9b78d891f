public import I2C

/// The time that programs have when it is not the machine's.
///
/// It stands still while any thread of any program runs, but for a little at each reading of a clock, so
/// that loops that wait for a clock end. When all threads wait, it jumps to the moment that the first of
/// them waits for.
public struct VirtualTime {
  /// The time of the buses: nanoseconds since the start; waiting on it moves it.
  public let clock: any I2CClock
  /// The moment at which it is 0, in nanoseconds since 1970.
  public let epoch: Int64
  /// After how long programs that wait for each other are ended, in nanoseconds of the machine; `nil` for never.
  let patience: UInt64?
  /// Asked before time jumps to what programs wait for, while all of them sleep, with the time in nanoseconds;
  /// `false` keeps it where it is.
  let mayPass: (UInt64) -> Bool

  /// How notices say that something of a program does not follow this time.
  static let leak = "follows the machine's clock"

  /// What CLOCK_MONOTONIC shows at time 0, in nanoseconds: no machine has run for no time.
  private static let uptime: UInt64 = 100_000_000_000
  /// Where time ends, in nanoseconds: 146 years, so that no sum of two moments overflows.
  static let end: UInt64 = 1 << 62

  /// A minute, in nanoseconds.
  public static let usualPatience: UInt64 = 60_000_000_000

  /// Creates the time of programs.
  ///
  /// - Parameters:
  ///   - clock: the time of the buses.
  ///   - epoch: the moment at which it is 0, in nanoseconds since 1970.
  ///   - patience: after how long programs that wait for each other, and for nothing else, are ended, in nanoseconds
  ///     of the machine; `nil` for never.
  ///   - mayPass: asked with the time, in nanoseconds, before it jumps, while all programs sleep; `false` keeps
  ///     it where it is.
  public init(
    clock: any I2CClock, epoch: Int64, patience: UInt64? = usualPatience,
    mayPass: @escaping (UInt64) -> Bool = { _ in true }
  ) {
    self.clock = clock
    self.epoch = epoch
    self.patience = patience
    self.mayPass = mayPass
  }

  /// Nanoseconds since the start.
  var now: UInt64 { clock.nanoseconds }

  /// Lets some time pass.
  func pass(_ nanoseconds: UInt64) { advance(to: now + nanoseconds) }

  /// Moves ahead to a moment; at the end of time it stands still.
  func advance(to moment: UInt64) {
    let moment = min(moment, Self.end)
    if moment > now { clock.wait(nanoseconds: moment - now) }
  }

  /// The moment after a length of time; at the end of time it is now.
  func moment(after length: UInt64) -> UInt64 {
    min(now + min(length, Self.end), max(Self.end, now))
  }

  /// What one of the clocks of `clock_gettime` shows; `nil` for clocks of processor time.
  func reading(of clock: Int32) -> UInt64? { reading(of: clock, at: now) }

  /// What one of the clocks of `clock_gettime` shows at a moment; `nil` for clocks of processor time.
  func reading(of clock: Int32, at moment: UInt64) -> UInt64? {
    origin(of: clock).map { origin in
      let (sum, isTooMuch) = origin.addingReportingOverflow(moment)
      return isTooMuch ? .max : sum
    }
  }

  /// The moment, since the start, at which a clock shows a time.
  func moment(at time: UInt64, on clock: Int32) -> UInt64? {
    origin(of: clock).map { time > $0 ? time - $0 : 0 }
  }

  /// What a clock showed at the start, in nanoseconds; `nil` for clocks of processor time.
  func origin(of clock: Int32) -> UInt64? {
    switch clock {
    case 0, 5, 8, 11: UInt64(max(epoch, 0))
    case 1, 4, 6, 7, 9: Self.uptime
    default: nil
    }
  }
}
