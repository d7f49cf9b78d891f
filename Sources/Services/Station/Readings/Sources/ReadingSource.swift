import BME280
import Glibc
import I2C
import LinuxI2C
import Synchronization

/// A source of the station's readings.
package protocol ReadingSource: Sendable {
  /// The kind of source: `simulated`, `replayed`, `real` or `none`.
  var kind: String { get }
  /// The age in seconds at which the last reading becomes stale.
  var staleAfter: Int { get }
  /// `true` if the source delivers the same past readings again after a restart of the station;
  /// they then replace the stored ones.
  var replaces: Bool { get }
  /// `true` if all readings have been delivered.
  var hasEnded: Bool { get }

  /// Delivers readings until the task is cancelled or the source ends.
  ///
  /// - Parameter take: The function that receives the readings; past readings are passed together.
  /// - Throws: The error of `take`, or an error if the source fails permanently.
  func run(_ take: @Sendable ([Reading]) async throws -> Void) async throws
}

extension ReadingSource {
  package var replaces: Bool { false }
  package var hasEnded: Bool { false }
}

/// No sensor: forecasts are served as the model has them.
package struct NoSource: ReadingSource {
  package let kind = "none"
  package let staleAfter = 3600

  package init() {}

  package func run(_ take: @Sendable ([Reading]) async throws -> Void) async throws {}
}

/// A BME280 or BMP280 on a physical bus.
package struct RealSource: ReadingSource {
  package let kind = "real"
  package var staleAfter: Int { 3 * interval }

  private let path: String
  private let interval: Int
  private let now: @Sendable () -> Int
  private let report: @Sendable (String) -> Void

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - path: The device node, such as `/dev/i2c-1`.
  ///   - interval: The interval between readings in seconds.
  ///   - now: The function that returns the current time in seconds since 1970.
  ///   - report: The function that receives log lines about failed readings.
  package init(
    path: String, interval: Int = 10, now: @escaping @Sendable () -> Int,
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.path, self.interval, self.now, self.report) = (path, interval, now, report)
  }

  /// Checks that the bus can be opened and that a sensor responds.
  package func check() throws { _ = try sensor() }

  private func sensor() throws -> BME280Driver {
    let adapter = try LinuxI2CAdapter(path: path)
    var first: (any Error)?
    for address in Station.addresses {
      let driver = BME280Driver(adapter: adapter, clock: MonotonicClock(), address: address)
      do {
        try driver.start()
        return driver
      } catch {
        first = first ?? error
      }
    }
    throw first ?? BME280DriverError(.identify, .notStarted)
  }

  package func run(_ take: @Sendable ([Reading]) async throws -> Void) async throws {
    var isLost = false
    while !Task.isCancelled {
      let reading: Reading?
      do {
        // A sensor that was lost is configured again, because its supply may have been interrupted.
        let measurement = try sensor().measure()
        reading = Reading(
          time: now(), celsius: measurement.celsius, humidity: measurement.relativeHumidity,
          pascals: measurement.pascals)
        if isLost { report("\(path): the sensor responds again") }
        isLost = false
      } catch {
        reading = nil
        // Only the first of consecutive failures is reported.
        if !isLost { report("\(path): \(error); retrying every \(interval) s") }
        isLost = true
      }
      if let reading { try await take([reading]) }
      try await Task.sleep(for: .seconds(interval))
    }
  }
}

/// The interval between readings whose timing the station does not set, and whether the last
/// reading has arrived.
final class Pace: Sendable {
  private struct State {
    var last: Int?
    var gap = 0
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// The seconds between the last two readings; 0 before the second reading.
  var gap: Int { state.withLock { $0.gap } }

  /// `true` once the readings have ended.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Records the arrival of a reading, at a time in seconds on the boot clock.
  func note(_ time: Int) {
    state.withLock { state in
      if let last = state.last { state.gap = time - last }
      state.last = time
    }
  }

  /// Records that the readings have ended; from then on, only the interval determines when the last
  /// reading is stale.
  func end() { state.withLock { $0 = State(hasEnded: true) } }
}
