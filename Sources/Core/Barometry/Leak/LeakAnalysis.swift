import CMath
import Quantities

/// Monitors the pressure of a cabin, and measures the rate of a leak and the remaining time.
///
/// The pressure is corrected to the temperature of the first sample, P T0 / T, so that a warming or
/// cooling cabin is not reported as a leak. The slope of the corrected pressure is measured over
/// windows of 10, 30, 300 and 1800 s, and a leak is declared when it falls significantly in any of
/// them. From then on a separate line measures the rate of the leak (see
/// `LeakAssessment/Reserve`).
public struct LeakAnalysis: Sendable {
  /// A time window, and the criteria for a significant slope within it.
  struct Window: Hashable, Sendable {
    /// The length in seconds.
    let length: Double
    /// The number of standard uncertainties below zero that indicate a leak.
    let significance: Double
    /// The rate of fall in Pa/s up to which a slope is never a leak, however significant it is.
    let floor: Double

    /// Returns whether a slope indicates a leak.
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

  /// The lowest pressure that is analyzed, in Pa: a hundredth of an atmosphere.
  static let least = 1000.0

  /// One mmHg in Pa.
  static var millimetre: Double { PressureUnit.millimetreOfMercury.pascals }

  /// The pressure in Pa at which the crew must leave.
  ///
  /// Default: 490 mmHg, the limit used in space flight.
  public var limit = 490 * LeakAnalysis.millimetre
  /// The accepted range of `limit` in Pa: from the lowest pressure that is analyzed to the
  /// overpressure limit.
  public static var limits: Range<Double> { least..<CabinLevel.highest }
  /// The second, fixed limit, for which a time is always displayed as well: 0.540 atm (410.4 mmHg).
  public static var lowerLimit: Double { 0.54 * PressureUnit.atmosphere.pascals }

  /// The sample period in seconds; a sample older than two periods is stale.
  public var period: Double
  /// The coefficient of the sensor's filter, which the analysis inverts; 1 if the filter is off.
  public let filter: Double

  /// The specified pressure range of the sensor in Pa; `nil` if unknown.
  public var specified: ClosedRange<Double>?

  /// `true` if a leak has been declared and has not ended.
  public private(set) var isLeaking = false
  /// The pressure of the first sample in Pa.
  public private(set) var initial: Double?

  private var lines = LeakAnalysis.windows.map { SlidingLine(length: $0.length) }
  private var reference: Double?
  private var last: (time: Double, pascals: Double, celsius: Double)?
  private var hasFailed = false
  private var noise: NoiseLevel
  /// The level of the pressure (usual, low or high), regardless of its rate of change.
  private(set) var level = CabinLevel.usual
  /// The previous sample; `nil` if the next one cannot be compared with it.
  private var before: SuddenFall.Level?
  /// The sudden fall that declared the leak; `beforeSudden` is the sample before the fall.
  private(set) var sudden: SuddenFall?
  private var beforeSudden: SuddenFall.Level?
  /// The declared leak; `nil` if there is none.
  private(set) var leak: DeclaredLeak?
  private(set) var fall: DeclaredLeak.Fall?

  /// Creates an analysis.
  ///
  /// - Parameters:
  ///   - period: the sample period in seconds. Default: 1.
  ///   - filter: the coefficient of the sensor's filter. Default: 1 (off).
  public init(period: Double = 1, filter: Double = 1) {
    self.period = period
    self.filter = max(filter, 1)
    // Inverting a filter amplifies the 0.01 C steps of the temperature.
    let gain = (self.filter * self.filter + (self.filter - 1) * (self.filter - 1)).squareRoot()
    noise = NoiseLevel(floor: filter > 1 ? 0.01 / 3.46 * gain / 295 : 0)
  }

  /// Resets the slopes and the leak but not the initial pressure, as is necessary after a hatch was
  /// moved.
  public mutating func restart() {
    for index in lines.indices { lines[index].removeAll() }
    isLeaking = false
    reference = nil
    noise.interrupt()
    (leak, fall) = (nil, nil)
    (before, sudden, beforeSudden) = (nil, nil, nil)
  }

  /// Sets the initial pressure to the pressure of the last sample.
  public mutating func resetInitial() { initial = last?.pascals }

  /// Restarts the measurement; the next sample is the first.
  public mutating func begin() {
    restart()
    initial = nil
    last = nil
    level = .usual
  }

  /// Records a missing sample.
  public mutating func fail() { hasFailed = true }

  /// Adds a sample.
  ///
  /// - Parameters:
  ///   - pascals: the pressure in Pa.
  ///   - celsius: the temperature in C.
  ///   - time: the time in seconds; a sample not later than the previous one is ignored.
  public mutating func take(_ pascals: Double, celsius: Double, at time: Double) {
    guard pascals.isFinite, pascals >= 0, celsius.isFinite, celsius > -200 else { return fail() }
    if let last, time <= last.time {
      // If the clock was set back, earlier samples are not comparable.
      guard time < last.time - 2 * period else { return }
      restart()
    }
    initial = initial ?? pascals
    let older = last ?? (time, pascals, celsius)
    let isMissed = hasFailed && filter > 1 && last != nil
    hasFailed = false
    last = (time, pascals, celsius)
    // Invert the filter, which makes the noise white and removes the lag. After a missing sample
    // the filter's state is unknown.
    let unfiltered = isMissed ? pascals : pascals * filter - older.pascals * (filter - 1)
    let kelvin = celsius * filter - older.celsius * (filter - 1) + 273.15
    // A limit counts as exceeded as soon as either the filtered or the unfiltered pressure exceeds
    // it.
    level = level.next(
      level == .high ? max(pascals, unfiltered) : min(pascals, unfiltered),
      least: max(limit, Self.lowerLimit))
    guard kelvin > 70, !isMissed else { return }
    let reference = reference ?? kelvin
    self.reference = reference
    let pressure = max(unfiltered, Self.least)
    let corrected = pressure * reference / kelvin
    compare(SuddenFall.Level(time: time, pressure: pressure, corrected: corrected))
    // Near vacuum the logarithm is dominated by noise: keep a declared leak, but do not update it.
    guard unfiltered > Self.least else { return }
    for index in lines.indices { lines[index].take(corrected, at: time) }
    noise.take(log(pressure) - log(kelvin), at: time)
    judge()
    follow(log(pressure), log(kelvin), corrected, at: time)
  }

  /// Compares a sample with the previous one; a large fall declares a leak at once.
  private mutating func compare(_ now: SuddenFall.Level) {
    defer { before = now }
    guard let before else { return }
    if let beforeSudden {
      self.beforeSudden = nil
      if SuddenFall.isRefuted(beforeSudden, by: now) {
        // A single wrong sample is not a leak.
        (isLeaking, leak, fall, sudden) = (false, nil, nil, nil)
        for index in lines.indices { lines[index].removeAll() }
        noise.interrupt()
        return
      }
    }
    // While the rate of a leak is being measured again, every sample falls anyway, so this fall
    // proves nothing new.
    guard !isLeaking || fall != nil else { return }
    let found = SuddenFall(
      from: before, to: now, deviation: noise.deviation, expected: fall?.bound ?? 0, limit: limit)
    guard let found else { return }
    if !isLeaking { beforeSudden = before }
    sudden = found
    (isLeaking, leak, fall) = (true, nil, nil)
    // Earlier samples are irrelevant for this leak, and the step is not noise.
    for index in lines.indices { lines[index].removeAll() }
    noise.interrupt()
  }

  /// Updates the rate of the declared leak with a sample.
  private mutating func follow(
    _ pressure: Double, _ kelvin: Double, _ corrected: Double, at time: Double
  ) {
    guard isLeaking else {
      // Discard the data of a leak that has ended.
      (leak, fall, sudden) = (nil, nil, nil)
      return
    }
    var leak = leak ?? DeclaredLeak(at: time)
    leak.take(pressure, kelvin, at: time)
    for (window, line) in zip(Self.windows, lines) where time - leak.start >= window.length {
      guard let slope = line.slope, let uncertainty = uncertainty(slope) else { continue }
      // The mean of the line over the window, which is its value in the middle of the window.
      let mean = corrected - slope.value * window.length / 2
      let certain = -slope.value - noise.coverage * uncertainty
      leak.note(certain / mean, since: time - window.length, noise)
    }
    fall = leak.fall(noise)
    self.leak = leak
  }

  private mutating func judge() {
    var isFalling = false
    // A leak ends when the window of half a minute is filled and no window falls.
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

  /// Returns the uncertainty of a slope, which is at least that of the overall noise, since a few
  /// samples may happen to be collinear.
  private func uncertainty(_ slope: SlidingLine.Slope) -> Double? {
    guard let deviation = noise.deviation, let last else { return nil }
    return max(slope.uncertainty, deviation * last.pascals / slope.spread.squareRoot())
  }

  /// The slope since the last restart, over at most half an hour; `nil` before four samples.
  ///
  /// The uncertainty is at least that of the known noise, so a few samples are sufficient.
  public var sinceRestart: LeakAssessment.Rate? {
    guard let window = Self.windows.last, let slope = lines.last?.slope, slope.count >= 4,
      let uncertainty = uncertainty(slope)
    else { return nil }
    return LeakAssessment.Rate(
      value: slope.value, uncertainty: uncertainty, window: window.length, span: slope.span,
      count: slope.count, isLeak: window.declares(slope.value, uncertainty))
  }

  /// Returns whether a pressure in Pa is outside the specified range of the sensor.
  func isOutside(_ pascals: Double) -> Bool { specified.map { !$0.contains(pascals) } ?? false }

  /// `true` if a sample has been missing since the last valid one.
  var isFailing: Bool { hasFailed }
  /// The time in seconds and the pressure in Pa of the last sample.
  var newest: (time: Double, pascals: Double)? { last.map { ($0.time, $0.pascals) } }
  /// Returns the expected and the minimum time until a limit; `nil` if unknown.
  func reserve(to limit: Double, at moment: Double) -> LeakAssessment.Reserve? {
    if let last, last.pascals <= limit { return LeakAssessment.Reserve(expected: 0, bound: 0) }
    guard let leak, let fall else { return nil }
    return leak.reserve(to: limit, at: moment, fall, noise)
  }

  /// Returns the expected number of seconds until the samples since the declaration are sufficient
  /// to measure the leak's rate.
  ///
  /// The estimate uses the rate of a window that declared the leak. The uncertainty of a line
  /// decreases with the time to the power of 3/2 and must become less than the fall. A window that
  /// has just begun to fall underestimates the leak, so its rate is usually known earlier.
  func settled(_ rate: LeakAssessment.Rate, at moment: Double) -> Double? {
    guard let leak, let last, let deviation = noise.deviation, rate.isLeak else { return nil }
    let fall = -rate.value / last.pascals
    let scatter = noise.coverage * deviation * (12 * period).squareRoot()
    return max(exp(log(scatter / fall) * 2 / 3), 3 * period) - (moment - leak.start)
  }

  /// The slopes in the windows that are filled sufficiently, the shortest window first.
  var rates: [LeakAssessment.Rate] {
    var rates: [LeakAssessment.Rate] = []
    for (window, line) in zip(Self.windows, lines) {
      guard let slope = line.slope, slope.span >= min(window.length, 30) * 0.9 else { continue }
      // A longer window is included only if it contains substantially more than a shorter one.
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
