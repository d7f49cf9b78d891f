import CMath

/// Watches the pressure of a cabin and says whether it leaks, how fast, and how long there is left.
///
/// The pressure is taken at the temperature of the first sample, P T0 / T, so that a cabin that warms is no leak and one that
/// cools none either. Its slope is found over 10, 30, 300 and 1800 s at once; a leak is declared when one of
/// them falls significantly, and the fastest of these falls is what counts.
public struct LeakAnalysis: Sendable {
  /// A window, and what makes its slope significant.
  struct Window: Hashable, Sendable {
    /// Its length in seconds.
    let length: Double
    /// How many standard uncertainties below zero are a leak.
    let significance: Double
    /// Which slope in Pa/s is none whatever its significance.
    let floor: Double

    /// Whether a slope is a leak.
    func declares(_ value: Double, _ uncertainty: Double) -> Bool {
      -value > max(significance * max(uncertainty, 1e-9), floor)
    }
  }

  static let windows = [
    Window(length: 10, significance: 9, floor: 2.2),
    Window(length: 30, significance: 7, floor: 0.22),
    Window(length: 300, significance: 7, floor: 0.011),
    Window(length: 1800, significance: 8, floor: 0.004),
  ]

  /// One mmHg in Pa.
  static var millimetre: Double { PressureUnit.millimetreOfMercury.pascals }

  /// The pressure in Pa at which the crew must leave; 490 mmHg as flown.
  public var limit = 490 * LeakAnalysis.millimetre
  /// The other limit that is always shown, 0.540 atm (410.4 mmHg).
  public static var lowerLimit: Double { 0.54 * PressureUnit.atmosphere.pascals }

  /// From sample to sample in seconds: what is older than two of them is stale.
  public var period: Double

  /// Whether a leak has been declared and is not over.
  public private(set) var isLeaking = false
  /// The pressure of the first sample in Pa.
  public private(set) var initial: Double?

  private var lines = LeakAnalysis.windows.map { SlidingLine(length: $0.length) }
  private var reference: Double?
  private var last: (time: Double, pascals: Double)?
  private var hasFailed = false

  /// Makes an analysis.
  public init(period: Double = 1) { self.period = period }

  /// Forgets the slopes, not the first pressure: a hatch was moved.
  public mutating func restart() {
    for index in lines.indices { lines[index].removeAll() }
    isLeaking = false
    reference = nil
  }

  /// Notes that no sample came.
  public mutating func fail() { hasFailed = true }

  /// Takes a sample.
  ///
  /// - Parameters:
  ///   - pascals: the pressure in Pa.
  ///   - celsius: the temperature in C.
  ///   - time: when, in seconds; not earlier than the sample before, else it is passed over.
  public mutating func take(_ pascals: Double, celsius: Double, at time: Double) {
    guard pascals.isFinite, pascals > 0, celsius.isFinite, celsius > -200 else { return fail() }
    if let last, time <= last.time {
      // A clock that jumped back: nothing before it can be compared.
      guard time < last.time - 2 * period else { return }
      restart()
    }
    hasFailed = false
    initial = initial ?? pascals
    let kelvin = celsius + 273.15
    let reference = reference ?? kelvin
    self.reference = reference
    last = (time, pascals)
    for index in lines.indices { lines[index].take(pascals * reference / kelvin, at: time) }
    judge()
  }

  private mutating func judge() {
    var isFalling = false
    // A leak is over when half a minute is known in which no window falls any more.
    var isCalm = false
    for (window, line) in zip(Self.windows, lines) {
      guard let slope = line.slope, slope.span >= window.length * 0.9 else { continue }
      if window.declares(slope.value, slope.uncertainty) { isFalling = true }
      if window.length == 30 { isCalm = true }
    }
    for (window, line) in zip(Self.windows, lines) where isCalm {
      guard let slope = line.slope, slope.span >= window.length * 0.9 else { continue }
      isCalm = -slope.value <= max(3 * slope.uncertainty, window.floor / 4)
    }
    if isFalling { isLeaking = true } else if isCalm { isLeaking = false }
  }

  /// Whether the sensor has failed since the last sample.
  var isFailing: Bool { hasFailed }
  /// The last sample.
  var newest: (time: Double, pascals: Double)? { last }

  /// The slopes of the windows that are filled far enough, the shortest first.
  var rates: [LeakAssessment.Rate] {
    var rates: [LeakAssessment.Rate] = []
    for (window, line) in zip(Self.windows, lines) {
      guard let slope = line.slope, slope.span >= min(window.length, 30) * 0.9 else { continue }
      // A longer window says something of its own only when it holds more than a shorter one.
      if let shorter = rates.last, slope.span <= shorter.span * 1.5 { continue }
      rates.append(
        LeakAssessment.Rate(
          value: slope.value, uncertainty: slope.uncertainty, window: window.length,
          span: slope.span, count: slope.count,
          isLeak: window.declares(slope.value, slope.uncertainty)))
    }
    return rates
  }
}
