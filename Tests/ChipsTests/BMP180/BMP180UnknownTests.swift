import Chips
import I2C
import TestSupport
import Testing
import VirtualI2C

/// Tests each switch for undocumented behavior of the BMP180 in all settings.
struct BMP180UnknownTests {
  static let addressNack = I2CError(.addressNack, message: 0, errno: .enxio)

  @Test("the duration of a soft reset of a BMP180 is configurable")
  func resetTime() throws {
    for time in [10_000_000, 2_000_000] as [UInt64] {
      let bench = try BMP180Bench { $0.resetTime = time }
      try bench.write(0xE0, 0xB6)
      #expect(bench.sensor.nextChange == bench.clock.nanoseconds - 2_500 + time)
    }
    #expect(BMP180UndocumentedBehavior().resetTime == 10_000_000)
  }

  @Test("during start-up of a BMP180 its address is not acknowledged, or it is")
  func start() throws {
    #expect(throws: Self.addressNack) { try BMP180Bench(isStarted: false).read(0xD0) }
    let open = try BMP180Bench(isStarted: false) { $0.accessDuringStart = .taken }
    #expect(try open.read(0xD0) == [0x55])
  }

  @Test("during a conversion the result is the previous one, or that after power-on")
  func data() throws {
    for isLast in [true, false] {
      let bench = try BMP180Bench { $0.dataWhileConverting = isLast ? .last : .reset }
      let result = try bench.convert(0xF4)
      try bench.write(0xF4, 0xF4)
      #expect(try bench.read(0xF6, 3) == (isLast ? result : [0x80, 0, 0]))
    }
    #expect(BMP180UndocumentedBehavior().dataWhileConverting == .last)
  }

  @Test("a command during a conversion is ignored, or takes effect")
  func command() throws {
    for isFollowed in [true, false] {
      let bench = try BMP180Bench { $0.commandWhileConverting = isFollowed ? .followed : .ignored }
      try bench.write(0xF4, 0xF4)
      let end = try #require(bench.sensor.nextChange)
      bench.wait(milliseconds: 1)
      try bench.write(0xF4, 0x2E)
      #expect((try #require(bench.sensor.nextChange) < end) == isFollowed)
      #expect(try bench.read(0xF4) == [isFollowed ? 0x2E : 0xF4])
    }
    #expect(BMP180UndocumentedBehavior().commandWhileConverting == .ignored)
  }

  @Test("after a temperature conversion the lowest byte is 0, or unchanged")
  func lowByte() throws {
    for isLast in [true, false] {
      // A pressure whose lowest byte is not 0.
      let bench = try BMP180Bench(pascals: 98_765) { $0.lowByte = isLast ? .last : .zeros }
      let low = try bench.convert(0xF4)[2]
      #expect(low != 0)
      #expect(try bench.convert(0x2E)[2] == (isLast ? low : 0))
    }
    #expect(BMP180UndocumentedBehavior().lowByte == .zeros)
  }

  @Test("further bytes of a write are ignored, or pairs")
  func furtherBytes() throws {
    for arePairs in [true, false] {
      let bench = try BMP180Bench { $0.furtherBytes = arePairs ? .pairs : .ignored }
      try bench.write(0xF4, 0x00, 0xF4, 0x2E)
      #expect((bench.sensor.nextChange != nil) == arePairs)
    }
    #expect(BMP180UndocumentedBehavior().furtherBytes == .ignored)
  }

  @Test("data for a read-only register of a BMP180 are acknowledged or not")
  func readOnly() throws {
    let bench = try BMP180Bench()
    try bench.write(0xAA, 0x12)
    #expect(try bench.read(0xAA) == [0x01])
    let strict = try BMP180Bench { $0.readOnlyWrite = .nack }
    #expect(throws: I2CError(.dataNack, byte: 1, errno: .eio)) {
      try strict.write(0xAA, 0x12)
    }
  }

  /// The dumps of real parts: each with its name and the registers from 0x80.
  static let dumps: [(part: String, bytes: [UInt8])] = {
    let text = (try? Fixtures.text("fixtures/captures/bmp180-dumps.csv")) ?? ""
    return text.split(separator: "\n").dropFirst().map { line in
      let fields = line.split(separator: ",")
      return (String(fields[0]), bytes(fields[2]))
    }
  }()

  @Test(
    "undocumented registers of a BMP180 read as in two dumps of real parts, ones or zeros",
    arguments: dumps)
  func reserved(_ dump: (part: String, bytes: [UInt8])) throws {
    var options = BMP180Options()
    options.calibration = BMP180Calibration(bytes: dump.bytes.span.extracting(0x2A..<0x40))
    let bench = try BMP180Bench(options: options)
    // Words in which the second part differs from the first, whose words the model has.
    let own = dump.part == "forum" ? [] : [0x2, 0x4, 0x6, 0x7, 0x8, 0x9]
    var compared = 0
    for register in 0x80...0xFF {
      guard register >= 0xB0 || !own.contains(register & 0x1F) else { continue }
      let read = try bench.read(UInt8(register))[0]
      let expected = dump.bytes[register - 0x80]
      #expect(read == expected, "0x\(String(register, radix: 16)) of \(dump.part)")
      compared += 1
    }
    #expect(compared >= 116)
    #expect(dump.bytes.count == 128 && Self.dumps.count == 2)
    #expect(try BMP180Bench { $0.reservedRegisters = .ones }.read(0xD1, 2) == [0xFF, 0xFF])
    #expect(try BMP180Bench { $0.reservedRegisters = .zeros }.read(0xD1, 2) == [0x00, 0x00])
  }
}
