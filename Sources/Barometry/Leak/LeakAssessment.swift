import CMath

/// What a display must show of a cabin.
public struct LeakAssessment: Hashable, Sendable {
  /// How it stands.
  public enum Status: UInt8, Hashable, Sendable, CaseIterable {
    /// Not enough has been measured yet.
    case settling
    /// The pressure does not fall significantly.
    case stable
    /// It rises significantly.
    case rising
    /// It falls significantly.
    case leak
    /// The last sample is older than two periods: nothing here is current.
    case stale
    /// The sensor does not answer, or not with a pressure.
    case fault

    /// The name in reports.
    public var name: StaticString {
      switch self {
      case .settling: "settling"
      case .stable: "stable"
      case .rising: "rising"
      case .leak: "leak"
      case .stale: "stale"
      case .fault: "fault"
      }
    }
  }

  /// A rate of change at constant temperature, in Pa/s, and its standard uncertainty.
  public struct Rate: Hashable, Sendable {
    /// The rate.
    public let value: Double
    /// Its uncertainty.
    public let uncertainty: Double
    /// The length of its window in seconds, how much of it is filled, and with how many samples.
    public let window: Double, span: Double, count: Int
    /// Whether it is significantly a fall.
    public let isLeak: Bool

    /// Whether it is significantly a rise.
    var isRise: Bool { value > 7 * uncertainty && value > 0.011 }
  }

  /// Times in seconds until a limit is reached.
  public struct Reserve: Hashable, Sendable {
    /// As air leaves through a hole: exponentially.
    public let exponential: Double
    /// As if the rate stayed as it is: shorter.
    public let conservative: Double
  }

  /// How it stands.
  public let status: Status
  /// The pressure of the last sample, and of the first, in Pa.
  public let pressure: Double, initial: Double
  /// How old the last sample is, in seconds.
  public let age: Double
  /// The rates of the windows that are filled far enough, the shortest first.
  public let rates: [Rate]
  /// The rate to go by: while it leaks the fastest fall that is significant, else that of the longest window.
  public let rate: Rate?
  /// How many seconds a fall by 1 mmHg takes; only while it leaks.
  public let secondsPerMillimetre: Double?
  /// The times until the limit, and until the lower one; only while it leaks.
  public let reserve: Reserve?, lowerReserve: Reserve?
  /// The limit in Pa.
  public let limit: Double
}

extension LeakAnalysis {
  /// What there is to show at a time in seconds; nothing before the first sample.
  public func assessment(at now: Double) -> LeakAssessment? {
    guard let initial, let newest else { return nil }
    let rates = rates
    let age = now - newest.time
    let status = status(rates, age)
    let rate =
      switch status {
      case .leak: rates.filter { $0.isLeak }.min { $0.value < $1.value } ?? rates.last
      case .rising: rates.filter { $0.isRise }.max { $0.value < $1.value } ?? rates.last
      default: rates.last
      }
    let falling = status == .leak ? rate.map { -$0.value } : nil
    let speed = falling.flatMap { $0 > 0 ? $0 : nil }
    return LeakAssessment(
      status: status, pressure: newest.pascals, initial: initial, age: age, rates: rates,
      rate: rate,
      secondsPerMillimetre: speed.map { Self.millimetre / $0 },
      reserve: speed.map { Self.reserve(newest.pascals, limit, $0) },
      lowerReserve: speed.map { Self.reserve(newest.pascals, Self.lowerLimit, $0) }, limit: limit)
  }

  private func status(_ rates: [LeakAssessment.Rate], _ age: Double) -> LeakAssessment.Status {
    if age > 2 * period { return isFailing ? .fault : .stale }
    if isFailing { return .fault }
    if isLeaking { return .leak }
    guard let longest = rates.last, longest.span >= 27 else { return .settling }
    return longest.isRise ? .rising : .stable
  }

  /// The times in seconds from a pressure to a limit, at a speed in Pa/s.
  static func reserve(_ pascals: Double, _ limit: Double, _ speed: Double) -> LeakAssessment.Reserve
  {
    guard pascals > limit else { return LeakAssessment.Reserve(exponential: 0, conservative: 0) }
    return LeakAssessment.Reserve(
      exponential: pascals / speed * log(pascals / limit), conservative: (pascals - limit) / speed)
  }
}
