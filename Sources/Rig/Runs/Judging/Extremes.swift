import Parts
import Quantities
import Rigs
import Text

/// The lowest and the highest of some values, and when which sensor gave them.
struct Extremes {
  /// One of them.
  struct Extreme {
    let value: Double
    let place: Rig.SensorID
    let time: UInt64
  }

  private(set) var lowest: Extreme?, highest: Extreme?
  private var count = 0
  private var places: Set<Rig.SensorID> = []

  /// Takes a value.
  mutating func take(_ value: Double, of place: Rig.SensorID, at time: UInt64) {
    count += 1
    places.insert(place)
    let extreme = Extreme(value: value, place: place, time: time)
    // A value that is no number is below and above every limit.
    if lowest.map({ !(value >= $0.value) }) ?? true { lowest = extreme }
    if highest.map({ !(value <= $0.value) }) ?? true { highest = extreme }
  }

  /// The value that is farthest beyond a limit; `nil` if none is.
  func worst(_ limits: Expectation.Limits) -> Extreme? {
    let low = limits.lowest.flatMap { limit in lowest.flatMap { $0.value >= limit ? nil : $0 } }
    let high = limits.highest.flatMap { limit in highest.flatMap { $0.value <= limit ? nil : $0 } }
    guard let low, let high, let floor = limits.lowest, let ceiling = limits.highest else {
      return low ?? high
    }
    return floor - low.value >= high.value - ceiling ? low : high
  }

  /// Whether all values lie within limits, and what was seen.
  func verdict(on limits: Expectation.Limits) -> (Bool, String) {
    let kind = limits.selection.concernsMeans ? "averages" : "readings"
    guard let lowest, let highest else { return (false, "no \(kind) to judge") }
    let unit = limits.channel.units.first { "\($0.symbol)" == limits.unit }
    func text(_ value: Double) -> String { Decimal.fixed(unit?.number(value) ?? value, 2) }
    let seen =
      "\(text(lowest.value)) to \(text(highest.value)) \(limits.unit), \(count) \(kind)"
    guard let worst = worst(limits) else { return (true, seen) }
    let place = places.count > 1 ? " of \(worst.place.words)" : ""
    return (
      false,
      "\(text(worst.value)) \(limits.unit)\(place) at \(Decimal.elapsed(worst.time)); \(seen)"
    )
  }
}
