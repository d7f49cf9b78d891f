/// How much a series of samples scatters, whatever slope it has.
///
/// It is taken from second differences, which a steady fall does not enter: a straight line has none, and those of white
/// noise have six times its variance. What was learnt before a leak serves while the leak is young.
struct NoiseLevel: Sendable {
  private var first: (time: Double, value: Double)?, second: (time: Double, value: Double)?
  private var sum = 0.0
  /// How many differences stand behind it; no more than the last 256 count.
  private(set) var count = 0.0

  /// Below which the deviation is not taken to be.
  private let floor: Double

  init(floor: Double = 0) { self.floor = floor }

  /// Takes a value at a time in seconds.
  mutating func take(_ value: Double, at time: Double) {
    defer { (first, second) = (second, (time, value)) }
    guard let first, let second else { return }
    let (before, after) = (second.time - first.time, time - second.time)
    guard after < 1.3 * before, before < 1.3 * after else { return }
    let difference = value - 2 * second.value + first.value
    if count >= 256 { sum -= sum / 256 } else { count += 1 }
    sum += difference * difference
  }

  /// Forgets the last values, not how much they scattered: what comes next is of another level.
  mutating func interrupt() { (first, second) = (nil, nil) }

  /// The standard deviation; `nil` before eight differences are known.
  var deviation: Double? { count >= 8 ? max((sum / count / 6).squareRoot(), floor) : nil }

  /// How many standard uncertainties are a bound: four, and more while the scatter itself is hardly known.
  var coverage: Double { 4 * (1 + 6 / max(count, 1)) }
}
