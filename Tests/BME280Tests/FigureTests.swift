import BME280
import Testing

/// The figures of the datasheet.
struct FigureTests {
  @Test(
    "measurement times equal the typical and maximum times of datasheet 9.1",
    arguments: [
      (.x1, .x1, .x1, 8_000_000, 9_300_000), (.x16, .x16, .x16, 98_000_000, 112_800_000),
      (.x1, .x4, .skipped, 11_500_000, 13_325_000), (.x1, .skipped, .skipped, 3_000_000, 3_550_000),
    ] as [(Oversampling, Oversampling, Oversampling, UInt64, UInt64)])
  func times(
    _ temperature: Oversampling, _ pressure: Oversampling, _ humidity: Oversampling,
    _ typical: UInt64, _ maximum: UInt64
  ) {
    #expect(
      MeasurementTime.typical(temperature: temperature, pressure: pressure, humidity: humidity)
        == typical)
    #expect(
      MeasurementTime.maximum(temperature: temperature, pressure: pressure, humidity: humidity)
        == maximum)
  }

  @Test("pressure noise equals the values of datasheet 3.6")
  func pressureNoise() {
    #expect(
      Filter.allCases.map { Noise.pressure(.x1, filter: $0) } == [3.3, 1.9, 1.2, 0.9, 0.4])
    #expect(
      Oversampling.allCases.map { Noise.pressure($0, filter: .off) }
        == [0, 3.3, 2.6, 2.1, 1.6, 1.3])
    #expect(Noise.pressure(.x16, filter: .c16) == 0.2)
    #expect(Noise.pressureFactor(celsius: 25) == 1)
    #expect(abs(Noise.pressureFactor(celsius: -10) - 1.25) < 1e-12)
    #expect(abs(Noise.pressureFactor(celsius: 75) - 0.95) < 1e-12)
  }

  @Test("temperature and humidity noise equal the values of datasheet 3.6")
  func otherNoise() {
    #expect(
      Oversampling.allCases.map { Noise.temperature($0) } == [0, 0.005, 0.004, 0.003, 0.003, 0.002])
    #expect(Oversampling.allCases.map { Noise.humidity($0) } == [0, 0.07, 0.05, 0.04, 0.03, 0.02])
  }
}
