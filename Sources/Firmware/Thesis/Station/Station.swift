import BME280
import BME280Driver
import Barometry

/// The station of the thesis: five samples ten seconds apart every half hour, two hours of history, a forecast.
///
/// No clock of it goes on without supply. Its time is that of its cycles: the first after a reset counts as the one
/// that was due, half an hour after the last that is kept.
final class Station {
  private static var samples: Int { 5 }
  private static var sampleTicks: Int64 { 10 * TickClock.frequency }
  private static var cycleTicks: Int64 { 1800 * TickClock.frequency }
  private static var cycle: Int64 { 30 * TimeSpan.minute }

  private let clock = TickClock()
  private let writer = LineWriter(SerialLine())
  private let driver: BME280Driver
  private let forecaster = ThesisForecaster()
  private var history = PressureHistory()
  private var store = PressureStore()
  private var isStarted = false
  /// The number of the cycle, from 1.
  private var number: Int64 = 1

  /// The sums of a cycle: 0.01 °C, Pa.
  private struct Sums {
    var count = 0
    var temperature = 0
    var pressure = 0
  }

  /// Creates a station that has not touched its bus yet.
  init() {
    let wire = TwoWire()
    driver = BME280Driver(adapter: wire, clock: clock)
    #if TORN_READS
      torn = TornReads(wire: wire, clock: clock)
    #endif
  }

  #if TORN_READS
    private let torn: TornReads
  #endif

  /// What the sensor gives: a measurement that is asked for, and read at once.
  private func measure() throws(BME280DriverError) -> RawMeasurement {
    #if TORN_READS
      try torn.readRaw()
    #else
      try driver.measureRaw()
    #endif
  }

  /// Measures for ever.
  func run() -> Never {
    store.restore(&history)
    if let last = history.points.last { number = last.time / Self.cycle + 1 }
    writer.text("station of the thesis, ")
    writer.number(history.points.count)
    writer.text(" points kept")
    writer.end()
    prepare()
    var start = clock.ticks
    while true {
      var sums = Sums()
      for sample in 0..<Self.samples {
        clock.wait(until: start + Int64(sample) * Self.sampleTicks)
        take(&sums)
      }
      conclude(sums)
      number += 1
      start += Self.cycleTicks
    }
  }

  /// Starts the sensor, if it is not.
  private func prepare() {
    guard !isStarted else { return }
    do throws(BME280DriverError) {
      try driver.start(MeasurementSettings(humidity: .skipped))
      #if TORN_READS
        try driver.startNormalMode()
      #endif
      isStarted = true
    } catch {
      tell(error)
    }
  }

  private func tell(_ error: BME280DriverError) {
    isStarted = false
    writer.text("error: the sensor's ")
    writer.step(error.step)
    writer.end()
  }

  private func take(_ sums: inout Sums) {
    prepare()
    guard isStarted, let calibration = driver.calibration else { return }
    do throws(BME280DriverError) {
      let raw = try measure()
      let right = Defect.planted(in: calibration)
      let fine = IntegerCompensation<Shifting>.fineTemperature(raw.temperature, right)
      let temperature = Int(IntegerCompensation<Shifting>.temperature(fine: fine))
      let pressure = Int(
        IntegerCompensation<Shifting>.pressure32(raw.pressure, fine: fine, right) ?? 0)
      sums.count += 1
      sums.temperature += temperature
      sums.pressure += pressure
      writer.text("temperature ")
      writer.number(temperature, digits: 2)
      writer.text(" C, pressure ")
      writer.number(pressure, digits: 2)
      writer.text(" hPa")
      writer.end()
    } catch {
      tell(error)
    }
  }

  /// Averages a cycle, keeps the average where at least half of the samples came, and forecasts.
  private func conclude(_ sums: Sums) {
    let time = number * Self.cycle
    history.dropExpired(at: time)
    writer.text("cycle ")
    writer.number(Int(number))
    writer.text(", samples ")
    writer.number(sums.count)
    if 2 * sums.count >= Self.samples {
      writer.text(", mean temperature ")
      writer.number(Self.quotient(sums.temperature * 10, sums.count), digits: 3)
      writer.text(" C, mean pressure ")
      writer.number(Self.quotient(sums.pressure * 10, sums.count), digits: 3)
      writer.text(" hPa")
      let point = PressurePoint(
        time: time, pascals: Double(sums.pressure) / Double(sums.count))
      try? history.append(point)
      store.append(point)
    }
    forecast(at: time + Int64(Self.samples - 1) * 10 * TimeSpan.second)
    writer.end()
  }

  private func forecast(at time: Int64) {
    writer.text(", forecast ")
    do throws(ThesisForecaster.ForecastError) {
      let forecast = try forecaster.forecast(from: history, at: time)
      writer.text(forecast.trend.name)
      writer.text(", rate ")
      let thousandths = forecast.rate * 1000
      writer.number(Int(thousandths + (thousandths < 0 ? -0.5 : 0.5)), digits: 3)
      writer.text(" hPa/h")
    } catch {
      writer.text("none")
    }
  }

  /// A quotient, rounded half away from 0.
  private static func quotient(_ dividend: Int, _ divisor: Int) -> Int {
    (dividend + (dividend < 0 ? -divisor : divisor) / 2) / divisor
  }
}
