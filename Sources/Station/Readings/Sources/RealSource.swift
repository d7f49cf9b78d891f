import BME280Driver
import BME280Station
import I2C
import LinuxI2C

/// A BME280 or BMP280 on a real bus.
package struct RealSource: ReadingSource {
  package let kind = "real"
  package var patience: Int { 3 * interval }

  private let path: String
  private let interval: Int
  private let now: @Sendable () -> Int
  private let report: @Sendable (String) -> Void

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - path: the node, such as `/dev/i2c-1`.
  ///   - interval: from one reading to the next, in seconds.
  ///   - now: the time, in seconds since 1970.
  ///   - report: is told of readings that fail.
  package init(
    path: String, interval: Int = 10, now: @escaping @Sendable () -> Int,
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.path, self.interval, self.now, self.report) = (path, interval, now, report)
  }

  /// Whether the bus can be opened and a sensor answers.
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
        // A sensor that was lost is set up again, as one that lost its power must be.
        let measurement = try sensor().measure()
        reading = Reading(
          time: now(), celsius: measurement.celsius, humidity: measurement.relativeHumidity,
          pascals: measurement.pascals)
        if isLost { report("\(path): the sensor answers again") }
        isLost = false
      } catch {
        reading = nil
        // Of failures one after the other the first is told.
        if !isLost { report("\(path): \(error); tried again each \(interval) s") }
        isLost = true
      }
      if let reading { try await take([reading]) }
      try await Task.sleep(for: .seconds(interval))
    }
  }
}
