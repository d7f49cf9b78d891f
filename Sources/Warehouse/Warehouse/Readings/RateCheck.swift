public import Quantities

/// Flags values that changed faster than the air of a store can.
///
/// A value is compared with the last good one of its tag and characteristic, and with the last that was flagged: a single outlier is
/// flagged, and a store which really changed is believed at the second reading there, so that its limits count. As time passes more
/// change is allowed.
public struct RateCheck: Sendable {
  private struct Source: Hashable {
    let tag: String
    let characteristic: String
  }

  private let fastest: PerQuantity<Double>
  private typealias Heard = (time: Int64, values: AirReading)

  private var last: [Source: Heard] = [:]
  /// The last reading of each source, where it was flagged as too fast.
  private var doubted: [Source: Heard] = [:]

  /// Creates a check.
  ///
  /// - Parameter fastest: by how much a quantity may change in a minute, in °C, % and Pa.
  public init(fastest: PerQuantity<Double>) { self.fastest = fastest }

  /// The wall clock was stepped: the readings that are compared with move with it.
  mutating func step(by step: Int64) {
    last = last.mapValues { (Moment.stepped($0.time, by: step), $0.values) }
    doubted = doubted.mapValues { (Moment.stepped($0.time, by: step), $0.values) }
  }

  /// Flags a reading where it is too fast; one that is flagged already is not compared.
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
    // At least a second: two values of one moment still may differ by noise.
    let minutes = max(Double(reading.time - before.time) / 60e9, 1.0 / 60)
    return Quantity.allCases.contains { quantity in
      guard let old = before.values[quantity], let new = reading.values[quantity] else {
        return false
      }
      return !(abs(new - old) <= fastest[quantity] * minutes)
    }
  }
}
