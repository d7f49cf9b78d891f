public import Barometry
public import I2C

#if !hasFeature(Embedded)
  import Glibc
#endif

/// An autonomous weather station without parameters, as specified by the thesis on which
/// `ThesisForecaster` is based.
///
///     let station = try Station.start(on: adapter)
///     station.run { print($0) }
///
/// The station finds its sensor. Every half hour it averages five readings, ten seconds apart,
/// stores the average in a history of two hours, and forecasts from the slope of that history. If
/// the sensor is lost, the station searches for it at each reading; forecasts resume as soon as the
/// history is long enough.
public final class Station {
  /// An event of a station; times are in nanoseconds of the station's clock.
  public enum Event: Sendable {
    /// A successful reading, with the time at which it ended.
    case reading(Measurement, at: UInt64)
    /// A failed reading, with its error and the time of the failure.
    case failure(BME280DriverError, at: UInt64)
    /// The average pressure of a cycle in Pa, and the number of readings that it combines.
    case average(pascals: Double, samples: Int, at: UInt64)
    /// A forecast computed from the history.
    case forecast(ThesisForecaster.Forecast, at: UInt64)
    /// The reason why no forecast could be computed from the history.
    case noForecast(ThesisForecaster.ForecastError, at: UInt64)
  }

  /// The number of readings per cycle.
  public static var samples: Int { 5 }
  /// The interval between readings, in nanoseconds.
  public static var sampleInterval: UInt64 { UInt64(10 * TimeSpan.second) }
  /// The interval between the starts of cycles, in nanoseconds.
  public static var cycle: UInt64 { UInt64(30 * TimeSpan.minute) }

  /// The addresses at which the station searches for the sensor.
  public static var addresses: [I2CAddress] { [0x76, 0x77] }

  /// The average pressures of the last two hours.
  public private(set) var history: PressureHistory
  /// The forecast of the last cycle, or `nil` if that cycle yielded none or no cycle has finished
  /// yet.
  public private(set) var forecast: ThesisForecaster.Forecast?
  /// The address at which the sensor was last found.
  public private(set) var address: I2CAddress
  /// The type of the sensor that was last found: BME280 or BMP280.
  public var chip: Chip? { driver.chip }

  private let adapter: any I2CAdapter
  private let clock: any I2CClock
  private var driver: BME280Driver
  private let forecaster = ThesisForecaster()
  private var hasSensor = true
  /// The index of the next reading of the cycle; the average is due after the last one.
  private var sample = 0
  private var start: UInt64
  /// The start of the regular cycle that a requested cycle precedes; `nil` during regular cycles.
  private var postponed: UInt64?
  private var pressures: [Double] = []
  /// The events that `next()` has not returned yet, in reverse order.
  private var waiting: [Event] = []

  private init(
    _ driver: BME280Driver, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    _ history: PressureHistory
  ) {
    (self.driver, self.adapter, self.clock, self.history) = (driver, adapter, clock, history)
    (address, start) = (driver.address, clock.nanoseconds)
  }

  /// Finds the sensor on a bus and configures it.
  ///
  /// - Parameters:
  ///   - adapter: the bus.
  ///   - clock: the clock.
  ///   - history: the history of an earlier run, with times of the same clock. Default: empty.
  /// - Returns: a station, which measures when `run(_:)` or `next()` is called.
  /// - Throws: the `BME280DriverError` of the first address if no sensor is found.
  public static func start(
    on adapter: any I2CAdapter, clock: any I2CClock, history: PressureHistory = PressureHistory()
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

  /// Runs until the closure returns `false`.
  ///
  /// - Parameter take: receives each event; returns `false` to stop.
  public func run(_ take: (Event) -> Bool) {
    while take(next()) {}
  }

  /// Waits for the next event and returns it.
  public func next() -> Event {
    while waiting.isEmpty { advance() }
    return waiting.removeLast()
  }

  /// Waits for the next event for a limited time.
  ///
  /// - Parameter limit: the longest wait in nanoseconds; a reading that has begun is completed.
  /// - Returns: the event; `nil` if none occurred in that time.
  public func next(within limit: UInt64) -> Event? {
    if waiting.isEmpty, let due {
      let now = clock.nanoseconds
      guard due <= now + limit else {
        clock.wait(nanoseconds: limit)
        return nil
      }
    }
    return next()
  }

  /// Requests a forecast now, as a user may do between two cycles.
  ///
  /// If no cycle is running, the next call of `next()` takes the first reading of a cycle at once;
  /// the regular cycles keep their schedule. A request during a cycle, or so shortly before one that
  /// another cycle would not end in time, is answered by that cycle.
  public func requestForecast() {
    let now = clock.nanoseconds
    guard sample == 0, postponed == nil, now + UInt64(Self.samples) * Self.sampleInterval <= start
    else { return }
    (postponed, start) = (start, now)
  }

  /// The time of the next reading; `nil` after the last one of a cycle.
  private var due: UInt64? {
    sample < Self.samples ? start + UInt64(sample) * Self.sampleInterval : nil
  }

  private func advance() {
    guard let due else { return conclude() }
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

  /// Ends a cycle: stores the average if at least half of the readings succeeded, and computes a
  /// forecast.
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
    if let postponed {
      (start, self.postponed) = (postponed, nil)
      return
    }
    // If a slow bus has made a cycle too long, the next cycle starts at the next due time.
    repeat { start += Self.cycle } while start + Self.cycle <= now
  }
}

// A microcontroller has a clock of its own.
#if !hasFeature(Embedded)
  extension Station {
    /// Finds the sensor on a bus and configures it, with the monotonic clock of the machine.
    ///
    /// - Parameters:
    ///   - adapter: the bus.
    ///   - history: the history of an earlier run, with times of the same clock. Default: empty.
    /// - Returns: a station, which measures when `run(_:)` or `next()` is called.
    /// - Throws: the `BME280DriverError` of the first address if no sensor is found.
    public static func start(
      on adapter: any I2CAdapter, history: PressureHistory = PressureHistory()
    ) throws(BME280DriverError) -> Station {
      try start(on: adapter, clock: MonotonicClock(), history: history)
    }
  }

  /// The monotonic clock of the machine, in nanoseconds since boot.
  public final class MonotonicClock: I2CClock {
    /// Creates a clock.
    public init() {}

    /// The time of CLOCK_MONOTONIC in nanoseconds.
    public var nanoseconds: UInt64 {
      var moment = timespec()
      clock_gettime(CLOCK_MONOTONIC, &moment)
      return UInt64(moment.tv_sec) * 1_000_000_000 + UInt64(moment.tv_nsec)
    }

    /// Sleeps for the full duration, even if signals interrupt the sleep.
    public func wait(nanoseconds: UInt64) {
      let end = self.nanoseconds + nanoseconds
      var moment = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
      while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
    }
  }
#endif
