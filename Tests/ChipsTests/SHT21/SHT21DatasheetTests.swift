import Chips
import Testing

/// Tests of the SHT21's formulas, checksum and times.
struct SHT21DatasheetTests {
  @Test(
    "codes have the values that another driver computes",
    arguments: [
      // The package sht20 0.1.4 of PyPI: read_temp and read_humid on these bytes.
      (0x0000, -46.85, -6.0), (0x6352, 21.318_720_703_125_003, 42.492_431_640_625),
      (0x683A, 24.686_401_367_187_493, 44.888_061_523_437_5),
      (0x4E85, 7.043_615_722_656_249, 32.337_707_519_531_25),
      (0xFFFF, 128.859_274_902_343_74, 118.992_370_605_468_75),
    ] as [(UInt16, Double, Double)])
  func formulas(_ word: UInt16, _ celsius: Double, _ percent: Double) {
    #expect(abs(SHT21Quantity.temperature.value(of: word) - celsius) < 1e-9)
    #expect(abs(SHT21Quantity.humidity.value(of: word) - percent) < 1e-9)
  }

  @Test(
    "the checksum is that of Sensirion's examples",
    arguments: [([0xDC], 0x79), ([0x68, 0x3A], 0x7C), ([0x4E, 0x85], 0x6B)] as [([UInt8], UInt8)])
  func checksum(_ bytes: [UInt8], _ expected: UInt8) {
    var checksum = SHT21Checksum()
    for byte in bytes { checksum.add(byte) }
    #expect(checksum.value == expected)
    if bytes.count == 1 {
      #expect(SHT21Checksum(of: bytes[0]).value == expected)
    } else {
      #expect(SHT21Checksum(of: UInt16(bytes[0]) << 8 | UInt16(bytes[1])).value == expected)
    }
  }

  @Test("the checksum detects each flipped bit of a result")
  func checksumNotices() {
    for bit in 0..<16 {
      #expect(SHT21Checksum(of: UInt16(0x683A) ^ (1 << UInt16(bit))).value != 0x7C)
    }
  }

  @Test("a value is converted to the nearest code of the resolution", arguments: [8, 11, 12, 14])
  func inverse(_ bits: Int) {
    for scale in [SHT21Quantity.temperature.scale, SHT21Quantity.humidity.scale] {
      let step = UInt32(1) << UInt32(16 - bits)
      for index in stride(from: UInt32(0), to: 65_536 - step, by: Int(step) * 7) {
        let (here, next) = (UInt16(index), UInt16(index + step))
        let (low, high) = (scale.value(of: here), scale.value(of: next))
        #expect(scale.code(nearestTo: low, bits: bits) == here)
        #expect(scale.code(nearestTo: low + 0.49 * (high - low), bits: bits) == here)
        #expect(scale.code(nearestTo: low + 0.51 * (high - low), bits: bits) == next)
      }
      #expect(scale.code(nearestTo: -1e9, bits: bits) == 0)
      #expect(scale.code(nearestTo: 1e9, bits: bits) == UInt16(65_536 - step))
    }
  }

  @Test("bits 7 and 0 of the user register select the resolution, the others are preserved")
  func resolution() {
    let expected: [(UInt8, Int, Int)] = [
      (0x00, 12, 14), (0x01, 8, 12), (0x80, 10, 13), (0x81, 11, 11),
    ]
    for (bits, humidity, temperature) in expected {
      var register = SHT21UserRegister(rawValue: 0x3E | bits)
      #expect(register.resolution.bits(of: .humidity) == humidity)
      #expect(register.resolution.bits(of: .temperature) == temperature)
      for other in SHT21Resolution.allCases {
        register.resolution = other
        #expect(register.resolution == other)
        #expect(register.rawValue & 0x7E == 0x3E)
      }
    }
  }

  @Test("each combination of quantity and hold mode has its measuring command")
  func commands() {
    for command in SHT21Command.allCases {
      guard let quantity = command.quantity else { continue }
      #expect(SHT21Command(measuring: quantity, holdingClock: command.holdsClock) == command)
    }
    #expect(SHT21Command(measuring: .temperature, holdingClock: true).rawValue == 0xE3)
    #expect(SHT21Command(measuring: .humidity, holdingClock: true).rawValue == 0xE5)
    #expect(SHT21Command(measuring: .temperature, holdingClock: false).rawValue == 0xF3)
    #expect(SHT21Command(measuring: .humidity, holdingClock: false).rawValue == 0xF5)
  }
}
