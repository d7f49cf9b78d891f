public import Quantities

/// Flags values that changed faster than the air of a warehouse can change.
///
/// A value is flagged if it changed too fast since the last valid value and also since the last
/// flagged value, if any, of the same tag and characteristic. A single outlier is therefore
/// flagged, whereas a real change is accepted at its second reading, from which on limits apply to
/// it. The allowed change grows with the time between the readings.
public struct RateCheck: Sendable {
  private struct Source: Hashable {
    let tag: String
    let characteristic: String
  }

  private let fastest: PerQuantity<Double>
  private typealias Heard = (time: Int64, values: AirReading)

  private var last: [Source: Heard] = [:]
  /// The last reading of each tag and characteristic that was flagged as a too fast change; removed
  /// when a reading is accepted.
  private var doubted: [Source: Heard] = [:]

  /// Creates a rate check.
  ///
  /// - Parameter fastest: The maximum change of each quantity per minute, in °C, % and Pa.
  public init(fastest: PerQuantity<Double>) { self.fastest = fastest }

  /// Shifts the times of the reference readings by a step of the wall clock.
  mutating func step(by step: Int64) {
    last = last.mapValues { (Moment.stepped($0.time, by: step), $0.values) }
    doubted = doubted.mapValues { (Moment.stepped($0.time, by: step), $0.values) }
  }

  /// Flags a reading whose values changed too fast.
  ///
  /// A reading that already has a flag is not checked.
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
    // Uses at least one second, because even two simultaneous values may differ by noise.
    let minutes = max(Double(reading.time - before.time) / 60e9, 1.0 / 60)
    return Quantity.allCases.contains { quantity in
      guard let old = before.values[quantity], let new = reading.values[quantity] else {
        return false
      }
      return !(abs(new - old) <= fastest[quantity] * minutes)
    }
  }
}
