public import BME280
public import BME280Driver
public import Barometry
public import I2C

/// A weather station that works by itself and without parameters: it finds its sensor, reads it, averages, keeps two
/// hours and forecasts, as the thesis wants it.
///
///     let station = try Station.start(on: adapter)
///     station.run { print($0) }
///
/// Each half hour five readings ten seconds apart are averaged, and the forecast is made from the slope of what is kept.
/// A sensor that is lost is looked for again at each reading; a forecast comes again when the history carries one.
public final class Station {
  /// What happens; times in nanoseconds of the station's clock.
  public enum Event: Sendable {
    /// A reading, and when it was there.
    case reading(Measurement, at: UInt64)
    /// A reading that failed.
    case failure(BME280DriverError, at: UInt64)
    /// The average of a cycle in Pa, of so many readings.
    case average(pascals: Double, samples: Int, at: UInt64)
    /// A forecast from what is kept.
    case forecast(ThesisForecaster.Forecast, at: UInt64)
    /// Why there is no forecast.
    case noForecast(ThesisForecaster.ForecastError, at: UInt64)
  }

  /// The readings of a cycle, from one to the next, and from one cycle to the next, in nanoseconds.
  public static var samples: Int { 5 }
  /// From one reading to the next, in nanoseconds.
  public static var sampleInterval: UInt64 { UInt64(10 * TimeSpan.second) }
  /// From the start of a cycle to the start of the next, in nanoseconds.
  public static var cycle: UInt64 { UInt64(30 * TimeSpan.minute) }

  /// Where the sensor may be.
  public static var addresses: [I2CAddress] { [0x76, 0x77] }

  /// The averages of the last two hours.
  public private(set) var history: PressureHistory
  /// The last forecast; `nil` as long as there is none.
  public private(set) var forecast: ThesisForecaster.Forecast?
  /// Where the sensor was found last.
  public private(set) var address: I2CAddress
  /// Which chip it is.
  public var chip: Chip? { driver.chip }

  private let adapter: any I2CAdapter
  private let clock: any I2CClock
  private var driver: BME280Driver
  private let forecaster = ThesisForecaster()
  private var hasSensor = true
  /// The number of the next reading of the cycle; all of them have been made when the average is due.
  private var sample = 0
  private var start: UInt64
  private var pressures: [Double] = []
  /// What has happened and nobody has asked for yet, the last first.
  private var waiting: [Event] = []

  private init(
    _ driver: BME280Driver, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    _ history: PressureHistory
  ) {
    (self.driver, self.adapter, self.clock, self.history) = (driver, adapter, clock, history)
    (address, start) = (driver.address, clock.nanoseconds)
  }

  /// Finds the sensor of a bus, and sets it up.
  ///
  /// - Parameters:
  ///   - adapter: the bus.
  ///   - clock: the time; that of the machine unless given.
  ///   - history: what is kept from before, its times on the same clock; nothing unless given.
  /// - Returns: a station that ``run(_:)`` or ``next()`` drives.
  /// - Throws: `BME280DriverError` of the first address where no sensor is found.
  public static func start(
    on adapter: any I2CAdapter, clock: any I2CClock = MonotonicClock(),
    history: PressureHistory = PressureHistory()
  ) throws(BME280DriverError) -> Station {
    Station(try sensor(on: adapter, clock), adapter, clock, history)
  }

  private static func sensor(
    on adapter: any I2CAdapter, _ clock: any I2CClock
  ) throws(BME280DriverError) -> BME280Driver {
    var first: BME280DriverError?
    for address in addresses {
      let driver = BME280Driver(adapter: adapter, clock: clock, address: address)
      do throws(BME280DriverError) {
        try driver.start()
        return driver
      } catch {
        first = first ?? error
      }
    }
    throw first ?? BME280DriverError(.identify, .notStarted)
  }

  /// Goes on until somebody has enough.
  ///
  /// - Parameter take: takes each event; `false` ends it.
  public func run(_ take: (Event) -> Bool) {
    while take(next()) {}
  }

  /// Waits for what happens next.
  public func next() -> Event {
    while waiting.isEmpty { advance() }
    return waiting.removeLast()
  }

  private func advance() {
    guard sample < Self.samples else { return conclude() }
    let due = start + UInt64(sample) * Self.sampleInterval
    let now = clock.nanoseconds
    if due > now { clock.wait(nanoseconds: due - now) }
    sample += 1
    do throws(BME280DriverError) {
      if !hasSensor {
        driver = try Self.sensor(on: adapter, clock)
        (hasSensor, address) = (true, driver.address)
      }
      let measurement = try driver.measure()
      if let pascals = measurement.pascals { pressures.append(pascals) }
      waiting = [.reading(measurement, at: clock.nanoseconds)]
    } catch {
      hasSensor = false
      waiting = [.failure(error, at: clock.nanoseconds)]
    }
  }

  /// Averages a cycle of which half of the readings came, keeps it and forecasts.
  private func conclude() {
    let now = clock.nanoseconds
    let began = start
    var events: [Event] = []
    history.dropExpired(at: Int64(clamping: began))
    if 2 * pressures.count >= Self.samples {
      let mean = pressures.reduce(0, +) / Double(pressures.count)
      let point = PressurePoint(time: Int64(clamping: began), pascals: mean)
      if (try? history.append(point)) != nil {
        events.append(.average(pascals: mean, samples: pressures.count, at: now))
      }
    }
    do throws(ThesisForecaster.ForecastError) {
      let made = try forecaster.forecast(from: history, at: Int64(clamping: now))
      forecast = made
      events.append(.forecast(made, at: now))
    } catch {
      forecast = nil
      events.append(.noForecast(error, at: now))
    }
    waiting = events.reversed()
    (sample, pressures) = (0, [])
    // A cycle that a slow bus has made too long is followed by the next that is still to come.
    repeat { start += Self.cycle } while start + Self.cycle <= now
  }
}
