import Chips
import Testing

/// Tests of the registers and formulas of the BMP180's data sheet.
struct BMP180DatasheetTests {
  /// A calibration with other plausible words.
  static let other = BMP180Calibration(words: [
    7911, 0xFC53, 0xC8D7, 34_369, 25_139, 15_914, 6515, 35, 0x8000, 0xD0E2, 2432,
  ])

  @Test("the data sheet's example is reproduced, step by step")
  func example() {
    let calibration = BMP180Calibration.example
    #expect((calibration.ac1, calibration.ac2, calibration.ac3) == (408, -72, -14_383))
    #expect((calibration.ac4, calibration.ac5, calibration.ac6) == (32_741, 32_757, 23_153))
    #expect((calibration.b1, calibration.b2) == (6190, 4))
    #expect((calibration.mb, calibration.mc, calibration.md) == (-32_768, -8711, 2868))
    #expect(calibration.fineTemperature(27_898) == 2399)
    #expect(BMP180Calibration.tenths(2399) == 150)
    #expect(calibration.pascals(23_843, .x1, fine: 2399) == 69_964)
  }

  /// The results of the published Python driver Adafruit_BMP 1.5.4.
  @Test(
    "for other codes and calibrations the results equal those of another driver",
    arguments: [
      (false, 27898, 24710, 0, 150, 72553), (false, 25000, 51624, 1, -121, 71266),
      (false, 30000, 90132, 2, 313, 68477), (false, 33000, 218656, 3, 527, 87191),
      (false, 24000, 28688, 0, -247, 77025), (false, 29000, 187056, 3, 237, 69936),
      (true, 27898, 39476, 0, 442, 96539), (true, 25000, 78178, 1, 271, 91204),
      (true, 30000, 153296, 2, 559, 95832), (true, 33000, 356632, 3, 720, 119636),
      (true, 24000, 42741, 0, 209, 100224), (true, 29000, 311712, 3, 504, 96488),
    ] as [(Bool, Int32, Int32, UInt8, Int32, Int32)])
  func others(
    _ isOther: Bool, _ temperature: Int32, _ pressure: Int32, _ oss: UInt8, _ tenths: Int32,
    _ pascals: Int32
  ) throws {
    let calibration = isOther ? Self.other : .example
    let fine = try #require(calibration.fineTemperature(temperature))
    #expect(BMP180Calibration.tenths(fine) == tenths)
    let oversampling = try #require(BMP180Oversampling(rawValue: oss))
    #expect(calibration.pascals(pressure, oversampling, fine: fine) == pascals)
  }

  @Test("encoding and decoding restores a calibration")
  func bytes() {
    let bytes = (0..<22).map { Self.other.byte($0) }
    #expect(Array(bytes.prefix(4)) == [0x1E, 0xE7, 0xFC, 0x53])
    #expect(BMP180Calibration(bytes: bytes.span) == Self.other)
    #expect(Self.other.isSound)
    var words = Self.other.words
    for word in [0, 0xFFFF] as [UInt16] {
      words[10] = word
      #expect(!BMP180Calibration(words: words).isSound)
    }
  }

  @Test("a calibration that would cause a division by zero gives the result nil")
  func divisions() {
    var broken = BMP180Calibration.example
    broken.md = Int16(-(((27_898 - 23_153) * 32_757) >> 15))
    #expect(broken.fineTemperature(27_898) == nil)
    broken = .example
    broken.ac4 = 0
    #expect(broken.pascals(23_843, .x1, fine: 2399) == nil)
  }

  @Test("each conversion has its command value, and all other values are rejected")
  func commands() {
    let commands: [(UInt8, BMP180Conversion)] = [
      (0x2E, .temperature), (0x34, .pressure(.x1)), (0x74, .pressure(.x2)),
      (0xB4, .pressure(.x4)), (0xF4, .pressure(.x8)),
    ]
    for (command, conversion) in commands { #expect(conversion.command == command) }
    for byte in 0...255 as ClosedRange<UInt8> {
      #expect(
        BMP180Conversion(command: byte) == commands.first { $0.0 == byte }?.1, "\(byte)")
    }
  }
}
