import BME280
import BME280Model
import Environment
import I2C
import TestSupport
import Testing
import VirtualI2C

/// Tests against dumps and transcripts of real parts.
struct RealPartTests {
  /// A dump of consecutive registers of a real part.
  struct Dump: CustomTestStringConvertible {
    let part: String
    let chip: Chip
    let first: Int
    let bytes: [UInt8]
    /// The registers in which this part differs from others, and the model has those of another part.
    let ownRegisters: [ClosedRange<Int>]

    var testDescription: String { part }

    subscript(_ register: Int) -> UInt8 { bytes[register - first] }

    /// The calibration as 33 bytes; the humidity words are 0 if the dump lacks them.
    var nvm: InlineArray<33, UInt8> {
      var image = [UInt8](repeating: 0, count: 33)
      for offset in 0..<26 { image[offset] = self[0x88 + offset] }
      if first + bytes.count > 0xE7, chip == .bme280 {
        for offset in 0..<7 { image[26 + offset] = self[0xE1 + offset] }
      }
      return BME280ModelTests.image(image)
    }
  }

  /// Registers that differ from part to part (0x80...0x87, 0xA2, 0xE8), that show internal state (0xBD, 0xBE,
  /// 0xC0...0xC2), or the last operation (0xC8, 0xF2...0xFE).
  static let individual: [ClosedRange<Int>] = [
    0xBD...0xBE, 0xC0...0xC2, 0xC8...0xC8, 0xE8...0xE8, 0xF2...0xFE,
  ]

  /// Returns the registers in which a part differs from the model, which has those of saltpp-rpi3 and bmp-orangepi;
  /// xft differs from all other dumps in 0xBA, 0xEA...0xF0 and 0xFF.
  private static func ownRegisters(of part: Substring) -> [ClosedRange<Int>] {
    switch part {
    case "saltpp-rpi3", "bmp-orangepi": []
    case "xft": [0x80...0x87, 0xA2...0xA2, 0xBA...0xBA, 0xEA...0xF0, 0xFF...0xFF]
    default: [0x80...0x87, 0xA2...0xA2]
    }
  }

  static let dumps: [Dump] = {
    let text = (try? Fixtures.text("fixtures/dumps/registers.csv")) ?? ""
    return text.split(separator: "\n").dropFirst().map { line in
      let fields = line.split(separator: ",")
      return Dump(
        part: String(fields[0]), chip: fields[1] == "bmp280" ? .bmp280 : .bme280,
        first: Int(fields[2].dropFirst(2), radix: 16) ?? 0, bytes: TestSupport.bytes(fields[3]),
        ownRegisters: ownRegisters(of: fields[0]))
    }
  }()

  @Test("the registers of a real part read back as in its dump", arguments: dumps)
  func dump(_ dump: Dump) throws {
    let clock = VirtualClock()
    let adapter = VirtualAdapter(clock: clock)
    let sensor = VirtualBME280(
      chip: dump.chip, nvm: dump.nvm, address: 0x76, air: ScriptedAir(constant: .standard))
    try adapter.attach(sensor)
    clock.wait(nanoseconds: 2_000_000)
    let own = Self.individual + dump.ownRegisters
    var compared = 0
    for register in dump.first..<(dump.first + dump.bytes.count)
    where !own.contains(where: { $0.contains(register) }) {
      let value = try adapter.readRegister(UInt8(register), at: 0x76)
      #expect(value == dump[register], "0x\(String(register, radix: 16)) of \(dump.part)")
      compared += 1
    }
    #expect(compared > 60)
    #expect(Self.dumps.count == 4)
  }

  @Test("after power-on the registers read their reset values: bmp-orangepi from 0xF3")
  func poweredOn() throws {
    let dump = try #require(Self.dumps.first { $0.part == "bmp-orangepi" })
    let probe = try Probe(chip: .bmp280)
    #expect(try probe.read(0xF2, count: 14) == (0xF2...0xFF).map { dump[$0] })
  }

  @Test("the model reproduces fm4dd's dump in normal mode: T x16, P skipped, H x16, filter 4")
  func fm4dd() throws {
    // F0: FF 00 04 0C C3 08 00 80 00 00 7F FE F0 63 DF, from the published dump.
    let nvm = "a56e8c6732006b927ed6d00bee223bfff9ffac260ad8bd10004b" + "6f01001324031e"
    let calibration = try Probe(nvm: nvm).sensor.calibration
    let raw = RawMeasurement(temperature: 0x7FFEF, pressure: 0x80000, humidity: 0x63DF)
    let air = calibration.compensateSI(raw)
    let probe = try Probe(
      nvm: nvm,
      Air(pressure: 100_000, temperature: air.temperature, humidity: air.humidity))
    try probe.write(0xF2, 0x04)
    try probe.write(0xF5, 0x08)
    try probe.write(0xF4, 0xC3)
    probe.wait(milliseconds: 75)
    let registers = try probe.read(0xF0, count: 15)
    #expect(
      Array(registers[0..<10]) == [0xFF, 0x00, 0x04, 0x0C, 0xC3, 0x08, 0x00, 0x80, 0x00, 0x00])
    let data = Array(registers[7...])
    let read = RawMeasurement(registers: data.span)
    #expect(abs(read.temperature - raw.temperature) <= 32)
    #expect(abs(read.humidity - raw.humidity) <= 2)
  }

  @Test("the model returns the id as in coelner's transcript: write of 0xD0, then read of 0x60")
  func coelner() throws {
    // [0xEC 0xD0[0xED r -> ACK ACK, 0x60
    let probe = try Probe()
    let segments: [I2CSegment] = [.write(1, to: 0x76), .read(1, from: 0x76)]
    let pointer: [UInt8] = [0xD0]
    var byte: [UInt8] = [0]
    var buffer = byte.mutableSpan
    try probe.adapter.transfer(segments.span, writing: pointer.span, reading: &buffer)
    #expect(byte == [0x60])
  }
}
