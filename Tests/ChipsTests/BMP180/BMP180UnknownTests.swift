import Chips
import I2C
import Testing
import VirtualI2C

/// The switches for what nobody knows of the BMP180, each way.
struct BMP180UnknownTests {
  static let nobody = I2CError(.addressNack, message: 0, errno: .enxio)

  @Test("a soft reset of a BMP180 lasts as long as set")
  func resetTime() throws {
    for time in [10_000_000, 2_000_000] as [UInt64] {
      let bench = try BMP180Bench { $0.resetTime = time }
      try bench.write(0xE0, 0xB6)
      #expect(bench.sensor.nextChange == bench.clock.nanoseconds - 2_500 + time)
    }
    #expect(BMP180UnknownBehaviour().resetTime == 10_000_000)
  }

  @Test("while a BMP180 starts its address is refused, or taken")
  func start() throws {
    #expect(throws: Self.nobody) { try BMP180Bench(isStarted: false).read(0xD0) }
    let open = try BMP180Bench(isStarted: false) { $0.accessDuringStart = .taken }
    #expect(try open.read(0xD0) == [0x55])
  }

  @Test("during a conversion the result is the last one, or that of power-on")
  func data() throws {
    for isLast in [true, false] {
      let bench = try BMP180Bench { $0.dataWhileConverting = isLast ? .last : .reset }
      let result = try bench.convert(0xF4)
      try bench.write(0xF4, 0xF4)
      #expect(try bench.read(0xF6, 3) == (isLast ? result : [0x80, 0, 0]))
    }
    #expect(BMP180UnknownBehaviour().dataWhileConverting == .last)
  }

  @Test("a command during a conversion is ignored, or followed")
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
    #expect(BMP180UnknownBehaviour().commandWhileConverting == .ignored)
  }

  @Test("behind a temperature the lowest byte is 0, or what it was")
  func lowByte() throws {
    for isLast in [true, false] {
      // A pressure whose lowest byte is not 0.
      let bench = try BMP180Bench(pascals: 98_765) { $0.lowByte = isLast ? .last : .zeros }
      let low = try bench.convert(0xF4)[2]
      #expect(low != 0)
      #expect(try bench.convert(0x2E)[2] == (isLast ? low : 0))
    }
    #expect(BMP180UnknownBehaviour().lowByte == .zeros)
  }

  @Test("further bytes of a write are ignored, or pairs")
  func furtherBytes() throws {
    for arePairs in [true, false] {
      let bench = try BMP180Bench { $0.furtherBytes = arePairs ? .pairs : .ignored }
      try bench.write(0xF4, 0x00, 0xF4, 0x2E)
      #expect((bench.sensor.nextChange != nil) == arePairs)
    }
    #expect(BMP180UnknownBehaviour().furtherBytes == .ignored)
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

  @Test("a reserved register of a BMP180 reads 0 or ones")
  func reserved() throws {
    #expect(try BMP180Bench().read(0xF5) == [0x00])
    #expect(try BMP180Bench { $0.reservedRegisters = .ones }.read(0xF5) == [0xFF])
  }
}
