import Chips
import I2C
import Testing
import VirtualI2C

/// Tests each switch for undocumented behavior of the SHT21 in all settings.
struct SHT21UnknownTests {
  @Test("the durations of start-up and reset are configurable")
  func times() throws {
    let bench = try SHT21Bench(isStarted: false) {
      $0.startTime = 5_000_000
      $0.resetTime = 2_000_000
    }
    bench.wait(milliseconds: 4.9)
    #expect(throws: addressNack) { try bench.register() }
    bench.wait(milliseconds: 0.1)
    #expect(try bench.settings() == 0x02)
    try bench.write(0xFE)
    bench.wait(milliseconds: 1.9)
    #expect(throws: addressNack) { try bench.register() }
    bench.wait(milliseconds: 0.1)
    #expect(try bench.settings() == 0x02)
  }

  @Test("during start-up the address is not acknowledged, or it is")
  func accessDuringStart() throws {
    let silent = try SHT21Bench(isStarted: false)
    #expect(throws: addressNack) { try silent.register() }
    let answering = try SHT21Bench(isStarted: false) { $0.accessDuringStart = .taken }
    #expect(try answering.settings() == 0x02)
  }

  @Test("an unknown command is acknowledged or not", arguments: [0x00, 0xE0, 0xF4] as [UInt8])
  func unknownCommand(_ byte: UInt8) throws {
    let refusal = I2CError(.dataNack, errno: .eio)
    let refusing = try SHT21Bench()
    #expect(throws: refusal) { try refusing.write(byte) }
    #expect(throws: I2CError(.dataNack, byte: 1, errno: .eio)) { try refusing.write(0xFA, 0x10) }
    #expect(throws: I2CError(.dataNack, byte: 1, errno: .eio)) { try refusing.write(0xF5, 0x00) }
    let taking = try SHT21Bench { $0.unknownCommand = .ack }
    try taking.write(byte)
    try taking.write(0xFA, 0x10)
    try taking.write(0xE6, 0x83, 0x00)
    #expect(try taking.settings() == 0x83)
  }

  @Test("a read without a command is not acknowledged, or reads ones")
  func idleRead() throws {
    let silent = try SHT21Bench()
    #expect(throws: addressNack) { try silent.read(2) }
    let answering = try SHT21Bench { $0.idleRead = .ones }
    #expect(try answering.read(2) == [0xFF, 0xFF])
  }

  @Test("a result can be read once, or again")
  func secondRead() throws {
    let once = try SHT21Bench()
    _ = try once.measure(0xF5)
    #expect(throws: addressNack) { try once.read(3) }
    let again = try SHT21Bench { $0.secondRead = .again }
    let word = try again.measure(0xF5)
    #expect(try again.read(2) == [UInt8(word >> 8), UInt8(word & 0xFF)])
  }

  @Test("a command during a measurement is not acknowledged, or takes effect")
  func commandWhileMeasuring() throws {
    let silent = try SHT21Bench()
    try silent.write(0xF3)
    #expect(throws: addressNack) { try silent.write(0xFE) }
    let following = try SHT21Bench { $0.commandWhileMeasuring = .followed }
    try following.write(0xF3)
    try following.write(0xF5)
    following.wait(milliseconds: 22)
    #expect(try following.read(2)[1] & 0b11 == 0b10)
  }

  @Test("reserved bits read 0 or 1")
  func reservedBits() throws {
    #expect(try SHT21Bench { $0.reservedBits = .zeros }.register() == 0x02)
    #expect(try SHT21Bench { $0.reservedBits = .ones }.register() == 0x3A)
    #expect(try SHT21Bench().register() == 0x3A)
  }

  @Test("reserved bits are preserved, or read back as written")
  func reservedWrite() throws {
    let keeping = try SHT21Bench { $0.reservedBits = .ones }
    try keeping.write(0xE6, 0x02)
    #expect(try keeping.register() == 0x3A)
    let taking = try SHT21Bench { $0.reservedWrite = .taken }
    try taking.write(0xE6, 0x02)
    #expect(try taking.register() == 0x02)
  }

  @Test("bits below the resolution read 0, or are measured")
  func unusedBits() throws {
    let coarse = try SHT21Bench(humidity: 47.11)
    try coarse.write(0xE6, 0x03)
    #expect(try coarse.measure(0xF5) & 0x00FC == 0)
    let fine = try SHT21Bench(humidity: 47.11) { $0.unusedBits = .measured }
    try fine.write(0xE6, 0x03)
    #expect(abs(try fine.percent() - 47.11) < 0.01)
  }

  @Test("a reload restores the reload bit, or preserves it")
  func reloadBit() throws {
    let returning = try SHT21Bench()
    try returning.write(0xE6, 0x80)
    _ = try returning.measure(0xF5)
    #expect(try returning.settings() == 0x02)
    let staying = try SHT21Bench { $0.reloadBit = .kept }
    try staying.write(0xE6, 0x80)
    _ = try staying.measure(0xF5)
    #expect(try staying.settings() == 0x00)
  }

  @Test("a read after the last byte returns ones or zeros")
  func pastEnd() throws {
    #expect(try SHT21Bench().exchange([0xE7], 3) == [0x3A, 0xFF, 0xFF])
    #expect(try SHT21Bench { $0.pastEnd = .zeros }.exchange([0xE7], 3) == [0x3A, 0x00, 0x00])
  }

  @Test("a checksum of the serial number covers one byte, or all so far")
  func serialChecksum() throws {
    var options = SHT21Options()
    options.serialNumber = SHT21SerialNumber(rawValue: 0x0102_683A_0506_0708)
    let each = try SHT21Bench(options: options).exchange([0xFA, 0x0F], 4)
    #expect(each[3] == SHT21Checksum(of: UInt8(0x3A)).value)
    let running = try SHT21Bench(options: options) { $0.serialChecksum = .running }
    #expect(try running.exchange([0xFA, 0x0F], 4)[3] == 0x7C, "Sensirion's example of two bytes")
  }
}
