import Quantities
import Testing

/// Units, their conversions, and the units of each quantity.
struct QuantityTests {
  @Test(
    "each pressure unit has its defined size in Pa",
    arguments: [
      (.pascal, 1), (.hectopascal, 100), (.kilopascal, 1000), (.millibar, 100),
      (.millimetreOfMercury, 133.322_387_415), (.inchOfMercury, 3386.388_640_341),
      (.atmosphere, 101_325),
    ] as [(PressureUnit, Double)])
  func pressure(_ unit: PressureUnit, _ pascals: Double) {
    #expect(abs(unit.pascals - pascals) < 1e-9 * pascals)
  }

  @Test("temperatures are converted with the offset of their unit, differences without it")
  func temperature() {
    let (fahrenheit, kelvin) = (TemperatureUnit.fahrenheit.unit, TemperatureUnit.kelvin.unit)
    #expect(fahrenheit.kept(32) == 0 && fahrenheit.kept(212) == 100)
    #expect(abs(kelvin.kept(273.15)) < 1e-9)
    #expect(TemperatureUnit.celsius.unit.kept(-40) == -40)
    #expect(fahrenheit.ofDifferences.kept(1.8) == 1 && kelvin.ofDifferences.kept(2) == 2)
  }

  @Test(
    "converting a number to the stored unit and back gives the same number",
    arguments: Quantity.allCases)
  func bothWays(_ quantity: Quantity) {
    for unit in quantity.units {
      for number in [-40.0, 0, 0.5, 29.92, 1013.25] {
        #expect(abs(unit.number(unit.kept(number)) - number) < 1e-9, "\(unit.symbol)")
      }
    }
  }

  @Test(
    "reports use C, hPa and %, and a pressure in hPa is exactly the value in Pa divided by 100")
  func shown() {
    #expect(Quantity.allCases.map { "\($0.shownUnit.symbol)" } == ["C", "hPa", "%"])
    for pascals in stride(from: 30_000.0, through: 110_000, by: 17.3) {
      #expect(Quantity.pressure.shown(pascals) == pascals / 100)
    }
    #expect(Quantity.temperature.shown(21.3) == 21.3 && Quantity.humidity.shown(45) == 45)
  }

  @Test("a subscript with a quantity reads and sets the value for that quantity")
  func perQuantity() {
    var names = PerQuantity(temperature: "t", pressure: "p", humidity: "h")
    #expect(Quantity.allCases.map { names[$0] } == ["t", "p", "h"])
    names[.humidity] = "damp"
    #expect(names == PerQuantity(temperature: "t", pressure: "p", humidity: "damp"))
    #expect(
      PerQuantity<Int?>(pressure: 3) == PerQuantity(temperature: nil, pressure: 3, humidity: nil))
  }
}
