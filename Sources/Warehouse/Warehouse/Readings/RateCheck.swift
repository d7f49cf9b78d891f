public import Quantities

/// Flags values that changed faster than the air of a store can.
///
/// A value is compared with the last good one of its tag and characteristic; as time passes more change is allowed, so that a
/// store which really changed is believed again.
public struct RateCheck: Sendable {
  private struct Source: Hashable {
    let tag: String
    let characteristic: String
  }

  private let fastest: PerQuantity<Double>
  private var last: [Source: (time: Int64, values: AirReading)] = [:]

  /// Creates a check.
  ///
  /// - Parameter fastest: by how much a quantity may change in a minute, in °C, % and Pa.
  public init(fastest: PerQuantity<Double>) { self.fastest = fastest }

  /// The wall clock was stepped: the readings that are compared with move with it.
  mutating func step(by step: Int64) {
    last = last.mapValues { (Moment.stepped($0.time, by: step), $0.values) }
  }

  /// Flags a reading where it is too fast; one that is flagged already is not compared.
  public mutating func check(_ reading: inout TagReading) {
    guard reading.isGood, Moment.all.contains(reading.time) else { return }
    let source = Source(tag: reading.tag, characteristic: reading.characteristic)
    if let before = last[source], reading.time >= before.time {
      // At least a second: two values of one moment still may differ by noise.
      let minutes = max(Double(reading.time - before.time) / 60e9, 1.0 / 60)
      for quantity in Quantity.allCases {
        guard let old = before.values[quantity], let new = reading.values[quantity] else {
          continue
        }
        if !(abs(new - old) <= fastest[quantity] * minutes) { reading.quality.insert(.rate) }
      }
    }
    if reading.isGood { last[source] = (reading.time, reading.values) }
  }
}
