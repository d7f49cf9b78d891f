public import Quantities

/// Flags values that changed faster than the air of a store can change.
///
/// A value is compared with the last valid and the last flagged value of the same tag and characteristic. A single
/// outlier
/// is flagged, whereas a real change is accepted at its second reading, so that limits apply to it. The allowed change
/// grows with the time between readings.
public struct RateCheck: Sendable {
  private struct Source: Hashable {
    let tag: String
    let characteristic: String
  }

  private let fastest: PerQuantity<Double>
  private typealias Heard = (time: Int64, values: AirReading)

  private var last: [Source: Heard] = [:]
  /// The last reading of each source that was flagged as too fast.
  private var doubted: [Source: Heard] = [:]

  /// Creates a check.
  ///
  /// - Parameter fastest: The maximum change of a quantity per minute, in °C, % and Pa.
  public init(fastest: PerQuantity<Double>) { self.fastest = fastest }

  /// Shifts the times of the reference readings by a step of the wall clock.
  mutating func step(by step: Int64) {
    last = last.mapValues { (Moment.stepped($0.time, by: step), $0.values) }
    doubted = doubted.mapValues { (Moment.stepped($0.time, by: step), $0.values) }
  }

  /// Flags a reading that changed too fast.
  ///
  /// Readings that already have a flag are not checked.
  public mutating func check(_ reading: inout TagReading) {
    guard reading.isGood, Moment.all.contains(reading.time) else { return }
    let source = Source(tag: reading.tag, characteristic: reading.characteristic)
    let isJump = last[source].map { isTooFast(reading, since: $0) } ?? false
    guard isJump, doubted[source].map({ isTooFast(reading, since: $0) }) ?? true else {
      last[source] = (reading.time, reading.values)
      doubted[source] = nil
      return
    }
    reading.quality.insert(.rate)
    doubted[source] = (reading.time, reading.values)
  }

  private func isTooFast(_ reading: TagReading, since before: Heard) -> Bool {
    guard reading.time >= before.time else { return false }
    // At least a second, because noise alone may change two simultaneous values.
    let minutes = max(Double(reading.time - before.time) / 60e9, 1.0 / 60)
    return Quantity.allCases.contains { quantity in
      guard let old = before.values[quantity], let new = reading.values[quantity] else {
        return false
      }
      return !(abs(new - old) <= fastest[quantity] * minutes)
    }
  }
}
