import PartFiles
import Testing
import VirtualI2C

/// The formulas of calibrated parts, judged by examples that were published elsewhere.
struct CalibrationFormTests {
  static let ms5611 = MS5611Form(MS5611Form.constants.map(\.example))
  static let dps310 = DPS310Form(DPS310Form.constants.map(\.example))

  @Test("the example of the MS5611's data sheet gives 20.07 C and 1000.09 hPa")
  func example() {
    let values = Self.ms5611.values(
      temperature: 8_569_150, factor: 1, pressure: 9_085_466, factor: 1)
    #expect(values.celsius == 20.07 && values.pascals == 100_009)
  }

  @Test("the checksum of the PROM is that of the application note's example")
  func checksum() {
    let words = [0x3132, 0x3334, 0x3536, 0x3738, 0x3940, 0x4142, 0x4344, 0x4500]
    #expect(MS5611Form.checksum(words) == 0x0B)
    #expect(Self.ms5611.bytes.count == 16 && Array(Self.ms5611.bytes[2..<4]) == [0x9C, 0xBF])
  }

  @Test(
    "the example of the DPS310 has the bytes of QEMU's model, and gives 24.738 C and 92946.3 Pa")
  func coefficients() {
    #expect(
      Self.dps310.bytes == [
        0x0E, 0x1E, 0xDD, 0x13, 0xCA, 0x5F, 0x21, 0x52, 0xF9, 0xC6, 0x04, 0xD1, 0xDB, 0x47, 0x00,
        0x5B, 0xFB, 0x3A,
      ])
    let values = Self.dps310.values(
      temperature: 158_118, factor: 524_288, pressure: -118_802, factor: 524_288)
    #expect(abs(values.celsius - 24.738) < 0.001 && abs(values.pascals - 92_946.3) < 0.1)
  }

  @Test("constants without an inverse are an error, not a trap")
  func inverseless() {
    var constants = DPS310Form.constants.map(\.example)
    constants[1] = 0
    #expect(!DPS310Form.isInvertible(constants))
    let form = DPS310Form(constants)
    #expect(abs(form.temperatureCode(celsius: 20, factor: 524_288)) == 0x7F_FFFF)
    _ = form.pressureCode(pascals: 90_000, celsius: 20, factor: -5)
  }

  @Test(
    "the codes of any air in the range convert back to it",
    arguments: [ms5611 as any CalibrationForm, dps310])
  func inverse(_ form: any CalibrationForm) {
    var chance = SeededGenerator(seed: 5, stream: 0)
    for _ in 0..<2000 {
      let celsius = -40 + 125 * chance.unit()
      let pascals = 30_000 + 80_000 * chance.unit()
      let temperature = form.temperatureCode(celsius: celsius, factor: 524_288)
      let pressure = form.pressureCode(pascals: pascals, celsius: celsius, factor: 253_952)
      let values = form.values(
        temperature: temperature, factor: 524_288, pressure: pressure, factor: 253_952)
      #expect(abs(values.celsius - celsius) < 0.011, "\(celsius) C: \(values)")
      #expect(abs(values.pascals - pascals) < 1.1, "\(pascals) Pa at \(celsius) C: \(values)")
    }
  }
}
