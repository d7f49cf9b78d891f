import Glibc

/// What a run foretells for one place: its fields at its steps, already interpolated in space.
package struct Column: Sendable {
  /// The quantities that a column is asked for.
  package enum Quantity: Int, CaseIterable, Sendable {
    /// °C.
    case temperature
    /// %.
    case humidity
    /// %.
    case cloud
    /// m/s.
    case windSpeed
    /// Degrees from north, from where it comes.
    case windDirection
    /// hPa at sea level.
    case seaLevelPressure
    /// hPa at the ground.
    case surfacePressure
  }

  /// The moments, in seconds since 1970.
  package let times: [Int]
  /// How long the sides of the grid's cell are, in km.
  package let size: Double
  /// When the run began.
  package let reference: Int
  /// The height of the model's ground in m.
  package let elevation: Double?
  /// Whether the weather is invented.
  package let isSynthetic: Bool

  /// The longest step over which is interpolated, in seconds.
  static let longestStep = 6 * 3600

  /// By quantity; an empty one is not in the file, NaN is missing.
  var values: [[Float]]
  /// The rain that has fallen up to moments; empty if the file has none.
  var rain: RainAccount

  /// A quantity at all steps; NaN where it is missing, nothing where the file does not have it.
  package func series(_ quantity: Quantity) -> [Double] {
    values[quantity.rawValue].map { Double($0) }
  }

  /// Whether the file has rain.
  package var hasRain: Bool { !rain.times.isEmpty }

  /// A quantity at a moment: straight between two steps, directions along the shorter arc.
  ///
  /// - Returns: `nil` before and after the run, and where a value is missing.
  package func value(_ quantity: Quantity, at moment: Int) -> Double? {
    let series = values[quantity.rawValue]
    guard !series.isEmpty, let (index, share) = Self.position(of: moment, in: times)
    else { return nil }
    let first = Double(series[index])
    if share == 0 { return first.isNaN ? nil : first }
    var change = Double(series[index + 1]) - first
    guard change.isFinite else { return nil }
    if quantity == .windDirection {
      if change > 180 { change -= 360 }
      if change < -180 { change += 360 }
      let angle = fmod(first + share * change + 360, 360)
      return angle
    }
    return first + share * change
  }

  /// The rain between two moments in mm; `nil` unless the run holds both.
  package func rain(from start: Int, to end: Int) -> Double? {
    guard let first = Self.position(of: start, in: rain.times),
      let last = Self.position(of: end, in: rain.times)
    else { return nil }
    func fallen(_ place: (index: Int, share: Double)) -> (sum: Double, gap: Int32)? {
      let before = rain.fallen[place.index]
      if place.share == 0 { return (before, rain.gaps[place.index]) }
      guard rain.gaps[place.index] == rain.gaps[place.index + 1] else { return nil }
      let change = rain.fallen[place.index + 1] - before
      return (before + place.share * change, rain.gaps[place.index])
    }
    guard let before = fallen(first), let after = fallen(last), before.gap == after.gap else {
      return nil
    }
    return max(0, after.sum - before.sum)
  }

  private static func position(of moment: Int, in times: [Int]) -> (index: Int, share: Double)? {
    guard let first = times.first, let last = times.last, moment >= first, moment <= last else {
      return nil
    }
    var (low, high) = (0, times.count - 1)
    // Most runs have even steps.
    if high > 0 {
      let guess = (moment - first) / max(1, times[1] - first)
      if guess < high, times[guess] <= moment, times[guess + 1] > moment {
        (low, high) = (guess, guess + 1)
      }
    }
    while high - low > 1 {
      let middle = (low + high) / 2
      if times[middle] <= moment { low = middle } else { high = middle }
    }
    if moment == times[low] { return (low, 0) }
    if moment == times[high] { return (high, 0) }
    let step = times[high] - times[low]
    guard step <= longestStep else { return nil }
    return (low, Double(moment - times[low]) / Double(step))
  }

  /// About how much memory it takes, in bytes.
  var weight: Int {
    200 + times.count * 8 + rain.times.count * 20 + values.reduce(0) { $0 + $1.count * 4 }
  }
}
