import Barometry
import Testing

/// Pressure and altitude compared with the tables of ISO 2533.
struct StandardAtmosphereTests {
  @Test(
    "the pressure at an altitude equals the table of ISO 2533",
    arguments: [
      (0.0, 101_325.0), (500, 95_460.8), (1000, 89_874.6), (5000, 54_019.9), (11_000, 22_632.1),
    ])
  func table(_ metres: Double, _ pascals: Double) {
    #expect(abs(StandardAtmosphere.pressure(atAltitude: metres) - pascals) < 0.5)
    #expect(abs(StandardAtmosphere.altitude(ofPressure: pascals) - metres) < 0.1)
  }

  @Test("near sea level a height of 11 m corresponds to a pressure difference of 1.3 hPa")
  func staircase() {
    let difference =
      StandardAtmosphere.pressure(atAltitude: 0) - StandardAtmosphere.pressure(atAltitude: 11)
    #expect(abs(difference - 132) < 1)
  }

  @Test(
    "in the standard atmosphere a station's pressure reduced to sea level is 1013.25 hPa",
    arguments: [0.0, 100, 440, 1000])
  func reduction(_ metres: Double) {
    let celsius = 15 - 0.0065 * metres
    let reduced = StandardAtmosphere.seaLevelPressure(
      of: StandardAtmosphere.pressure(atAltitude: metres), atAltitude: metres, celsius: celsius)
    #expect(abs(reduced - 101_325) < 5)
  }
}
