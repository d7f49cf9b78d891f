import BME280
import BME280Model
import Barometry
import Environment
import I2C
import Testing
import VirtualI2C

/// Tests of the autonomous station.
struct StationTests {
  static let calibration = Calibration(
    t1: 28009, t2: 25654, t3: 50, p1: 39145, p2: -10750, p3: 3024, p4: 5667, p5: -120, p6: -7,
    p7: 15500, p8: -14600, p9: 6000, h1: 75, h2: 370, h3: 0, h4: 320, h5: 50, h6: 30)

  /// Returns air with a pressure that falls by some Pa per hour.
  static func air(falling rate: Double) -> ScriptedAir {
    func line(_ value: Double, _ slope: Double) -> Profile {
      Profile(
        [
          Profile.Point(time: 0, value: value),
          Profile.Point(time: 100 * TimeSpan.hour, value: value + 100 * slope),
        ], interpolation: .linear)
    }
    return ScriptedAir(
      pressure: line(101_000, -rate), temperature: line(21, 0), humidity: line(45, 0))
  }

  static func bench(
    falling rate: Double = 100, at address: I2CAddress = 0x76, chip: Chip = .bme280
  ) throws -> (adapter: VirtualAdapter, clock: VirtualClock, sensor: VirtualBME280) {
    let clock = VirtualClock()
    let sensor = VirtualBME280(
      chip: chip, nvm: calibration.bytes, address: address, air: air(falling: rate))
    let adapter = VirtualAdapter(clock: clock, frequency: 100_000)
    try adapter.attach(sensor)
    return (adapter, clock, sensor)
  }

  @Test("a requested cycle starts at once, once, and the regular cycles keep their times")
  func requested() throws {
    let (adapter, clock, _) = try Self.bench()
    let station = try Station.start(on: adapter, clock: clock)
    let start = clock.nanoseconds
    var starts: [Int64] = []
    func cycle() {
      station.run { event in
        if case .noForecast = event { return false }
        if case .forecast = event { return false }
        return true
      }
      starts.append(((station.history.points.last?.time ?? 0) - Int64(start)) / 1_000_000_000)
    }
    cycle()
    clock.wait(nanoseconds: 60_000_000_000)
    #expect(station.next(within: 1_000_000_000) == nil, "no reading is due")
    for _ in 0..<3 { station.requestForecast() }
    cycle()
    cycle()
    station.requestForecast()
    #expect(station.next(within: 1_000_000_000) != nil)
    station.requestForecast()
    cycle()
    cycle()
    #expect(starts[0] == 0 && (100...102).contains(starts[1]) && starts[2] == 1800, "\(starts)")
    #expect((1840...1842).contains(starts[3]) && starts[4] == 3600, "\(starts)")
  }

  @Test(
    "the station finds a BME280 or a BMP280 at 0x76 or 0x77, and produces a forecast",
    arguments: [I2CAddress(0x76), 0x77], [Chip.bme280, .bmp280])
  func alone(_ address: I2CAddress, _ chip: Chip) throws {
    let (adapter, clock, _) = try Self.bench(at: address, chip: chip)
    let station = try Station.start(on: adapter, clock: clock)
    #expect(station.address == address && station.chip == chip)
    var (readings, averages): (Int, [Double]) = (0, [])
    station.run { event in
      switch event {
      case .reading: readings += 1
      case .average(let pascals, let samples, _):
        averages.append(pascals)
        #expect(samples == 5)
      default: break
      }
      return station.forecast == nil
    }
    #expect(readings == 10 && averages.count == 2)
    let forecast = try #require(station.forecast)
    #expect(forecast.trend == .rainy)
    #expect(abs(forecast.rate + 1) < 0.1)
    #expect(station.history.points.count == 2)
  }

  @Test("without a sensor the station throws the driver's error")
  func missingDevice() {
    let clock = VirtualClock()
    let adapter = VirtualAdapter(clock: clock, frequency: 100_000)
    #expect(throws: (any Error).self) { try Station.start(on: adapter, clock: clock) }
  }

  @Test("if the sensor loses power, failures are reported; when power returns, forecasts continue")
  func lost() throws {
    let (adapter, clock, sensor) = try Self.bench()
    let station = try Station.start(on: adapter, clock: clock)
    var (failures, cycles) = (0, 0)
    station.run { event in
      switch event {
      case .failure: failures += 1
      case .forecast, .noForecast: cycles += 1
      default: break
      }
      if cycles == 2 { sensor.setSupply(false, at: clock.nanoseconds) }
      if cycles == 4 { sensor.setSupply(true, at: clock.nanoseconds) }
      return cycles < 8
    }
    #expect(failures >= 10)
    #expect(station.forecast?.trend == .rainy)
    // Two hours are stored, including the oldest from before.
    #expect((2...5).contains(station.history.points.count))
  }

  @Test("after 48 hours of operation only the last two hours of history are stored")
  func days() throws {
    let (adapter, clock, _) = try Self.bench(falling: 10)
    let station = try Station.start(on: adapter, clock: clock)
    var forecasts = 0
    station.run { event in
      if case .forecast = event { forecasts += 1 }
      return clock.nanoseconds < UInt64(48 * TimeSpan.hour)
    }
    #expect(forecasts >= 94)
    #expect(station.history.points.count <= 5)
    #expect(station.forecast?.trend == .stable)
  }
}
