import Glibc

/// The forecast of one model run for one point, with its fields at the run's time steps,
/// interpolated in space.
package struct Column: Sendable {
  /// The quantities of a column.
  package enum Quantity: Int, CaseIterable, Sendable {
    /// The temperature in °C.
    case temperature
    /// The relative humidity in %.
    case humidity
    /// The cloud cover in %.
    case cloud
    /// The wind speed in m/s.
    case windSpeed
    /// The direction from which the wind comes, in degrees from north.
    case windDirection
    /// The speed of gusts in m/s.
    case windGust
    /// The pressure at sea level in hPa.
    case seaLevelPressure
    /// The pressure at the surface in hPa.
    case surfacePressure
  }

  /// The times of the steps, in seconds since 1970.
  package let times: [Int]
  /// The mean length of the grid cell's sides in km.
  package let size: Double
  /// The start of the run, in seconds since 1970.
  package let reference: Int
  /// The elevation of the model's surface in m; `nil` if the file does not contain it.
  package let elevation: Double?
  /// `true` if the weather is synthetic.
  package let isSynthetic: Bool

  /// The longest time between two steps that is interpolated, in seconds.
  static let longestStep = 6 * 3600

  /// The values by quantity: empty if the file does not contain the quantity, NaN for missing
  /// values.
  var values: [[Float]]
  /// The accumulated rain; empty if the file contains none.
  var rain: RainAccount

  /// Returns a quantity at all steps: empty if the file does not contain the quantity, NaN for
  /// missing values.
  package func series(_ quantity: Quantity) -> [Double] {
    values[quantity.rawValue].map { Double($0) }
  }

  /// `true` if the file contains rain.
  package var hasRain: Bool { !rain.times.isEmpty }

  /// Returns a quantity at a time, interpolated linearly; directions are interpolated along the
  /// shorter arc.
  ///
  /// - Returns: The value; `nil` before and after the run, and if a value is missing.
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

  /// Returns the rain between two times in mm; `nil` unless the run covers both.
  package func rain(from start: Int, to end: Int) -> Double? {
    guard let first = Self.position(of: start, in: rain.times),
      let last = Self.position(of: end, in: rain.times)
    else { return nil }
    func fallen(_ position: (index: Int, share: Double)) -> (sum: Double, gap: Int32)? {
      let before = rain.fallen[position.index]
      if position.share == 0 { return (before, rain.gaps[position.index]) }
      guard rain.gaps[position.index] == rain.gaps[position.index + 1] else { return nil }
      let change = rain.fallen[position.index + 1] - before
      return (before + position.share * change, rain.gaps[position.index])
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
    // The steps of most runs are equidistant, so the index can be computed directly.
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

  /// The approximate memory use in bytes.
  var weight: Int {
    200 + times.count * 8 + rain.times.count * 20 + values.reduce(0) { $0 + $1.count * 4 }
  }
}
