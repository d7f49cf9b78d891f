import BME280Model
import Diagnosis
import Support
import Testing

/// Tests of the values that users enter.
struct ObservationTests {
  @Test(
    "a printed value represents all values that are rounded to its digits",
    arguments: [
      ("1789hPa", 178_850.0, 178_950.0), ("1789.0 hPa", 178_895, 178_905),
      ("100653Pa", 100_652.5, 100_653.5), ("1300..1800hPa", 130_000, 180_000),
      ("101.3kPa", 101_250, 101_350),
    ])
  func pressure(_ text: String, _ low: Double, _ high: Double) throws {
    let band = try #require(Observation.Band.pressure(text))
    #expect(abs(band.low - low) < 0.01 && abs(band.high - high) < 0.01)
  }

  @Test("temperatures are parsed in C and F, and humidity in %")
  func others() throws {
    let celsius = try #require(Observation.Band.temperature("26.21C"))
    #expect(abs(celsius.low - 26.205) < 1e-6 && abs(celsius.high - 26.215) < 1e-6)
    let fahrenheit = try #require(Observation.Band.temperature("32F"))
    #expect(fahrenheit.contains(0) && !fahrenheit.contains(0.3))
    #expect(Observation.Band.humidity("40.2%RH")?.contains(40.24) == true)
  }

  @Test(
    "invalid pressure values are rejected",
    arguments: ["1789", "hPa", "nanhPa", "+3hPa", "x..yhPa", ""])
  func refused(_ text: String) { #expect(Observation.Band.pressure(text) == nil) }

  @Test("each table row gives one observation, with no value for an empty cell or nan")
  func table() throws {
    let rows = try ObservationTable.read(
      "t,pressure_hpa,note,humidity_rh\r\n0,1789,a,40\n3600,,b,nan\n")
    #expect(rows.count == 2)
    #expect(rows[0].pressure?.contains(178_900) == true)
    #expect(rows[1].absent == [.pressure, .humidity])
    #expect(rows[1].time == 3600)
  }

  @Test(
    "an error in a table is reported with its line number",
    arguments: [
      ("", 1), ("a,b\n1,2", 1), ("pressure_hpa\n", 2), ("pressure_hpa\n1,2", 2),
      ("t,pressure_hpa\n0,1000\n-1,1000", 3), ("pressure_hpa\n1000\nhigh", 3),
    ])
  func wrongTable(_ text: String, _ line: Int) {
    let error = #expect(throws: CSV.FormatError.self) { try ObservationTable.read(text) }
    #expect(error?.line == line)
  }
}
