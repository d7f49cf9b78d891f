import BME280
import TestSupport
import Testing

/// The layout of the NVM (DS 4.2.2).
struct CalibrationTests {
  @Test("the calibration words of a real part are decoded to the values that its owner published")
  func realPart() throws {
    let image = bytes("5d704a6a32007291c7d6d00b5f1c1f00f9ffac260ad8bd10004b" + "7501001225031e")
    let calibration = try #require(Calibration(image))
    #expect(
      calibration
        == Calibration(
          t1: 28765, t2: 27210, t3: 50, p1: 37234, p2: -10553, p3: 3024, p4: 7263, p5: 31, p6: -7,
          p7: 9900, p8: -10230, p9: 4285, h1: 75, h2: 373, h3: 0, h4: 293, h5: 50, h6: 30))
  }

  @Test("H4 takes the low nibble of register 0xE5, and H5 takes the high nibble")
  func sharedNibbles() throws {
    var image = [UInt8](repeating: 0, count: 33)
    (image[29], image[30], image[31]) = (0x17, 0x2C, 0x03)
    let calibration = try #require(Calibration(image))
    #expect(calibration.h4 == 0x17C)
    #expect(calibration.h5 == 0x032)
  }

  @Test("the sign of H4 and H5 is in their most significant byte, and H6 is a signed byte")
  func signs() throws {
    var image = [UInt8](repeating: 0, count: 33)
    (image[29], image[30], image[31], image[32]) = (0x80, 0xF1, 0xFF, 0x80)
    let calibration = try #require(Calibration(image))
    #expect(calibration.h4 == -2047)
    #expect(calibration.h5 == -1)
    #expect(calibration.h6 == -128)
  }

  @Test("only 24 or 33 bytes are accepted as a calibration", arguments: 0...40)
  func lengths(_ length: Int) {
    let image = [UInt8](repeating: 1, count: length)
    #expect((Calibration(image) != nil) == (length == 24 || length == 33))
  }

  @Test("the calibration of a BMP280 has no humidity words")
  func bmp280() throws {
    let image = bytes("5c6e706818fc098e8ed6d00bac132b01f9ff8c3cf8c67017")
    let calibration = try #require(Calibration(image))
    #expect(calibration.t1 == 28252)
    #expect(calibration.p9 == 6000)
    #expect((calibration.h1, calibration.h2, calibration.h4) == (0, 0, 0))
  }

  @Test("decoding and encoding a random calibration restores its bytes")
  func roundTrip() throws {
    var generator = Seeded("calibration round trip")
    for _ in 0..<10_000 {
      var image = (0..<33).map { _ in UInt8.random(in: 0...255, using: &generator) }
      image[24] = 0
      let calibration = try #require(Calibration(image))
      let encoded = calibration.bytes
      #expect(encoded.indices.map { encoded[$0] } == image, "seed \(generator.seed)")
    }
  }
}
