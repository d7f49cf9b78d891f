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
    /// The pressure is outside of what the sensor is specified for: nobody vouches for its number.
    case outside
    /// It lies below the crew's limit, whether it falls or not.
    case low
    /// It lies far above what a cabin has.
    case high

    /// The name in reports.
    public var name: StaticString {
      switch self {
      case .settling: "settling"
      case .stable: "stable"
      case .rising: "rising"
      case .leak: "leak"
      case .stale: "stale"
      case .fault: "fault"
      case .outside: "outside specification"
      case .low: "below limit"
      case .high: "overpressure"
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

  /// Times in seconds until a limit is reached, if neither the hole nor a hatch changes.
  public struct Reserve: Hashable, Sendable {
    /// What is most probable: the pressure falls on exponentially, as air leaves through a hole to vacuum.
    public let expected: Double
    /// What is left at least.
    ///
    /// The fall is taken as fast as four standard uncertainties allow, as fast as air without any heat from the walls
    /// may let it become, and the cabin may cool by 0.11 K a minute and 4 K in all for other reasons.
    public let bound: Double
  }

  /// A leak that has been declared.
  public struct Leak: Hashable, Sendable {
    /// For how many seconds it has been declared.
    public let age: Double
    /// How fast the pressure falls by it, from the samples since then; `nil` before they say so.
    public let rate: Rate?
  }

  /// How it stands.
  public let status: Status
  /// The pressure of the last sample, and of the first, in Pa.
  public let pressure: Double, initial: Double
  /// How old the last sample is, in seconds.
  public let age: Double
  /// The rates of the windows that are filled far enough, the shortest first.
  public let rates: [Rate]
  /// The rate to go by: while it leaks the leak's own, before that is known the fastest fall that is significant; else that
  /// of the longest window.
  public let rate: Rate?
  /// The leak, while it leaks.
  public let leak: Leak?
  /// How many seconds a fall by 1 mmHg takes; only while it leaks and its own rate is known.
  public let secondsPerMillimetre: Double?
  /// The times until the limit, and until the lower one; only while it leaks and its own rate is known.
  public let reserve: Reserve?, lowerReserve: Reserve?
  /// The limit in Pa.
  public let limit: Double
  /// Whether the pressure is outside of what the sensor is specified for; a leak and a fault are still called so.
  public let isOutside: Bool
  /// Whether the pressure is one that people can be in; an alarm of its own where it is not, whatever the status is.
  public let level: CabinLevel
  /// The fall between two samples that has just declared the leak, until a rate is known.
  public let sudden: SuddenFall?
  /// The seconds that are left at most until the limit, by that fall; `nil` where there was none, or more is known.
  public let most: Double?
  /// The seconds within which the leak's own samples are expected to show its rate; `nil` where they do, or nobody knows.
  public let settled: Double?
}

extension LeakAnalysis {
  /// What there is to show at a time in seconds; `nil` before the first sample.
  public func assessment(at now: Double) -> LeakAssessment? {
    guard let initial, let newest else { return nil }
    // Near vacuum there is a leak or a limit to be told, and no rate.
    let isMeasured = newest.pascals > Self.least
    let rates = isMeasured ? rates : []
    let age = now - newest.time
    let status = status(rates, age)
    let leak = status == .leak ? self.leak?.shown(at: now, isMeasured ? fall : nil) : nil
    let isSudden = status == .leak && leak?.rate == nil
    let rate =
      switch status {
      case .leak: leak?.rate ?? rates.filter { $0.isLeak }.min { $0.value < $1.value } ?? rates.last
      case .rising: rates.filter { $0.isRise }.max { $0.value < $1.value } ?? rates.last
      default: rates.last
      }
    let isPending = status == .leak && leak?.rate == nil && isMeasured
    return LeakAssessment(
      status: status, pressure: newest.pascals, initial: initial, age: age, rates: rates,
      rate: rate, leak: leak,
      secondsPerMillimetre: leak?.rate.map { -Self.millimetre / $0.value },
      reserve: leak == nil ? nil : reserve(to: limit, at: now),
      lowerReserve: leak == nil ? nil : reserve(to: Self.lowerLimit, at: now), limit: limit,
      isOutside: isOutside(newest.pascals), level: level,
      sudden: isSudden ? sudden : nil, most: isSudden ? sudden?.left(at: now) : nil,
      settled: isPending ? rate.flatMap { settled($0, at: now) } : nil)
  }

  private func status(_ rates: [LeakAssessment.Rate], _ age: Double) -> LeakAssessment.Status {
    if age > 2 * period { return isFailing ? .fault : .stale }
    if isFailing { return .fault }
    if isLeaking { return .leak }
    switch level {
    case .low: return .low
    case .high: return .high
    case .usual: break
    }
    if let newest, isOutside(newest.pascals) { return .outside }
    guard let longest = rates.last, longest.span >= 27 else { return .settling }
    return longest.isRise ? .rising : .stable
  }
}
