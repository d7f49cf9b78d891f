import CMath

/// A declared leak, whose rate is measured only from the samples after its declaration.
///
/// Lines are fitted to the logarithms of the pressure and of the pressure at constant temperature,
/// because both fall in a straight line when air escapes to vacuum. The pressure at constant
/// temperature falls as fast as the mass of the air, whatever the temperature does. The measured
/// pressure falls at least as fast, and up to 1.4 times as fast if the air cools while it escapes.
struct DeclaredLeak: Sendable {
  /// The largest temperature change of a cabin for reasons other than the leak: the rate in K/s and
  /// the range in K.
  static let warming = (rate: 0.11 / 60, range: 4.0)
  /// The ratio of the heat capacities of air.
  private static let gamma = 1.4
  /// The time span over which the lines are fitted, in seconds.
  private static let length = 1800.0

  /// The rate at which the logarithm of the pressure falls, per second.
  struct Fall {
    /// The most probable rate and its standard uncertainty.
    let expected: Double, uncertainty: Double
    /// The upper bound of the rate.
    let bound: Double
    /// The number of samples and their time span in seconds.
    let count: Int, span: Double
  }

  /// The time of the declaration in seconds.
  let start: Double
  private var mass = SlidingLine(length: length)
  private var pressure = SlidingLine(length: length)
  /// The logarithms of the mass and of the temperature at the first sample.
  private var first: (mass: Double, kelvin: Double)?
  private var last: (pressure: Double, kelvin: Double, time: Double)?
  /// The fastest fall of the logarithm of the mass that the samples have proved so far, per second.
  ///
  /// It never decreases, because a hole does not close by itself.
  private var certain = 0.0

  init(at start: Double) { self.start = start }

  /// Adds a sample as the logarithms of its pressure in Pa and its temperature in K.
  mutating func take(_ pressure: Double, _ kelvin: Double, at time: Double) {
    let mass = pressure - kelvin
    if first == nil { first = (mass, kelvin) }
    last = (pressure, kelvin, time)
    self.mass.take(mass, at: time)
    self.pressure.take(pressure, at: time)
  }

  /// Records a proved fall of the mass; discards the samples before `time` if they show a slower
  /// fall.
  mutating func note(_ fall: Double, since time: Double, _ noise: NoiseLevel) {
    guard fall > 0, let now = limits(of: mass, noise) else { return }
    if fall > now.fall + now.margin {
      mass.removeAll(before: time)
      pressure.removeAll(before: time)
    }
    certain = max(certain, fall)
  }

  /// Returns the fall per second measured by a line, the standard uncertainty of the fall and the
  /// margin of its bounds; `nil` if the slope or the noise is unknown.
  private func limits(
    of line: SlidingLine, _ noise: NoiseLevel
  ) -> (fall: Double, uncertainty: Double, margin: Double, count: Int, span: Double)? {
    guard let slope = line.slope, let deviation = noise.deviation else { return nil }
    let uncertainty = max(slope.uncertainty, deviation / slope.spread.squareRoot())
    return (-slope.value, uncertainty, noise.coverage * uncertainty, slope.count, slope.span)
  }

  /// Returns the fall of the pressure; `nil` until at least three samples show a fall larger than the noise.
  mutating func fall(_ noise: NoiseLevel) -> Fall? {
    guard let mass = limits(of: mass, noise), let pressure = limits(of: pressure, noise),
      mass.margin < mass.fall
    else { return nil }
    certain = max(certain, mass.fall - mass.margin)
    let most = max(mass.fall + mass.margin, certain)
    // Take the smaller of two bounds: the measured fall plus the part that a warming cabin may
    // hide, and the fall of the mass times the largest ratio that the cooling since the declaration
    // allows.
    let warming = Self.warming.rate / kelvin
    let bound = max(
      most, min(pressure.fall + pressure.margin + warming, most * cooling(noise)))
    // The pressure may fall faster than the mass because escaping air cools, or for other reasons.
    // The faster the leak is compared with a cabin's usual temperature change, the more likely is
    // the first cause; both remain possible.
    let excess = min(max(pressure.fall - mass.fall, 0), mass.fall * (Self.gamma - 1))
    let likely = mass.fall * mass.fall / (mass.fall * mass.fall + warming * warming)
    let doubt = excess * (likely * (1 - likely)).squareRoot()
    return Fall(
      expected: min(mass.fall + likely * excess, bound),
      uncertainty: (mass.uncertainty * mass.uncertainty + doubt * doubt).squareRoot(), bound: bound,
      count: mass.count, span: mass.span)
  }

  /// Returns the maximum ratio of the fall of the pressure to the fall of the mass, from the
  /// cooling measured since the declaration.
  private func cooling(_ noise: NoiseLevel) -> Double {
    guard let first, let last else { return Self.gamma }
    let doubt = 2 * noise.coverage * (noise.deviation ?? 0)
    let lost = first.mass - (last.pressure - last.kelvin) - doubt
    guard lost > 0 else { return Self.gamma }
    let hidden = min(Self.warming.range, Self.warming.rate * (last.time - start)) / kelvin
    return min(max(1 + (first.kelvin - last.kelvin + hidden + doubt) / lost, 1), Self.gamma)
  }

  /// The temperature at the last sample, in K.
  private var kelvin: Double { exp(last?.kelvin ?? 0) }

  /// Returns the seconds that remain at `moment` until the pressure reaches a limit.
  ///
  /// The lower bound assumes that the last sample was too high by its noise, that the fall is the
  /// fastest possible one, and that the cabin cools for other reasons at the maximum rate until its
  /// range is used up.
  func reserve(
    to limit: Double, at moment: Double, _ fall: Fall, _ noise: NoiseLevel
  ) -> LeakAssessment.Reserve? {
    guard let last else { return nil }
    let age = moment - last.time
    let way = last.pressure - log(limit)
    let least = way - noise.coverage * (noise.deviation ?? 0)
    let bound = max(
      least / (fall.bound + Self.warming.rate / kelvin),
      (least - Self.warming.range / kelvin) / fall.bound)
    return LeakAssessment.Reserve(
      expected: max(way / fall.expected - age, bound - age, 0), bound: max(bound - age, 0))
  }

  /// Returns the age and rate of the leak at a time, for display.
  func shown(at moment: Double, _ fall: Fall?) -> LeakAssessment.Leak {
    let pascals = exp(last?.pressure ?? 0)
    return LeakAssessment.Leak(
      age: moment - start,
      rate: fall.map {
        LeakAssessment.Rate(
          value: -$0.expected * pascals, uncertainty: $0.uncertainty * pascals, window: $0.span,
          span: $0.span, count: $0.count, isLeak: true)
      })
  }
}
