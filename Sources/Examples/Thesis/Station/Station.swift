import BME280
import Barometry
import I2C

/// The weather station of the thesis: five samples ten seconds apart every half hour, two hours of history, a forecast.
///
/// It has no battery-backed clock. Time is counted in measurement cycles: the first cycle after a reset is half an hour
/// after the last one stored.
final class Station {
  private static var samples: Int { 5 }
  private static var sampleTicks: Int64 { 10 * TickClock.frequency }
  private static var cycleTicks: Int64 { 1800 * TickClock.frequency }
  private static var cycle: Int64 { 30 * TimeSpan.minute }

  private let clock = TickClock()
  private let writer = LineWriter(UARTE())
  private let driver: BME280Driver
  private let forecaster = ThesisForecaster()
  private var history = PressureHistory()
  private var store = PressureStore()
  private var isStarted = false
  /// The number of the current measurement cycle, counted from 1.
  private var number: Int64 = 1

  /// The sums of the temperatures in 0.01 °C and of the pressures in Pa over a measurement cycle.
  private struct Sums {
    var count = 0
    var temperature = 0
    var pressure = 0
  }

  /// Creates a station; the bus is not accessed yet.
  init() {
    let wire = TWIM()
    driver = BME280Driver(adapter: wire, clock: clock)
    #if TORN_READS
      torn = TornReads(wire: wire, clock: clock)
    #endif
  }

  #if TORN_READS
    private let torn: TornReads
  #endif

  /// Triggers a measurement and reads its raw values.
  private func measure() throws(BME280DriverError) -> RawMeasurement {
    #if TORN_READS
      try torn.readRaw()
    #else
      try driver.measureRaw()
    #endif
  }

  /// Measures in an endless loop.
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

  /// Starts the sensor unless it is running.
  private func prepare() {
    guard !isStarted else { return }
    do throws(BME280DriverError) {
      try driver.start(MeasurementSettings(humidity: .skipped))
      #if TORN_READS
        try driver.startNormalMode()
      #endif
      isStarted = true
    } catch {
      report(error)
    }
  }

  private func report(_ error: BME280DriverError) {
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
      report(error)
    }
  }

  /// Averages the samples of a cycle, stores the average if at least half of the samples are valid, and makes a
  /// forecast.
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

  /// Returns a quotient, rounded half away from 0.
  private static func quotient(_ dividend: Int, _ divisor: Int) -> Int {
    (dividend + (dividend < 0 ? -divisor : divisor) / 2) / divisor
  }
}

#if TORN_READS
  /// An injected defect: the sensor runs in normal mode and its data are read byte by byte with pauses, so that a new
  /// measurement may arrive between two bytes of a value.
  struct TornReads {
    /// The bus, which is accessed directly instead of through the driver.
    let wire: TWIM
    let clock: TickClock

    /// Reads the pressure and temperature registers, six bytes from 0xF7.
    func readRaw() throws(BME280DriverError) -> RawMeasurement {
      var bytes = InlineArray<6, Int32>(repeating: 0)
      for index in 0..<6 {
        do throws(I2CError) {
          bytes[index] = Int32(try wire.readRegister(0xF7 + UInt8(index), at: 0x76))
        } catch {
          throw BME280DriverError(.read, .bus(error))
        }
        clock.wait(nanoseconds: 4_000_000)
      }
      return RawMeasurement(
        temperature: bytes[3] << 12 | bytes[4] << 4 | bytes[5] >> 4,
        pressure: bytes[0] << 12 | bytes[1] << 4 | bytes[2] >> 4)
    }
  }
#endif

/// The defect of the original thesis program, injected if the image is built with `LOW_BYTE_DEFECT`.
enum Defect {
  /// Returns the calibration that the program uses.
  ///
  /// With the defect, the low bytes of signed words are sign-extended: from 0x80 they overwrite the high byte.
  static func planted(in calibration: Calibration) -> Calibration {
    #if LOW_BYTE_DEFECT
      var wrong = calibration
      func low(_ word: Int16) -> Int16 { word & 0x80 != 0 ? word | ~0x7F : word }
      wrong.p2 = low(wrong.p2)
      wrong.p3 = low(wrong.p3)
      wrong.p4 = low(wrong.p4)
      wrong.p5 = low(wrong.p5)
      wrong.p6 = low(wrong.p6)
      wrong.p7 = low(wrong.p7)
      wrong.p8 = low(wrong.p8)
      wrong.p9 = low(wrong.p9)
      return wrong
    #else
      return calibration
    #endif
  }
}

/// The entry point of the firmware.
@main
enum Thesis {
  static func main() {
    Sleep.prepare()
    Station().run()
  }
}
