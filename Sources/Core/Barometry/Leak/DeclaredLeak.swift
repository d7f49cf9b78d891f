import CMath

/// A leak since its declaration, whose rate is measured from later samples only.
///
/// Lines are fitted to the logarithms of the pressure and of the pressure at constant temperature, which fall in a
/// straight line through a hole to vacuum. The second one falls as the mass of the air does, regardless of the
/// temperature. The pressure falls at least as fast, and up to 1.4 times as fast if the air cools while it escapes.
struct DeclaredLeak: Sendable {
  /// The temperature change of a cabin for reasons other than the leak: its maximum rate in K/s and its range in K.
  static let warming = (rate: 0.11 / 60, range: 4.0)
  /// The ratio of the heat capacities of air.
  private static let gamma = 1.4
  /// The longest time used for the lines, in seconds.
  private static let length = 1800.0

  /// A fall of logarithms per second.
  struct Fall {
    /// The most probable value and its standard uncertainty.
    let expected: Double, uncertainty: Double
    /// The upper bound.
    let bound: Double
    /// The number of samples and their time span in seconds.
    let count: Int, span: Double
  }

  /// The time of the declaration in seconds.
  let start: Double
  private var mass = SlidingLine(length: length)
  private var pressure = SlidingLine(length: length)
  /// The first sample: the logarithms of the mass and of the temperature.
  private var first: (mass: Double, kelvin: Double)?
  private var last: (pressure: Double, kelvin: Double, time: Double)?
  /// The fastest certain fall of mass; a hole does not close by itself.
  private var certain = 0.0

  init(at start: Double) { self.start = start }

  /// Adds the logarithms of a pressure and of a temperature in K.
  mutating func take(_ pressure: Double, _ kelvin: Double, at time: Double) {
    let mass = pressure - kelvin
    if first == nil { first = (mass, kelvin) }
    last = (pressure, kelvin, time)
    self.mass.take(mass, at: time)
    self.pressure.take(pressure, at: time)
  }

  /// Records a certain fall; if the fall was slower before, earlier samples are discarded.
  mutating func note(_ fall: Double, since time: Double, _ noise: NoiseLevel) {
    guard fall > 0, let now = limits(of: mass, noise) else { return }
    if fall > now.fall + now.margin {
      mass.removeAll(before: time)
      pressure.removeAll(before: time)
    }
    certain = max(certain, fall)
  }

  /// Returns a fall and its margin.
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
    // The fall is bounded by the measured fall plus the part hidden by a warming cabin, by that of air that absorbs no
    // heat, and by the cooling since the declaration.
    let warming = Self.warming.rate / kelvin
    let bound = max(
      most, min(pressure.fall + pressure.margin + warming, most * cooling(noise)))
    // The pressure may fall faster than the mass because escaping air cools, or for other reasons. The faster the leak
    // compared with the temperature change of a cabin, the more likely the first; both remain possible.
    let excess = min(max(pressure.fall - mass.fall, 0), mass.fall * (Self.gamma - 1))
    let likely = mass.fall * mass.fall / (mass.fall * mass.fall + warming * warming)
    let doubt = excess * (likely * (1 - likely)).squareRoot()
    return Fall(
      expected: min(mass.fall + likely * excess, bound),
      uncertainty: (mass.uncertainty * mass.uncertainty + doubt * doubt).squareRoot(), bound: bound,
      count: mass.count, span: mass.span)
  }

  /// Returns the maximum ratio of the falls of pressure and mass, from the temperature since the declaration.
  private func cooling(_ noise: NoiseLevel) -> Double {
    guard let first, let last else { return Self.gamma }
    let doubt = 2 * noise.coverage * (noise.deviation ?? 0)
    let lost = first.mass - (last.pressure - last.kelvin) - doubt
    guard lost > 0 else { return Self.gamma }
    let hidden = min(Self.warming.range, Self.warming.rate * (last.time - start)) / kelvin
    return min(max(1 + (first.kelvin - last.kelvin + hidden + doubt) / lost, 1), Self.gamma)
  }

  /// The temperature in K.
  private var kelvin: Double { exp(last?.kelvin ?? 0) }

  /// Returns the remaining seconds at a time until the pressure reaches a limit.
  ///
  /// The lower bound assumes that the last sample was too high by its noise, that the fall is as fast as possible, and
  /// that the cabin cools for other reasons, as long and as much as it may.
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

  /// Returns the values to display at a time.
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
