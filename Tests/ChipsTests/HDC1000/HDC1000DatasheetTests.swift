import Chips
import Testing

/// Tests of the HDC1000's formulas and fields.
struct HDC1000DatasheetTests {
  @Test(
    "words have the values that another driver computes",
    arguments: [
      // The package circuitpython-hdc1080 1.0.0 of PyPI: temperature and humidity of these words.
      (0x0000, -40.0, 0.0), (0x6540, 25.258_789_062_5, 39.550_781_25),
      (0x7ABC, 39.106_140_136_718_75, 47.943_115_234_375), (0x8000, 42.5, 50.0),
      (0xFFFC, 124.989_929_199_218_75, 99.993_896_484_375),
    ] as [(UInt16, Double, Double)])
  func formulas(_ word: UInt16, _ celsius: Double, _ percent: Double) {
    #expect(abs(HDC1000Quantity.temperature.scale.value(of: word) - celsius) < 1e-9)
    #expect(abs(HDC1000Quantity.humidity.scale.value(of: word) - percent) < 1e-9)
  }

  @Test("a field of the configuration has its documented bits and preserves the others")
  func configuration() {
    var word = HDC1000Configuration(rawValue: 0)
    word.measuresBoth = true
    #expect(word.rawValue == 0x1000)
    word.isHeaterOn = true
    #expect(word.rawValue == 0x3000)
    word.temperatureResolution = .bits11
    #expect(word.rawValue == 0x3400)
    #expect(word.temperatureResolution == .bits11 && word.humidityResolution == .bits14)
    word.humidityResolution = .bits8
    #expect(word.rawValue == 0x3600)
    word.humidityResolution = .bits11
    #expect(word.rawValue == 0x3500)
    word.isBatteryLow = true
    #expect(word.rawValue == 0x3D00)
    (word.measuresBoth, word.isHeaterOn, word.isBatteryLow) = (false, false, false)
    (word.temperatureResolution, word.humidityResolution) = (.bits14, .bits14)
    #expect(word.rawValue == 0)
    #expect(word.temperatureResolution == .bits14)
    #expect(HDC1000Configuration() == .afterReset)
    #expect(HDC1000Configuration(rawValue: 0x0300).humidityResolution == .bits8)
  }

  @Test("a serial number is restored from its three registers")
  func serial() {
    for number in [0, 1, 0x1FF_FFFF_FFFF, 0x123_4567_89AB] as [UInt64] {
      let serial = HDC1000SerialNumber(rawValue: number)
      #expect(
        HDC1000SerialNumber(serial.word(0), serial.word(1), serial.word(2)).rawValue == number)
      #expect(serial.word(2) & 0x7F == 0)
    }
    #expect(HDC1000SerialNumber(rawValue: .max).rawValue == 0x1FF_FFFF_FFFF)
  }
}
