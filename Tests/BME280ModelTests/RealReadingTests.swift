import BME280
import BME280Model
import Environment
import TestSupport
import Testing

/// Tests that virtual parts reproduce measurements of real parts.
struct RealReadingTests {
  /// A measurement of a real part, and the result of Bosch's code.
  struct Reading: CustomTestStringConvertible {
    let part: String
    let chip: Chip
    let image: String
    let raw: RawMeasurement
    let hasHumidity: Bool
    let fine: Int32
    /// In 0.01 C, 1/256 Pa and 1/1024 %RH.
    let temperature, pressure, humidity: Double

    init?(_ line: Substring) {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count == 10, let temperature = Int32(fields[3]),
        let pressure = Int32(fields[4]), let fine = Int32(fields[6]),
        let celsius = Double(fields[7]), let pascals = Double(fields[8])
      else { return nil }
      part = String(fields[0])
      chip = fields[1] == "bmp280" ? .bmp280 : .bme280
      image = String(fields[2])
      raw = RawMeasurement(
        temperature: temperature, pressure: pressure,
        humidity: Int32(fields[5]) ?? RawMeasurement.skipped16)
      hasHumidity = !fields[5].isEmpty
      self.fine = fine
      (self.temperature, self.pressure, humidity) = (celsius, pascals, Double(fields[9]) ?? 0)
    }

    var testDescription: String { "\(part) at \(raw.temperature), \(raw.pressure)" }
  }

  static let readings: [Reading] = {
    let text = (try? Fixtures.text("fixtures/dumps/readings.csv")) ?? ""
    return text.split(separator: "\n").dropFirst().compactMap(Reading.init)
  }()

  @Test(
    "a virtual part with a real part's calibration and air measures the real part's values",
    arguments: readings)
  func reading(_ reading: Reading) throws {
    let air = Air(
      pressure: reading.pressure / 256, temperature: Double(reading.fine) / 5120,
      humidity: reading.humidity / 1024)
    let probe = try Probe(chip: reading.chip, nvm: reading.image, air)
    let image = bytes(reading.image)
    #expect(try probe.read(0x88, count: min(image.count, 26)) == Array(image.prefix(26)))
    if reading.chip == .bme280 {
      #expect(try probe.read(0xE1, count: 7) == Array(image.suffix(7)))
    }
    // With the filter on, or at x16, the part resolves 20 bits.
    try probe.write(0xF2, 0x05)
    try probe.write(0xF5, 0x10)
    try probe.write(0xF4, 0xB5)
    probe.wait(milliseconds: 120)
    let raw = try probe.raw()
    // Codes between which the formula does not distinguish are equivalent.
    #expect(abs(raw.temperature - reading.raw.temperature) < 16)
    #expect(abs(raw.pressure - reading.raw.pressure) <= 1)
    if reading.hasHumidity { #expect(abs(raw.humidity - reading.raw.humidity) <= 1) }
    let calibration = probe.sensor.calibration
    for raw in [raw, reading.raw] {
      let result = calibration.compensate(raw, variant: .datasheetInt64)
      #expect(result.fineTemperature == reading.fine)
      #expect(result.temperature == reading.temperature)
      #expect(result.pressure == reading.pressure)
      if reading.hasHumidity { #expect(result.humidity == reading.humidity) }
    }
  }

  @Test("the fixtures contain 28 readings of 19 real parts with published calibrations")
  func count() {
    #expect(Self.readings.count == 28)
    #expect(Set(Self.readings.map(\.part)).count == 19)
  }
}
