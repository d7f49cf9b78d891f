import Barometry
import Testing

/// Units and their sizes.
struct QuantityTests {
  @Test(
    "pressure units in Pa",
    arguments: [
      (.pascal, 1), (.hectopascal, 100), (.kilopascal, 1000), (.millibar, 100),
      (.millimetreOfMercury, 133.322_387_415), (.inchOfMercury, 3386.388_640_341),
      (.atmosphere, 101_325),
    ] as [(PressureUnit, Double)])
  func pressure(_ unit: PressureUnit, _ pascals: Double) {
    #expect(abs(unit.pascals - pascals) < 1e-9 * pascals)
  }

  @Test("temperatures and their differences")
  func temperature() {
    #expect(TemperatureUnit.fahrenheit.celsius(32) == 0)
    #expect(TemperatureUnit.fahrenheit.celsius(212) == 100)
    #expect(abs(TemperatureUnit.kelvin.celsius(273.15)) < 1e-9)
    #expect(TemperatureUnit.celsius.celsius(-40) == -40)
    #expect(TemperatureUnit.fahrenheit.celsiusDifference(1.8) == 1)
    #expect(TemperatureUnit.kelvin.celsiusDifference(2) == 2)
  }

  @Test("spans of time")
  func spans() {
    #expect(TimeSpan.hour == 3_600_000_000_000)
    #expect(TimeSpan.hours(90 * TimeSpan.minute) == 1.5)
  }
}
