import Barometry
import Testing

/// The forecasters other than the thesis's, the dew point and the pressure tendency.
struct ForecastersTests {
  @Test("the AN3914 forecaster detects a steady fall at minute 35 and every 30 minutes after it")
  func note() {
    var forecaster = AN3914Forecaster()
    var marks: [Int] = []
    for minute in 1...400 {
      let hours = Double(minute) / 60
      if forecaster.take(100_000 - 100 * hours) { marks.append(minute) }
      if minute < 35 { #expect(forecaster.forecast == nil) }
    }
    // The counter returns to 5 after minute 185, so the next marks follow every half hour.
    #expect(marks == [35, 65, 95, 125, 155, 185, 215, 245, 275, 305, 335, 365, 395])
    let forecast = forecaster.forecast
    #expect(forecast?.trend == .rainy)
    #expect(abs((forecast?.rate ?? 0) + 1) < 1e-9)
  }

  @Test(
    "at minute 215 the AN3914 rate is the change since minute 125, divided by 1.5 h"
  )
  func secondRound() {
    var forecaster = AN3914Forecaster()
    // Steady until minute 125, then a step of 3 hPa at minute 215, an hour and a half later.
    for minute in 1...215 { forecaster.take(minute <= 125 ? 100_000 : 100_300) }
    #expect(abs((forecaster.forecast?.rate ?? 0) - 2) < 1e-9)
    forecaster.restart()
    #expect(forecaster.forecast == nil)
  }

  @Test(
    "extreme pressures, rates and winds still give a Zambretti forecast and a tendency",
    arguments: ExtremeNumbers.all)
  func extremes(_ number: Double) {
    for other in ExtremeNumbers.all {
      let forecast = Zambretti().forecast(seaLevel: number, rate: other, wind: other, month: 1)
      #expect(("A"..."Z").contains(forecast.letter))
      #expect((0...8).contains(PressureTendency(first: number, middle: other, last: 101_325).code))
    }
    let turned = Zambretti().forecast(seaLevel: 101_300, rate: 0, wind: 180 + 360e6, month: 1)
    #expect(turned.letter == "N", "a full turn more is the same wind")
  }

  @Test(
    "the Zambretti letter for a pressure, rate, wind and month equals the one computed by hand",
    arguments: [
      // Pressure in hPa, rate in hPa/h, wind, month; the lines were evaluated by hand.
      (1030.0, 0.0, nil, 1, "A"), (1013.0, 0.0, nil, 1, "E"), (1000.0, 0.0, nil, 1, "N"),
      (1000.0, -1.0, nil, 1, "U"), (1000.0, -1.0, nil, 7, "U"), (1020.0, -1.0, nil, 1, "H"),
      (1000.0, 1.0, nil, 1, "G"), (1000.0, 1.0, nil, 7, "G"), (985.0, 1.0, nil, 1, "L"),
      (1013.0, 0.0, 180.0, 1, "N"), (1013.0, 0.0, 0.0, 1, "B"), (900.0, -1.0, nil, 1, "Z"),
      (1080.0, 1.0, nil, 1, "A"),
    ] as [(Double, Double, Double?, Int, String)])
  func zambretti(
    _ hectopascals: Double, _ rate: Double, _ wind: Double?, _ month: Int, _ letter: String
  ) {
    let forecast = Zambretti().forecast(
      seaLevel: hectopascals * 100, rate: rate, wind: wind, month: month)
    #expect("\(forecast.letter)" == letter)
  }

  @Test("in the southern hemisphere the Zambretti forecast reverses wind direction and season")
  func south() {
    let (north, south) = (Zambretti(), Zambretti(hemisphere: .south))
    for wind in stride(from: 0.0, to: 360, by: 22.5) {
      #expect(
        north.forecast(seaLevel: 100_900, rate: -0.5, wind: wind, month: 1)
          == south.forecast(seaLevel: 100_900, rate: -0.5, wind: wind + 180, month: 7))
    }
    #expect(Set(ZambrettiForecast.allCases.map { "\($0.text)" }).count == 26)
  }

  @Test(
    "the pressure tendency has the characteristic code of WMO table 0200",
    arguments: [
      (0, 0, 4), (10, -5, 0), (10, -10, 0), (10, 2, 1), (10, 0, 1), (10, 10, 2), (0, 10, 3),
      (-5, 10, 3), (3, 10, 3), (-10, 5, 5), (-10, 10, 5), (-10, -2, 6), (-10, 0, 6), (-10, -10, 7),
      (0, -10, 8), (5, -10, 8), (-3, -10, 8),
    ])
  func tendency(_ early: Int, _ late: Int, _ code: UInt8) {
    let middle = 100_000 + Double(early) * 10
    let found = PressureTendency(first: 100_000, middle: middle, last: middle + Double(late) * 10)
    #expect(found.code == code)
    #expect(abs(found.change - Double(early + late) * 10) < 1e-6)
  }

  @Test("the pressure tendency requires three hours of history without long gaps")
  func history() throws {
    var history = PressureHistory(retention: 4 * TimeSpan.hour)
    for half in 0...6 {
      #expect(PressureTendency(history, withoutGapsOver: TimeSpan.hour) == nil)
      try history.append(
        PressurePoint(
          time: Int64(half) * 30 * TimeSpan.minute, pascals: 101_000 - Double(half) * 50))
    }
    let found = try #require(PressureTendency(history, withoutGapsOver: TimeSpan.hour))
    #expect(found.code == 7 && abs(found.change + 300) < 1e-9)
    #expect(history.pressure(at: 45 * TimeSpan.minute, withoutGapsOver: TimeSpan.hour) == 100_925)
    #expect(history.pressure(at: 45 * TimeSpan.minute, withoutGapsOver: TimeSpan.minute) == nil)
    #expect(history.pressure(at: -1, withoutGapsOver: TimeSpan.hour) == nil)
  }

  @Test(
    "the dew point equals that of the WMO guide (WMO-No. 8)",
    arguments: [
      (20.0, 50.0, 9.26), (25.0, 60.0, 16.69), (-10.0, 80.0, -12.79), (30.0, 100.0, 30.0),
    ])
  func dewPoint(_ celsius: Double, _ humidity: Double, _ expected: Double) throws {
    let found = try #require(DewPoint.celsius(at: celsius, relativeHumidity: humidity))
    #expect(abs(found - expected) < 0.02)
    #expect(DewPoint.celsius(at: celsius, relativeHumidity: 0) == nil)
  }

  @Test("saturated air at 20 C contains 17.3 g/m3 of water")
  func absoluteHumidity() {
    #expect(abs(DewPoint.absoluteHumidity(at: 20, relativeHumidity: 100) - 17.3) < 0.1)
    #expect(abs(DewPoint.saturationPressure(at: 20) - 2339) < 12)
  }
}

/// Numbers outside the range of real air.
enum ExtremeNumbers {
  static let all: [Double] = [
    .nan, .infinity, -.infinity, 1e300, -1e300, 9.3e18, -9.3e18, .greatestFiniteMagnitude, 0, -1,
    101_325,
  ]

}
