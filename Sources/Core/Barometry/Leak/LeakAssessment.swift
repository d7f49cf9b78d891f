import CMath
import Quantities

/// The state of a cabin at one time, for display.
public struct LeakAssessment: Hashable, Sendable {
  /// The status of a cabin.
  public enum Status: UInt8, Hashable, Sendable, CaseIterable {
    /// There are not enough samples yet.
    case settling
    /// The pressure does not fall significantly.
    case stable
    /// The pressure rises significantly.
    case rising
    /// The pressure falls significantly.
    case leak
    /// The last sample is older than two sample periods, so no value is current.
    case stale
    /// The sensor does not respond, or its response is not a valid pressure.
    case fault
    /// The pressure is outside the specified range of the sensor, so its value is not reliable.
    case outside
    /// The pressure is below the crew's limit, whether or not it falls.
    case low
    /// The pressure is far above the normal cabin pressure.
    case high

    /// The name of the status in reports.
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

  /// A rate of change of the pressure at constant temperature, in Pa/s, and its standard
  /// uncertainty.
  public struct Rate: Hashable, Sendable {
    /// The rate.
    public let value: Double
    /// The standard uncertainty.
    public let uncertainty: Double
    /// The length of the window and the filled part of it in seconds, and the number of samples.
    public let window: Double, span: Double, count: Int
    /// `true` if the rate is a significant fall.
    public let isLeak: Bool

    /// `true` if the rate is a significant rise.
    var isRise: Bool { value > 7 * uncertainty && value > 0.011 }
  }

  /// The expected and the minimum time in seconds until a limit is reached, if neither the hole nor
  /// a hatch changes.
  public struct Reserve: Hashable, Sendable {
    /// The most probable time, for an exponential fall as through a hole to vacuum.
    public let expected: Double
    /// The minimum time.
    ///
    /// This bound assumes the fastest fall within four standard uncertainties, the acceleration
    /// that is possible if the air absorbs no heat from the walls, and a cooling of the cabin by
    /// 0.11 K a minute and 4 K in total for other reasons.
    public let bound: Double
  }

  /// A declared leak.
  public struct Leak: Hashable, Sendable {
    /// The seconds since the leak was declared.
    public let age: Double
    /// The rate, measured from the samples since the declaration; `nil` until these are sufficient.
    public let rate: Rate?
  }

  /// The status.
  public let status: Status
  /// The pressures of the last and of the first sample, in Pa.
  public let pressure: Double, initial: Double
  /// The age of the last sample in seconds.
  public let age: Double
  /// The rates in the windows that are filled sufficiently, the shortest window first.
  public let rates: [Rate]
  /// The rate to act on; `nil` without a sufficiently filled window.
  ///
  /// During a leak it is `Leak/rate` or, until that is known, the fastest significant fall.
  /// During a rise it is the fastest significant rise, otherwise the rate in the longest window.
  public let rate: Rate?
  /// The declared leak; `nil` if there is none.
  public let leak: Leak?
  /// The number of seconds in which the pressure falls by 1 mmHg; `nil` unless `Leak/rate` is
  /// known.
  public let secondsPerMillimetre: Double?
  /// The times until the crew's limit and until `LeakAnalysis/lowerLimit`; `nil` unless
  /// `Leak/rate` is known.
  public let reserve: Reserve?, lowerReserve: Reserve?
  /// The pressure in Pa at which the crew must leave.
  public let limit: Double
  /// `true` if the pressure is outside the specified range of the sensor, also if the status is
  /// `leak` or `fault`.
  public let isOutside: Bool
  /// The level of the pressure.
  ///
  /// A level at which people cannot live raises a separate alarm, whatever the status is.
  public let level: CabinLevel
  /// The sudden fall that has just declared the leak; `nil` once a rate is known.
  public let sudden: SuddenFall?
  /// The maximum number of seconds until the limit, estimated from the sudden fall; `nil` without a
  /// sudden fall, or once `Leak/rate` is known.
  public let most: Double?
  /// The expected number of seconds until `Leak/rate` is known; `nil` if it is known already, or
  /// if no estimate is possible.
  public let settled: Double?
}

extension LeakAnalysis {
  /// Returns the assessment at a time in seconds; `nil` before the first sample.
  public func assessment(at now: Double) -> LeakAssessment? {
    guard let initial, let newest else { return nil }
    // Near vacuum, report only a leak or an exceeded limit, without a rate.
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

/// The crew's chart of the reserve time, which is the time until the pressure reaches a limit.
///
/// The chart is read with the current pressure and T1mm, the time in which the pressure falls by
/// the next mmHg. Air escapes through a hole to vacuum, so the pressure falls exponentially. The
/// formula agrees with the straight lines in the charts used in space flight, whose values are not
/// published.
public enum ReserveChart {
  /// The pressures in mmHg for which the chart contains a line.
  public static let pressures = [785.0, 760, 745, 700, 650, 600, 550, 520]
  /// The values of T1mm in the rows of the chart, in seconds.
  public static let times = [1.0, 2, 5, 10, 20, 30, 60, 120, 300, 600]
  /// The cabin volumes in m3 for which hole sizes are computed: a module, an isolated compartment
  /// and a whole station.
  public static let volumes = [100.0, 388, 916]

  /// Returns the seconds until a limit.
  ///
  /// - Parameters:
  ///   - limit: the limit in Pa.
  ///   - pascals: the current pressure in Pa, above 1 mmHg.
  ///   - seconds: T1mm, the time in seconds in which the pressure falls by the next mmHg.
  /// - Returns: the time in seconds; 0 at or below the limit.
  public static func seconds(to limit: Double, from pascals: Double, t1mm seconds: Double)
    -> Double
  {
    let millimetre = PressureUnit.millimetreOfMercury.pascals
    guard pascals > limit, pascals > millimetre else { return 0 }
    return seconds * log(pascals / limit) / log(pascals / (pascals - millimetre))
  }

  /// Returns the diameter in m of the round hole that causes a fall, for a discharge coefficient of
  /// 0.85 and air at 295 K.
  ///
  /// - Parameters:
  ///   - pascals: the pressure in Pa.
  ///   - seconds: T1mm, the time in seconds in which the pressure falls by the next mmHg.
  ///   - volume: the volume of the cabin in m3.
  /// - Returns: the diameter in m.
  public static func hole(at pascals: Double, t1mm seconds: Double, volume: Double) -> Double {
    let millimetre = PressureUnit.millimetreOfMercury.pascals
    let constant = seconds / log(pascals / (pascals - millimetre))
    // The velocity of the choked flow: 0.6847 sqrt(R T).
    let area = volume / (constant * 0.85 * 0.684731456 * (287.05 * 295.0).squareRoot())
    return (area * 4 / 3.141592653589793).squareRoot()
  }
}
