import BME280
import BME280Model
import I2C
import TestSupport
import Testing
import VirtualI2C

/// Tests of the registers of a chip in sleep mode after power-on.
struct RegisterFactsTests {
  @Test(
    "the id register identifies the chip",
    arguments: [(.bme280, 0x60), (.bmp280, 0x58)] as [(Chip, UInt8)])
  func identity(_ chip: Chip, _ identifier: UInt8) throws {
    #expect(try Probe(chip: chip).read(0xD0) == identifier)
  }

  @Test("registers read their documented reset values", arguments: Chip.allCases)
  func resetValues(_ chip: Chip) throws {
    let probe = try Probe(chip: chip)
    for register in RegisterMap.registers(of: chip) {
      guard let value = register.resetValue else { continue }
      #expect(try probe.read(register.address) == value, "\(register.name)")
    }
  }

  @Test("the calibration reads back as stored in the NVM, in bursts and byte by byte")
  func calibration() throws {
    let probe = try Probe()
    let nvm = bytes(Probe.periph)
    #expect(try probe.read(0x88, count: 26) == Array(nvm[0..<26]))
    #expect(try probe.read(0xE1, count: 7) == Array(nvm[26...]))
    #expect(try probe.read(0x8E) == nvm[6])
  }

  @Test("a BMP280 has no second calibration block, no ctrl_hum and no humidity")
  func bmp280() throws {
    // Even if its image is longer: the 33 bytes of a BME280.
    let probe = try Probe(chip: .bmp280, nvm: Probe.periph)
    try probe.write(0xF2, 0x05)
    for register: UInt8 in [0xA0, 0xA1, 0xE1, 0xE7, 0xF2, 0xFD, 0xFE, 0xFF] {
      #expect(try probe.read(register) == 0, "\(register)")
    }
  }

  @Test("past the data a BME280 reads 0x80, and the address wraps to 0x00")
  func pastTheEnd() throws {
    let tail = try Probe().read(0xFE, count: 4)
    #expect(tail == [0x00, 0x80, 0x00, 0x00])
    #expect(try Probe(chip: .bmp280).read(0xFE, count: 4) == [0x00, 0x00, 0x00, 0x00])
  }

  @Test("writes are pairs of register and data, not auto-incremented")
  func pairs() throws {
    let probe = try Probe()
    let bytes: [UInt8] = [0xF5, 0x90, 0xF2, 0x03, 0xF4, 0x24]
    try probe.adapter.write(bytes.span, to: 0x76)
    #expect(try probe.read(0xF5) == 0x90)
    #expect(try probe.read(0xF2) == 0x03)
    #expect(try probe.read(0xF4) == 0x24)
  }

  @Test("a block write interprets its second data byte as a register address")
  func blockWrite() throws {
    let probe = try Probe()
    let bytes: [UInt8] = [0xF4, 0x24, 0xF5, 0x10]
    try probe.adapter.write(bytes.span, to: 0x76)
    #expect(try probe.read(0xF4) == 0x24)
    #expect(try probe.read(0xF5) == 0x10)
  }

  @Test("a trailing register address only sets the pointer, also before STOP and START")
  func pointer() throws {
    let probe = try Probe()
    let pointer: [UInt8] = [0xD0]
    try probe.adapter.write(pointer.span, to: 0x76)
    var byte: [UInt8] = [0]
    var buffer = byte.mutableSpan
    try probe.adapter.read(into: &buffer, from: 0x76)
    #expect(byte == [0x60])
  }

  @Test("read-only registers acknowledge a write and ignore it")
  func readOnly() throws {
    let probe = try Probe()
    for register: UInt8 in [0x88, 0xA1, 0xD0, 0xE1, 0xF3, 0xF7, 0xFE] {
      let before = try probe.read(register)
      try probe.write(register, ~before)
      #expect(try probe.read(register) == before, "\(register)")
    }
  }

  @Test("ctrl_hum stores three bits and reads back immediately")
  func controlHumidity() throws {
    let probe = try Probe()
    try probe.write(0xF2, 0xFF)
    #expect(try probe.read(0xF2) == 0x07)
  }

  @Test("reset: only 0xB6 has an effect, and the register always reads 0")
  func resetCommand() throws {
    let probe = try Probe()
    try probe.write(0xF5, 0x10)
    try probe.write(0xE0, 0xB5)
    #expect(try probe.read(0xF5) == 0x10)
    try probe.write(0xE0, 0xB6)
    #expect(try probe.read(0xE0) == 0x00)
    #expect(try probe.read(0xF5) == 0x00)
  }

  @Test(
    "while the NVM is copied im_update is 1 and the calibration reads 0", arguments: [true, false])
  func nvmCopy(afterReset: Bool) throws {
    let probe = try Probe(asleep: afterReset)
    if afterReset { try probe.write(0xE0, 0xB6) }
    #expect(try probe.read(0xF3) == 0x01)
    #expect(try probe.read(0x88, count: 26) == [UInt8](repeating: 0, count: 26))
    #expect(try probe.read(0xD0) == 0x60)
    probe.wait(milliseconds: 2)
    #expect(try probe.read(0xF3) == 0x00)
    #expect(try probe.read(0x88) == 0x10)
  }
}
