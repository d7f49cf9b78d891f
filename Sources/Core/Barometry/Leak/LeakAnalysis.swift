import CMath
import Quantities

/// Watches the pressure of a cabin and says whether it leaks, how fast, and how long there is left.
///
/// The pressure is taken at the temperature of the first sample, P T0 / T, so that a cabin that warms is no leak and one that
/// cools none either. Its slope is found over 10, 30, 300 and 1800 s at once; a leak is declared when one of
/// them falls significantly. From then on a line of its own says how fast it is: see ``LeakAssessment/Reserve``.
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

  /// Below which pressure in Pa there is nothing to be measured: a hundredth of an atmosphere.
  static let least = 1000.0

  /// One mmHg in Pa.
  static var millimetre: Double { PressureUnit.millimetreOfMercury.pascals }

  /// The pressure in Pa at which the crew must leave; 490 mmHg as flown.
  public var limit = 490 * LeakAnalysis.millimetre
  /// The pressures in Pa that can be such a limit: from where there is something to be measured to where a cabin has too much.
  public static var limits: Range<Double> { least..<CabinLevel.highest }
  /// The other limit that is always shown, 0.540 atm (410.4 mmHg).
  public static var lowerLimit: Double { 0.54 * PressureUnit.atmosphere.pascals }

  /// From sample to sample in seconds: what is older than two of them is stale.
  public var period: Double
  /// The coefficient of the sensor's filter, 1 where it is off: what it has smoothed is undone.
  public let filter: Double

  /// The pressures in Pa that the sensor is specified for; `nil` where nobody knows.
  public var specified: ClosedRange<Double>?

  /// Whether a leak has been declared and is not over.
  public private(set) var isLeaking = false
  /// The pressure of the first sample in Pa.
  public private(set) var initial: Double?

  private var lines = LeakAnalysis.windows.map { SlidingLine(length: $0.length) }
  private var reference: Double?
  private var last: (time: Double, pascals: Double, celsius: Double)?
  private var hasFailed = false
  private var noise: NoiseLevel
  /// Where the pressure lies, whatever its rate is.
  private(set) var level = CabinLevel.usual
  /// The sample before, as far as it can be compared.
  private var before: SuddenFall.Level?
  /// The fall between two samples that has declared the leak, and the sample before it.
  private(set) var sudden: SuddenFall?
  private var beforeSudden: SuddenFall.Level?
  /// The leak that has been declared, and how fast it is.
  private(set) var leak: DeclaredLeak?
  private(set) var fall: DeclaredLeak.Fall?

  /// Creates an analysis.
  ///
  /// - Parameters:
  ///   - period: from sample to sample in seconds.
  ///   - filter: the coefficient of the sensor's filter, 1 where it is off.
  public init(period: Double = 1, filter: Double = 1) {
    self.period = period
    self.filter = max(filter, 1)
    // Undoing a filter makes steps of the temperature's hundredths large.
    let gain = (self.filter * self.filter + (self.filter - 1) * (self.filter - 1)).squareRoot()
    noise = NoiseLevel(floor: filter > 1 ? 0.01 / 3.46 * gain / 295 : 0)
  }

  /// Forgets the slopes, not the first pressure: a hatch was moved.
  public mutating func restart() {
    for index in lines.indices { lines[index].removeAll() }
    isLeaking = false
    reference = nil
    noise.interrupt()
    (leak, fall) = (nil, nil)
    (before, sudden, beforeSudden) = (nil, nil, nil)
  }

  /// Takes the last sample for the first: what changes from now on counts.
  public mutating func resetInitial() { initial = last?.pascals }

  /// Begins a measurement anew: the next sample is its first.
  public mutating func begin() {
    restart()
    initial = nil
    last = nil
    level = .usual
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
    guard pascals.isFinite, pascals >= 0, celsius.isFinite, celsius > -200 else { return fail() }
    if let last, time <= last.time {
      // A clock that jumped back: nothing before it can be compared.
      guard time < last.time - 2 * period else { return }
      restart()
    }
    initial = initial ?? pascals
    let older = last ?? (time, pascals, celsius)
    let isMissed = hasFailed && filter > 1 && last != nil
    hasFailed = false
    last = (time, pascals, celsius)
    // What a filter made of the samples before is taken out again: the noise is white and nothing lags behind. Behind a
    // sample that is missing nobody knows whether the filter has seen it.
    let unfiltered = isMissed ? pascals : pascals * filter - older.pascals * (filter - 1)
    let kelvin = celsius * filter - older.celsius * (filter - 1) + 273.15
    // A limit is passed as soon as either says so.
    level = level.next(
      level == .high ? max(pascals, unfiltered) : min(pascals, unfiltered),
      least: max(limit, Self.lowerLimit))
    guard kelvin > 70, !isMissed else { return }
    let reference = reference ?? kelvin
    self.reference = reference
    let pressure = max(unfiltered, Self.least)
    let corrected = pressure * reference / kelvin
    compare(SuddenFall.Level(time: time, pressure: pressure, corrected: corrected))
    // Near vacuum a logarithm is that of the noise: what has been declared stays, and nothing is learnt.
    guard unfiltered > Self.least else { return }
    for index in lines.indices { lines[index].take(corrected, at: time) }
    noise.take(log(pressure) - log(kelvin), at: time)
    judge()
    follow(log(pressure), log(kelvin), corrected, at: time)
  }

  /// Compares a sample with the one before: a large fall is declared at once, whatever else is known.
  private mutating func compare(_ now: SuddenFall.Level) {
    defer { before = now }
    guard let before else { return }
    if let beforeSudden {
      self.beforeSudden = nil
      if SuddenFall.isRefuted(beforeSudden, by: now) {
        // One wrong sample is no leak.
        (isLeaking, leak, fall, sudden) = (false, nil, nil, nil)
        for index in lines.indices { lines[index].removeAll() }
        noise.interrupt()
        return
      }
    }
    // While a leak is measured anew each sample falls: only what is much faster than is known is another one.
    guard !isLeaking || fall != nil else { return }
    let found = SuddenFall(
      from: before, to: now, deviation: noise.deviation, expected: fall?.bound ?? 0, limit: limit)
    guard let found else { return }
    if !isLeaking { beforeSudden = before }
    sudden = found
    (isLeaking, leak, fall) = (true, nil, nil)
    // What was before it says nothing of it, and the step is no noise.
    for index in lines.indices { lines[index].removeAll() }
    noise.interrupt()
  }

  /// Lets a sample say how fast the leak is.
  private mutating func follow(
    _ pressure: Double, _ kelvin: Double, _ corrected: Double, at time: Double
  ) {
    guard isLeaking else {
      // What is over says nothing of the next leak.
      (leak, fall, sudden) = (nil, nil, nil)
      return
    }
    var leak = leak ?? DeclaredLeak(at: time)
    leak.take(pressure, kelvin, at: time)
    for (window, line) in zip(Self.windows, lines) where time - leak.start >= window.length {
      guard let slope = line.slope, let uncertainty = uncertainty(slope) else { continue }
      // The line's own value in the middle of the window, which is the mean there.
      let mean = corrected - slope.value * window.length / 2
      let certain = -slope.value - noise.coverage * uncertainty
      leak.note(certain / mean, since: time - window.length, noise)
    }
    fall = leak.fall(noise)
    self.leak = leak
  }

  private mutating func judge() {
    var isFalling = false
    // A leak is over when half a minute is known in which no window falls any more.
    var isCalm = false
    for (window, line) in zip(Self.windows, lines) {
      guard let slope = line.slope, slope.span >= window.length * 0.9 else { continue }
      if let uncertainty = uncertainty(slope), window.declares(slope.value, uncertainty) {
        isFalling = true
      }
      if window.length == 30 { isCalm = true }
    }
    for (window, line) in zip(Self.windows, lines) where isCalm {
      guard let slope = line.slope, slope.span >= window.length * 0.9 else { continue }
      isCalm = -slope.value <= max(3 * slope.uncertainty, window.floor / 4)
    }
    if isFalling { isLeaking = true } else if isCalm { isLeaking = false }
  }

  /// The uncertainty of a slope: few samples that happen to lie on a line are no more certain than the scatter of all.
  private func uncertainty(_ slope: SlidingLine.Slope) -> Double? {
    guard let deviation = noise.deviation, let last else { return nil }
    return max(slope.uncertainty, deviation * last.pascals / slope.spread.squareRoot())
  }

  /// The slope of all that came since the last restart, half an hour at most; `nil` before four samples.
  ///
  /// Its uncertainty is no less than the scatter that was known before allows, so that few samples can answer a question.
  public var sinceRestart: LeakAssessment.Rate? {
    guard let window = Self.windows.last, let slope = lines.last?.slope, slope.count >= 4,
      let uncertainty = uncertainty(slope)
    else { return nil }
    return LeakAssessment.Rate(
      value: slope.value, uncertainty: uncertainty, window: window.length, span: slope.span,
      count: slope.count, isLeak: window.declares(slope.value, uncertainty))
  }

  /// Whether a pressure in Pa is outside of what the sensor is specified for.
  func isOutside(_ pascals: Double) -> Bool { specified.map { !$0.contains(pascals) } ?? false }

  /// Whether the sensor has failed since the last sample.
  var isFailing: Bool { hasFailed }
  /// The last sample.
  var newest: (time: Double, pascals: Double)? { last.map { ($0.time, $0.pascals) } }
  /// The times that are left at a moment until a limit; `nil` while that is not known.
  func reserve(to limit: Double, at moment: Double) -> LeakAssessment.Reserve? {
    if let last, last.pascals <= limit { return LeakAssessment.Reserve(expected: 0, bound: 0) }
    guard let leak, let fall else { return nil }
    return leak.reserve(to: limit, at: moment, fall, noise)
  }

  /// Within how many seconds the leak's own samples are expected to show its rate, by the rate of a window that has declared it.
  ///
  /// The uncertainty of a line falls with the time to the power of 3/2; it must be less than the fall. A window that
  /// has just begun to fall underrates the leak, so that it is known sooner rather than later.
  func settled(_ rate: LeakAssessment.Rate, at moment: Double) -> Double? {
    guard let leak, let last, let deviation = noise.deviation, rate.isLeak else { return nil }
    let fall = -rate.value / last.pascals
    let scatter = noise.coverage * deviation * (12 * period).squareRoot()
    return max(exp(log(scatter / fall) * 2 / 3), 3 * period) - (moment - leak.start)
  }

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
