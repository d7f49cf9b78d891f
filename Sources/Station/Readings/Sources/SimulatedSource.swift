/// A station in simulated air, with a past of two days and a quarter.
package struct SimulatedSource: ReadingSource {
  /// How long the past is that it begins with, in seconds: today, yesterday, which is scored from its first hour on, and
  /// what was known when the forecasts of that hour were made.
  package static let past = 2 * 86400 + max(StationState.memory, Score.lead + 3600)

  package let kind = "simulated"
  package var patience: Int { 3 * interval }

  private let interval: Int
  private let start: Int?
  private let now: @Sendable () -> Int
  private let air: @Sendable (Int) -> AirNow

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - interval: from one reading to the next, in seconds.
  ///   - last: when it was read last, in seconds since 1970; `nil` for never.
  ///   - now: the time, in seconds since 1970.
  ///   - air: the air at a moment.
  package init(
    interval: Int = 10, last: Int?, now: @escaping @Sendable () -> Int,
    air: @escaping @Sendable (Int) -> AirNow
  ) {
    (self.interval, start, self.now, self.air) = (interval, last, now, air)
  }

  package func run(_ take: @Sendable ([Reading]) async throws -> Void) async throws {
    try await take(try past())
    while !Task.isCancelled {
      let moment = now()
      if let reading = try read([moment]).first { try await take([reading]) }
      try await Task.sleep(for: .seconds(interval - moment % interval))
    }
  }

  /// What it would have read while nobody ran it: each five minutes, in the last six hours each minute.
  func past() throws -> [Reading] {
    let end = now()
    let begin = max(end - Self.past, (start ?? 0) + 1)
    var moments: [Int] = []
    var moment = begin + 299 - (begin + 299) % 300
    while moment < end {
      moments.append(moment)
      moment += moment < end - 6 * 3600 ? 300 : 60
    }
    return try read(moments)
  }

  private func read(_ moments: [Int]) throws -> [Reading] {
    let sensor = try SimulatedSensor()
    return try moments.map { try sensor.read(air($0), at: $0) }
  }
}
