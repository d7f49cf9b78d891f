import BME280Driver
import BME280Station
import Glibc
import I2C
import LinuxI2C
import Synchronization

/// A source of the station's readings.
package protocol ReadingSource: Sendable {
  /// `simulated`, `replayed` or `real`.
  var kind: String { get }
  /// The age in seconds at which the last reading becomes stale.
  var staleAfter: Int { get }
  /// Whether a restart delivers the same past again, which replaces the stored one.
  var replaces: Bool { get }
  /// Whether all readings have been delivered.
  var hasEnded: Bool { get }

  /// Delivers readings until the task is cancelled or the source ends.
  ///
  /// - Parameter take: Receives the readings; those of the past at once.
  /// - Throws: The error of `take`, or an error if the source fails permanently.
  func run(_ take: @Sendable ([Reading]) async throws -> Void) async throws
}

extension ReadingSource {
  package var replaces: Bool { false }
  package var hasEnded: Bool { false }
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
  ///   - now: Returns the current time in seconds since 1970.
  ///   - report: Receives log lines about failed readings.
  package init(
    path: String, interval: Int = 10, now: @escaping @Sendable () -> Int,
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.path, self.interval, self.now, self.report) = (path, interval, now, report)
  }

  /// Checks whether the bus can be opened and a sensor responds.
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
        // A sensor that was lost is configured again, because it may have lost its supply.
        let measurement = try sensor().measure()
        reading = Reading(
          time: now(), celsius: measurement.celsius, humidity: measurement.relativeHumidity,
          pascals: measurement.pascals)
        if isLost { report("\(path): the sensor responds again") }
        isLost = false
      } catch {
        reading = nil
        // Reports the first of consecutive failures.
        if !isLost { report("\(path): \(error); retrying every \(interval) s") }
        isLost = true
      }
      if let reading { try await take([reading]) }
      try await Task.sleep(for: .seconds(interval))
    }
  }
}

/// The pace of readings that arrive at intervals of their own, and whether the last one has arrived.
final class Pace: Sendable {
  private struct State {
    var last: Int?
    var gap = 0
    var hasEnded = false
  }

  private let state = Mutex(State())

  /// The seconds between the last two readings; 0 before there are two.
  var gap: Int { state.withLock { $0.gap } }

  /// Whether the readings have ended.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Records a reading, in seconds of the boot clock.
  func note(_ time: Int) {
    state.withLock { state in
      if let last = state.last { state.gap = time - last }
      state.last = time
    }
  }

  /// Records the end of readings; from then on only the interval determines staleness.
  func end() { state.withLock { $0 = State(hasEnded: true) } }
}

/// The boot clock, which cannot be set: it determines the age of readings independently of the wall clock.
package enum BootClock {
  /// The seconds since boot, including suspended time.
  @Sendable package static func seconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return time.tv_sec
  }
}
