import Environment
import I2C
import PartFiles
import Parts
import Quantities
import TestSupport
import Testing
import VirtualI2C

/// Described parts behave in time as their files say.
struct DescribedPartTests {
  /// The parts that measure the air.
  static let parts = BuiltInFile.names(.part).filter {
    !["ads1115", "bh1750", "ina219"].contains($0)
  }

  @Test(
    "the driver of a part file reads the air to half a code, also below zero and in .x0",
    arguments: parts)
  func reads(_ name: String) throws {
    for (celsius, humidity) in [(-12.34, 43.0), (-0.4, 0.5), (0, 50), (21.5, 99.5), (37.06, 6.07)] {
      let air = Air(pressure: 101_325, temperature: celsius, humidity: humidity)
      for timing in PartTiming.allCases {
        let bench = try DescribedBench(name, in: air, isStarted: false) { $0.timing = timing }
        let model = bench.model
        let driver = model.driver(
          model.usualSettings, bench.adapter, bench.clock, at: bench.address)
        try driver.start()
        let sample = try driver.sample()
        for value in model.description.values {
          guard case .air(let quantity) = value.source.elements[0] else { continue }
          let read = try #require(sample[quantity])
          let unused = value.bits - (value.precision?.elements[0] ?? value.bits)
          let step = value.scale.elements[0] * Double(1 << unused)
          #expect(abs(read - air[quantity]) <= step / 2 + 1e-9, "\(value.name) \(read)")
        }
      }
    }
  }

  @Test(
    "each code of each value is the nearest to its own value", arguments: BuiltInFile.names(.part))
  func inverse(_ name: String) throws {
    let part = try #require(PartFile.builtIn(name)).description
    var generator = Seeded("codes of \(name)")
    for value in part.values {
      let half = 1 << (value.bits - 1)
      let room = value.isSigned ? -half...half - 1 : 0...2 * half - 1
      let codes = value.limits?.elements.last ?? room
      for _ in 0..<1000 {
        let code = Int.random(in: codes, using: &generator)
        let bits =
          (UInt32(truncatingIfNeeded: code) & (1 << UInt32(value.bits) - 1)) << UInt32(value.shift)
        for scale in value.scale.elements {
          #expect(value.number(of: bits) == code)
          let exact = value.value(of: bits, scale: scale)
          #expect(value.code(nearestTo: exact, scale: scale, limits: codes) == bits)
        }
      }
      // Beyond the range, the code is limited.
      let scale = value.scale.elements[0]
      #expect(
        value.number(of: value.code(nearestTo: 1e12 * scale, scale: scale, limits: codes))
          == codes.upperBound)
      #expect(
        value.number(of: value.code(nearestTo: -1e12 * scale, scale: scale, limits: codes))
          == codes.lowerBound)
      #expect(
        value.number(of: value.code(nearestTo: .nan, scale: scale, limits: codes))
          == codes.lowerBound)
    }
  }

  @Test(
    "a part that measures is not acknowledged until its typical or longest time",
    arguments: [(PartTiming.typical, 6.9), (.maximum, 8.3)])
  func nack(_ timing: PartTiming, _ milliseconds: Double) throws {
    let bench = try DescribedBench("sht4x") { $0.timing = timing }
    try bench.write(0xFD)
    let start = bench.clock.nanoseconds
    bench.wait(milliseconds: milliseconds - 0.6)
    #expect(throws: I2CError.self) { try bench.read(6) }
    #expect(throws: I2CError.self) { try bench.write(0xFD) }
    while bench.clock.nanoseconds - start < UInt64(milliseconds * 1e6) {
      bench.wait(milliseconds: 0.01)
    }
    let bytes = try bench.read(6)
    #expect(Array(bytes[0..<2]) == [0x60, 0x8C])
    // The result is read once.
    #expect(throws: I2CError.self) { try bench.read(6) }
  }

  @Test("each word is followed by the CRC-8 of the data sheet: 0xBEEF has 0x92")
  func checksum() throws {
    let part = try #require(PartFile.builtIn("sht4x")).description
    let checksum = try #require(part.checksum)
    let sum = [0xBE, 0xEF].reduce(checksum.start) { checksum.next($0, $1) }
    #expect(sum == 0x92)
  }

  @Test("a part that stretches the clock holds it until its result, but not for a write")
  func stretch() throws {
    let bench = try DescribedBench("sht3x")
    try bench.write(0x2C, 0x06)
    let start = bench.clock.nanoseconds
    #expect(throws: I2CError.self) { try bench.write(0x2C, 0x06) }
    #expect(try bench.read(6).count == 6)
    #expect(bench.clock.nanoseconds - start >= 12_500_000)
  }

  @Test("a busy bit is set during a measurement, and the last result is read meanwhile")
  func busyBit() throws {
    let bench = try DescribedBench("aht20")
    try bench.write(0xAC, 0x33, 0x00)
    #expect(try bench.read(1)[0] == 0x98)
    #expect(Array(try bench.read(6)[1...5]) == [0, 0, 0, 0, 0])
    bench.wait(milliseconds: 75)
    let bytes = try bench.read(7)
    #expect(bytes[0] == 0x18)
    #expect(bytes[1] == 0x80)
  }

  @Test("a converter behind a multiplexer shows the previous channel until its conversion ends")
  func previousChannel() throws {
    let bench = try DescribedBench("ads1115")
    /// Starts a conversion of AIN0 (4) or AIN1 (5) at 128 samples a second and ±4.096 V.
    func convert(_ channel: UInt8) throws { try bench.write(1, 0x83 | channel << 4, 0x83) }
    try convert(4)
    #expect(try bench.register(1, 2)[0] & 0x80 == 0)
    bench.wait(milliseconds: 8)
    #expect(try bench.register(1, 2)[0] & 0x80 != 0)
    #expect(try bench.register(0, 2) == [0x2E, 0xE0])  // 1.5 V
    try convert(5)
    #expect(try bench.register(0, 2) == [0x2E, 0xE0])
    bench.wait(milliseconds: 8)
    #expect(try bench.register(0, 2) == [0x1F, 0x40])  // 1 V
  }

  @Test("a part that measures by itself shows its first code, and a flag of a new result once")
  func repeats() throws {
    let bench = try DescribedBench("tmp117")
    #expect(try bench.register(0, 2) == [0x80, 0x00])
    bench.wait(milliseconds: 130)
    #expect(try bench.register(1, 2)[0] & 0x20 != 0)
    #expect(try bench.register(0, 2) == [0x0A, 0x80])  // 21 C
    #expect(try bench.register(1, 2)[0] & 0x20 == 0)
    bench.wait(milliseconds: 1000)
    #expect(try bench.register(1, 2)[0] & 0x20 != 0)
  }

  @Test(
    "a command that is forbidden while measuring, and a read without a new result, get no acknowledgement"
  )
  func forbidden() throws {
    let bench = try DescribedBench("scd4x")
    try bench.write(0x21, 0xB1)
    #expect(throws: I2CError.self) { try bench.write(0x36, 0x82) }
    try bench.write(0xEC, 0x05)
    bench.wait(milliseconds: 1)
    #expect(throws: I2CError.self) { try bench.read(9) }
    try bench.write(0xE4, 0xB8)
    bench.wait(milliseconds: 1)
    #expect(try bench.read(2) == [0x80, 0x00])
    bench.wait(milliseconds: 5000)
    try bench.write(0xE4, 0xB8)
    bench.wait(milliseconds: 1)
    #expect(try bench.read(2) == [0x80, 0x04])
    try bench.write(0xEC, 0x05)
    bench.wait(milliseconds: 1)
    #expect(Array(try bench.read(2)) == [0x02, 0x6C])  // 620 ppm
    try bench.write(0x3F, 0x86)
    bench.wait(milliseconds: 500)
    try bench.write(0x36, 0x82)
    bench.wait(milliseconds: 1)
    #expect(try bench.read(9).count == 9)
  }

  @Test("without its supply a part does not answer, and afterwards it has lost its settings")
  func supply() throws {
    let bench = try DescribedBench("tmp102")
    try bench.write(1, 0x61, 0xA0)
    #expect(try bench.register(1, 2) == [0x61, 0xA0])
    bench.part.setSupply(false, at: bench.clock.nanoseconds)
    #expect(throws: I2CError.self) { try bench.register(1, 2) }
    bench.part.setSupply(true, at: bench.clock.nanoseconds)
    bench.wait(milliseconds: 1)
    #expect(try bench.register(1, 2) == [0x60, 0xA0])
    #expect(try bench.register(0, 2) == [0, 0])
    bench.wait(milliseconds: 26)
    #expect(try bench.register(0, 2) == [0x15, 0x00])
  }

  @Test(
    "a part that measures by itself for days is read at once, with the noise of its last result")
  func days() throws {
    let bench = try DescribedBench("mcp9808") { $0.noise = .datasheet }
    bench.wait(milliseconds: 30 * 86_400_000)
    let word = try bench.register(5, 2)
    #expect(abs(Double(UInt16(word[0]) << 8 | UInt16(word[1])) / 16 - 21) < 0.2)
  }

  @Test("faults of parts act on a described part: a frozen result, an offset, the longest time")
  func faults() throws {
    let bench = try DescribedBench("sht4x")
    bench.part.impair(
      .offset(PerQuantity(temperature: 2, pressure: 0, humidity: 0)), of: 0, count: 1, at: 0)
    bench.part.impair(.slow, of: 1, count: 1, at: 0)
    try bench.write(0xFD)
    bench.wait(milliseconds: 7.5)
    #expect(throws: I2CError.self) { try bench.read(6) }
    bench.wait(milliseconds: 1)
    let bytes = try bench.read(2)
    let celsius = -45 + 175 * Double(UInt16(bytes[0]) << 8 | UInt16(bytes[1])) / 65535
    #expect(abs(celsius - 23) < 0.01)
    #expect(bench.part.effects(of: 0) == 1 && bench.part.effects(of: 1) == 1)
  }
}

/// The facts of a part file, observed on a bus.
struct PartWalkTests {
  @Test(
    "a client observes every fact of a built-in part that it can",
    arguments: BuiltInFile.names(.part))
  func observed(_ name: String) throws {
    let part = try #require(PartFile.builtIn(name))
    var walk = try PartWalk(of: part, at: part.addresses[0])
    let results = walk.walk(mayWrite: true)
    #expect(results.count > 4)
    #expect(results.filter { $0.isObserved == false }.map { "\($0.fact): \($0.detail)" } == [])
  }

  @Test("facts that another part does not show are not observed")
  func foreign() throws {
    let bench = try DescribedBench("tmp102")
    let other = try #require(PartFile.builtIn("tmp117"))
    var walk = PartWalk(other, on: bench.adapter, bench.clock, at: 0x48)
    let failed = walk.walk(mayWrite: false).filter { $0.isObserved == false }
    #expect(failed.contains { $0.fact.contains("'device'") }, "\(failed)")
    // Registers are only written on request.
    #expect(try bench.register(2, 2) == [0x4B, 0x00])
  }

  // MARK: Vocabulary

  @Test("current and power are the products of the INA226's data sheet")
  func products() throws {
    let bench = try DescribedBench("ina226", inputs: ["current": 0.2, "bus voltage": 11.98])
    try bench.write(0x05, 0x0A, 0x00)
    bench.wait(milliseconds: 5)
    #expect(try bench.register(1, 2) == [0x1F, 0x40])  // 8000
    #expect(try bench.register(2, 2) == [0x25, 0x70])  // 9584
    #expect(try bench.register(4, 2) == [0x27, 0x10])  // 10000
    #expect(try bench.register(3, 2) == [0x12, 0xB8])  // 4792
  }

  @Test("the power has no sign, also for a negative current, as measured on real parts")
  func magnitude() throws {
    let bench = try DescribedBench("ina226", inputs: ["current": -0.2, "bus voltage": 11.98])
    try bench.write(0x05, 0x0A, 0x00)
    bench.wait(milliseconds: 5)
    #expect(try bench.register(4, 2) == [0xD8, 0xF0])  // -10000
    #expect(try bench.register(3, 2) == [0x12, 0xB8])
  }

  @Test(
    "a conversion keeps the channel with which it began, and a running one is not started again")
  func channels() throws {
    let bench = try DescribedBench("ads1115", inputs: ["ain0": 1.024, "ain1": 0.512])
    try bench.write(1, 0xC3, 0x83)  // ain0, 4.096 V, single, 128 a second
    bench.wait(milliseconds: 4)
    try bench.write(1, 0xD3, 0x83)  // ain1, too early
    bench.wait(milliseconds: 5)
    #expect(try bench.register(0, 2) == [0x20, 0x00])  // 1.024 V
    try bench.write(1, 0x52, 0x83)  // ain1, continuous
    #expect(try bench.register(1, 2)[0] & 0x80 == 0)
    bench.wait(milliseconds: 10)
    #expect(try bench.register(0, 2) == [0x10, 0x00])  // 0.512 V
    #expect(try bench.register(1, 2)[0] & 0x80 == 0)
    try bench.write(1, 0x42, 0x83)  // ain0 in the middle of a conversion
    bench.wait(milliseconds: 6)
    #expect(try bench.register(0, 2) == [0x10, 0x00])
    bench.wait(milliseconds: 8)
    #expect(try bench.register(0, 2) == [0x20, 0x00])
    try bench.write(1, 0x43, 0x83)
    #expect(try bench.register(1, 2)[0] & 0x80 != 0)
  }

  @Test("bytes that are no command are acknowledged only by a part that ignores them")
  func unknown() throws {
    let old = try DescribedBench("aht10")
    try old.write(0x00, 0xE1, 0x08, 0x00)
    #expect(try old.register(0x71, 1)[0] & 0x08 == 0)
    try old.write(0xE1, 0x08, 0x00)
    #expect(try old.register(0x71, 1)[0] & 0x08 != 0)
    let new = try DescribedBench("aht20")
    #expect(throws: I2CError.self) { try new.write(0x00, 0xE1, 0x08, 0x00) }
  }

  @Test(
    "a field multiplies the code and the duration: the sensitivity of a BH1750",
    arguments: [(69, 0x0120, 120), (138, 0x0240, 240), (31, 129, 54), (254, 1060, 442)])
  func sensitivity(_ sensitivity: UInt8, _ code: Int, _ milliseconds: Double) throws {
    let bench = try DescribedBench("bh1750", inputs: ["light": 240])
    try bench.write(0x40 | sensitivity >> 5)
    try bench.write(0x60 | sensitivity & 0x1F)
    try bench.write(0x20)
    bench.wait(milliseconds: milliseconds - 2)
    #expect(try bench.read(2) == [0, 0])
    try bench.write(0x20)
    bench.wait(milliseconds: milliseconds + 2)
    #expect(try bench.read(2) == [UInt8(code >> 8), UInt8(code & 0xFF)])
  }

  @Test(
    "a number of averages multiplies the duration: the INA226",
    arguments: [(0, 2.2), (1, 8.8), (4, 281.6), (7, 2252.8)])
  func averages(_ field: UInt8, _ milliseconds: Double) throws {
    let bench = try DescribedBench("ina226", inputs: ["current": 0.2])
    try bench.write(0x00, 0x40 | field << 1, 0x00 | 4 << 3 | 3)
    let time = UInt64(milliseconds * 1e6)
    bench.clock.wait(nanoseconds: time - 1_000_000)
    #expect(try bench.register(6, 2)[1] & 0x08 == 0)
    bench.clock.wait(nanoseconds: 1_000_000)
    #expect(try bench.register(6, 2)[1] & 0x08 != 0)
    #expect(try bench.register(1, 2) == [0x1F, 0x40])
  }

  @Test(
    "an INA219 converts longer with more samples",
    arguments: [(0b0011, 1.064), (0b1000, 1.064), (0b1001, 2.128), (0b1111, 136.192)])
  func samples(_ resolution: UInt16, _ milliseconds: Double) throws {
    let bench = try DescribedBench("ina219")
    let word = 0x2000 | resolution << 7 | resolution << 3 | 3
    try bench.write(0x00, UInt8(word >> 8), UInt8(word & 0xFF))
    // A read takes half a millisecond.
    bench.wait(milliseconds: milliseconds - 0.7)
    #expect(try bench.register(2, 2)[1] & 0x02 == 0)
    bench.wait(milliseconds: 0.7)
    #expect(try bench.register(2, 2)[1] & 0x02 != 0)
  }

  @Test("a repeated measurement ends when a single one is started")
  func single() throws {
    let bench = try DescribedBench("ina219", inputs: ["bus voltage": 5])
    bench.wait(milliseconds: 5)
    try bench.write(0x00, 0x27, 0xFB)  // 128 samples, once
    _ = try bench.register(2, 2)
    bench.wait(milliseconds: 100)
    #expect(try bench.register(2, 2)[1] & 0x02 == 0)
    bench.wait(milliseconds: 40)
    #expect(try bench.register(2, 2)[1] & 0x02 != 0)
    bench.wait(milliseconds: 200)
    #expect(try bench.register(2, 2)[1] & 0x02 == 0)
  }

  @Test("a command that selects a mode again starts its conversion again")
  func again() throws {
    let bench = try DescribedBench("bh1750", inputs: ["light": 240])
    try bench.write(0x10)
    bench.wait(milliseconds: 100)
    try bench.write(0x10)
    bench.wait(milliseconds: 100)
    #expect(try bench.read(2) == [0, 0])
    bench.wait(milliseconds: 30)
    #expect(try bench.read(2) == [0x01, 0x20])  // 288
  }

  @Test("an input changes in steps and linearly, and one that follows from others with them")
  func courses() throws {
    let bench = try DescribedBench("ina226") { options in
      options.inputs[0] = Profile(
        [.init(time: 0, value: 0.1), .init(time: 1_000_000_000, value: 0.3)], interpolation: .held)
      options.inputs[2] = Profile([
        .init(time: 0, value: 5), .init(time: 2_000_000_000, value: 25),
      ])
    }
    func volts(_ register: UInt8, _ step: Double) throws -> Double {
      let bytes = try bench.register(register, 2)
      return Double(Int16(bitPattern: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))) * step
    }
    bench.wait(milliseconds: 900)
    #expect(abs(try volts(1, 2.5e-6) - 0.01) < 1e-5)
    #expect(abs(try volts(2, 0.00125) - 14) < 0.03)
    bench.wait(milliseconds: 600)
    #expect(abs(try volts(1, 2.5e-6) - 0.03) < 1e-5)
    #expect(abs(try volts(2, 0.00125) - 20) < 0.03)
  }

  @Test("a flag is cleared by reading the registers that the field names, and by no others")
  func clearing() throws {
    let bench = try DescribedBench("ina226")
    bench.wait(milliseconds: 5)
    _ = try bench.register(2, 2)
    #expect(try bench.register(6, 2)[1] & 0x08 != 0)
    #expect(try bench.register(6, 2)[1] & 0x08 == 0)
  }

  @Test("a part that an earlier program left measuring periodically must be stopped before a reset")
  func left() throws {
    let model = try #require(PartFile.builtIn("sht3x"))
    let bench = try DescribedBench("sht3x", isStarted: false) {
      #expect(model.leave("period", as: 5, in: &$0) == nil)
      #expect(model.leave("periot", as: 5, in: &$0)?.contains("did you mean 'period'?") == true)
      #expect(model.leave("heater", as: 2, in: &$0)?.contains("largest value") == true)
      #expect(model.leave("period", as: 1, in: &$0)?.contains("twice") == true)
    }
    let other = try #require(PartFile.builtIn("hdc1080"))
    var options = DescribedOptions(other.description)
    #expect(other.leave("reset", as: 1, in: &options)?.contains("resets the part") == true)
    bench.wait(milliseconds: 20)
    try bench.write(0xE0, 0x00)
    #expect(try bench.read(6).count == 6)
    #expect(throws: I2CError.self) { try bench.write(0x30, 0xA2) }
    try bench.write(0x30, 0x93)
    bench.wait(milliseconds: 1)
    try bench.write(0x30, 0xA2)
  }

  @Test(
    "a heater warms the part and lowers its humidity; a reset leaves it on, a loss of the supply does not"
  )
  func heater() throws {
    let bench = try DescribedBench(
      "htu21d", in: Air(pressure: 101_325, temperature: 20, humidity: 50))
    func measure() throws -> (celsius: Double, humidity: Double) {
      func code(_ command: UInt8) throws -> Double {
        try bench.write(command)
        bench.wait(milliseconds: 50)
        let bytes = try bench.read(3)
        return Double(UInt16(bytes[0]) << 8 | UInt16(bytes[1] & 0xFC)) / 65536
      }
      return (try code(0xF3) * 175.72 - 46.85, try code(0xF5) * 125 - 6)
    }
    #expect(abs(try measure().celsius - 20) < 0.02)
    try bench.write(0xE6, 0x06)
    bench.wait(milliseconds: 10_000)
    #expect(abs(try measure().celsius - 20.63) < 0.03, "1/e of the rise is missing")
    bench.wait(milliseconds: 90_000)
    let warm = try measure()
    // The saturation pressure at 21 C is 1.064 times that at 20 C.
    #expect(abs(warm.celsius - 21) < 0.02 && abs(warm.humidity - 50 / 1.064) < 0.1, "\(warm)")
    try bench.write(0xFE)
    bench.wait(milliseconds: 15)
    try bench.write(0xE7)
    #expect(try bench.read(1) == [0x06])
    bench.part.setSupply(false, at: bench.clock.nanoseconds)
    bench.part.setSupply(true, at: bench.clock.nanoseconds)
    bench.wait(milliseconds: 100_000)
    try bench.write(0xE7)
    #expect(try bench.read(1) == [0x02])
    #expect(abs(try measure().celsius - 20) < 0.02)
  }

  @Test("a written field resets the part")
  func resets() throws {
    let bench = try DescribedBench("ina226")
    try bench.write(0x05, 0x0A, 0x00)
    try bench.write(0x00, 0x80, 0x00)
    bench.wait(milliseconds: 5)
    #expect(try bench.register(5, 2) == [0, 0])
    #expect(try bench.register(0, 2) == [0x41, 0x27])
  }

  @Test("a command has the effect that the mode selects")
  func conditions() throws {
    let bench = try DescribedBench("hdc1080")
    try bench.write(0x00)
    bench.wait(milliseconds: 13)
    #expect(try bench.read(4).suffix(2) != [0xFF, 0xFF])
    try bench.write(0x02, 0x00, 0x00)
    try bench.write(0x00)
    bench.wait(milliseconds: 6.4)
    #expect(try bench.read(4).suffix(2) == [0xFF, 0xFF])
  }

  @Test("checksums follow bytes or words, alone or with all before")
  func checksums() throws {
    func sum(_ bytes: [UInt8]) -> UInt8 {
      bytes.reduce(0) { sum, byte in
        (0..<8).reduce(sum ^ byte) { sum, _ in sum & 0x80 != 0 ? sum << 1 ^ 0x31 : sum << 1 }
      }
    }
    let alone = try DescribedBench("htu21d")
    try alone.write(0xFA, 0x0F)
    let each = try alone.read(8)
    for index in stride(from: 0, to: 8, by: 2) { #expect(each[index + 1] == sum([each[index]])) }
    let together = try DescribedBench("si7021")
    together.wait(milliseconds: 80)
    try together.write(0xFA, 0x0F)
    let first = try together.read(8)
    let data = stride(from: 0, to: 8, by: 2).map { first[$0] }
    for index in 0..<4 { #expect(first[2 * index + 1] == sum(Array(data[...index]))) }
    try together.write(0xFC, 0xC9)
    let second = try together.read(6)
    #expect(second[2] == sum([second[0], second[1]]))
    #expect(second[5] == sum([second[0], second[1], second[3], second[4]]))
  }

  @Test("a pause has a typical and a longest time, which the timing of the part selects")
  func pauses() throws {
    for (timing, answers) in [(PartTiming.typical, true), (.maximum, false)] {
      let bench = try DescribedBench("htu21d") { $0.timing = timing }
      try bench.write(0xFE)
      bench.wait(milliseconds: 6)
      let isAnswered = (try? bench.write(0xE7)) != nil
      #expect(isAnswered == answers)
    }
  }

  @Test(
    "a result that can be read once is 0 afterwards; words of the calibration are those of the form"
  )
  func calibrated() throws {
    let bench = try DescribedBench("ms5611")
    try bench.write(0xA2)
    #expect(try bench.read(2) == [0x9C, 0xBF])
    try bench.write(0x48)
    #expect(throws: I2CError.self) { try bench.read(3) }
    bench.wait(milliseconds: 9)
    try bench.write(0x00)
    #expect(try bench.read(3) != [0, 0, 0])
    try bench.write(0x00)
    #expect(try bench.read(3) == [0, 0, 0])
  }

  @Test("in a map of bytes, an address in the middle of a register reads on from there")
  func middle() throws {
    let bench = try DescribedBench("dps310")
    #expect(try bench.register(0x10, 18) == DPS310Form(DPS310Form.constants.map(\.example)).bytes)
    #expect(try bench.register(0x12, 3) == [0xDD, 0x13, 0xCA])
  }

  /// The resolutions of an HTU21D: the user register, the bits of temperature and humidity, and their longest times in ms.
  static let resolutions: [(register: UInt8, bits: [Int], milliseconds: [Double])] = [
    (0x02, [14, 12], [50, 16]), (0x03, [12, 8], [13, 3]), (0x82, [13, 10], [25, 5]),
    (0x83, [11, 11], [7, 8]),
  ]

  @Test(
    "two bits that are not adjacent select the measured bits and the duration",
    arguments: resolutions
  )
  func resolution(_ register: UInt8, _ bits: [Int], _ milliseconds: [Double]) throws {
    let air = Air(pressure: 101_325, temperature: 23.456, humidity: 43.21)
    let bench = try DescribedBench("htu21d", in: air) { $0.timing = .maximum }
    try bench.write(0xE6, register)
    try bench.write(0xE7)
    #expect(try bench.read(1) == [register])
    let exact = [(23.456 + 46.85) / 175.72, (43.21 + 6) / 125]
    for (index, command) in [UInt8(0xF3), 0xF5].enumerated() {
      try bench.write(command)
      bench.wait(milliseconds: milliseconds[index] - 0.3)
      #expect(throws: I2CError.self) { try bench.read(3) }
      bench.wait(milliseconds: 0.3)
      let bytes = try bench.read(3)
      let code = Int(bytes[0]) << 8 | Int(bytes[1] & 0xFC)
      let step = 1 << (16 - bits[index])
      #expect(code == Int((exact[index] * 65536 / Double(step)).rounded()) * step)
    }
  }

  @Test("an HDC1080 measures both values in the sum of the times of their resolutions")
  func combinedResolution() throws {
    for (word, milliseconds) in [
      ([UInt8(0x10), 0x00], 12.85), ([0x11, 0x00], 10.2), ([0x12, 0x00], 8.85),
      ([0x14, 0x00], 10.15), ([0x15, 0x00], 7.5), ([0x16, 0x00], 6.15),
    ] {
      let bench = try DescribedBench("hdc1080")
      try bench.write(0x02, word[0], word[1])
      try bench.write(0x00)
      bench.wait(milliseconds: milliseconds - 0.3)
      #expect(throws: I2CError.self) { try bench.read(4) }
      bench.wait(milliseconds: 0.3)
      _ = try bench.read(4)
    }
  }

  @Test(
    "a field shows a low supply, at the start if the part updates it then, else with the next measurement"
  )
  func lowSupply() throws {
    for (volts, word) in [(2.5, [UInt8(0x18), 0x00]), (3.0, [0x10, 0x00])] {
      let bench = try DescribedBench("hdc1080") { $0.supply = volts }
      try bench.write(0x02)
      #expect(try bench.read(2) == word)
      try bench.write(0x02, 0x90, 0x00)
      bench.wait(milliseconds: 15)
      try bench.write(0x02)
      #expect(try bench.read(2) == word, "after a reset")
    }
    let bench = try DescribedBench("si7021") { $0.supply = 1.85 }
    bench.wait(milliseconds: 80)
    for (expected, command) in [(UInt8(0x3A), UInt8(0xF3)), (0x7A, 0xE7)] {
      try bench.write(0xE7)
      #expect(try bench.read(1) == [expected])
      try bench.write(command)
      bench.wait(milliseconds: 20)
    }
  }

  @Test(
    "the gain of an INA219 limits the shunt voltage, and its range the bus voltage",
    arguments: 0..<4)
  func limitsByField(_ gain: Int) throws {
    let bench = try DescribedBench("ina219", inputs: ["current": 5, "bus voltage": 20])
    for (range, code) in [(0, 4000), (1, 5000)] {
      let configuration = 0x019F | gain << 11 | range << 13
      try bench.write(0x00, UInt8(configuration >> 8), UInt8(configuration & 0xFF))
      bench.wait(milliseconds: 10)
      func word(_ register: UInt8) throws -> Int {
        try bench.register(register, 2).reduce(0) { $0 << 8 | Int($1) }
      }
      #expect(try word(0x01) == 4000 << gain)
      #expect(try word(0x02) >> 3 == code)
    }
  }

  @Test("a part uses its idle current, and that of a measurement while it measures")
  func charge() throws {
    let bench = try DescribedBench("sht4x")
    let start = try #require(bench.part.chargeUsed(at: bench.clock.nanoseconds))
    let before = bench.clock.nanoseconds
    bench.wait(milliseconds: 1000)
    let idle = try #require(bench.part.chargeUsed(at: bench.clock.nanoseconds))
    #expect(abs(idle - start - 0.08) < 1e-6)
    try bench.write(0xFD)
    bench.wait(milliseconds: 100)
    let used = try #require(bench.part.chargeUsed(at: bench.clock.nanoseconds))
    let seconds = Double(bench.clock.nanoseconds - before) / 1e9
    // 6.9 ms at 320 uA, the rest at 0.08 uA.
    #expect(
      abs(used - start - (0.0069 * 320 + (seconds - 0.0069) * 0.08)) < 1e-6, "\(used - start)")
    #expect(try DescribedBench("lm75").part.chargeUsed(at: 1_000_000_000) == nil)
  }
}
