import CMath

/// A leak from its declaration on: only samples that it fills say how fast it is.
///
/// Lines run through the logarithms of the pressure and of the pressure at constant temperature, which a hole to vacuum lets
/// fall straight. The second falls as the mass of the air does, whatever the temperature does. The pressure falls at least as
/// fast as that, and up to 1.4 times as fast where the air cools while it leaves.
struct DeclaredLeak: Sendable {
  /// What the cabin's temperature may do for other reasons than the leak: how fast it changes in K/s, and how much in K.
  static let warming = (rate: 0.11 / 60, range: 4.0)
  /// The ratio of the heat capacities of air.
  private static let gamma = 1.4
  /// The longest time that is looked back, in seconds.
  private static let length = 1800.0

  /// A fall of logarithms a second.
  struct Fall {
    /// What is most probable, and its standard uncertainty.
    let expected: Double, uncertainty: Double
    /// What it does not exceed.
    let bound: Double
    /// How many samples say so, and over how many seconds.
    let count: Int, span: Double
  }

  /// When it was declared, in seconds.
  let start: Double
  private var mass = SlidingLine(length: length)
  private var pressure = SlidingLine(length: length)
  /// The first sample: the logarithms of the mass and of the temperature.
  private var first: (mass: Double, kelvin: Double)?
  private var last: (pressure: Double, kelvin: Double, time: Double)?
  /// The fastest fall of mass that was certain: a hole does not close by itself.
  private var certain = 0.0

  init(at start: Double) { self.start = start }

  /// Takes the logarithms of a pressure and of a temperature in K.
  mutating func take(_ pressure: Double, _ kelvin: Double, at time: Double) {
    let mass = pressure - kelvin
    if first == nil { first = (mass, kelvin) }
    last = (pressure, kelvin, time)
    self.mass.take(mass, at: time)
    self.pressure.take(pressure, at: time)
  }

  /// Notes a fall that is certain, and looks back no further than to its window where the fall was slower before.
  mutating func note(_ fall: Double, since time: Double, _ noise: NoiseLevel) {
    guard fall > 0, let now = limits(of: mass, noise) else { return }
    if fall > now.fall + now.margin {
      mass.removeAll(before: time)
      pressure.removeAll(before: time)
    }
    certain = max(certain, fall)
  }

  /// A fall and the margin around it.
  private func limits(
    of line: SlidingLine, _ noise: NoiseLevel
  ) -> (fall: Double, uncertainty: Double, margin: Double, count: Int, span: Double)? {
    guard let slope = line.slope, let deviation = noise.deviation else { return nil }
    let uncertainty = max(slope.uncertainty, deviation / slope.spread.squareRoot())
    return (-slope.value, uncertainty, noise.coverage * uncertainty, slope.count, slope.span)
  }

  /// How fast it lets the pressure fall; `nil` before three samples have shown more of a fall than of noise.
  mutating func fall(_ noise: NoiseLevel) -> Fall? {
    guard let mass = limits(of: mass, noise), let pressure = limits(of: pressure, noise),
      mass.margin < mass.fall
    else { return nil }
    certain = max(certain, mass.fall - mass.margin)
    let most = max(mass.fall + mass.margin, certain)
    // The pressure falls no faster than was measured and a warming cabin hides, no faster than air that takes up no heat
    // lets it, and no faster than the cooling since the declaration allows.
    let warming = Self.warming.rate / kelvin
    let bound = max(
      most, min(pressure.fall + pressure.margin + warming, most * cooling(noise)))
    // How much faster than the mass the pressure falls: by the air that cools while it leaves, or for other reasons. The faster
    // the leak is than what a cabin's temperature does by itself, the more likely is the first; both remain possible.
    let excess = min(max(pressure.fall - mass.fall, 0), mass.fall * (Self.gamma - 1))
    let likely = mass.fall * mass.fall / (mass.fall * mass.fall + warming * warming)
    let doubt = excess * (likely * (1 - likely)).squareRoot()
    return Fall(
      expected: min(mass.fall + likely * excess, bound),
      uncertainty: (mass.uncertainty * mass.uncertainty + doubt * doubt).squareRoot(), bound: bound,
      count: mass.count, span: mass.span)
  }

  /// How many times as fast as the mass the pressure falls at most, after the temperature since the declaration.
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

  /// The times in seconds that are left at a moment until the pressure has fallen to a limit.
  ///
  /// At least as long as what is left when the last sample was too high by its scatter, the fall is as fast as it may be, and
  /// the cabin cools for other reasons: for as long as that takes, and by as much as it may.
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

  /// What there is to show of it at a moment.
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
