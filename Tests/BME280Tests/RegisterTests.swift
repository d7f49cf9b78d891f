import BME280
import Testing

/// The register map and the fields of its registers (DS 5.3, 5.4).
struct RegisterTests {
  @Test(
    "ids 0x60, 0x58, 0x56 and 0x57 identify a chip, and other ids do not",
    arguments: [
      (0x60, .bme280), (0x58, .bmp280), (0x56, .bmp280), (0x57, .bmp280), (0x55, nil),
      (0x61, nil), (0x00, nil), (0xFF, nil),
    ] as [(UInt8, Chip?)])
  func identifiers(_ identifier: UInt8, _ chip: Chip?) {
    #expect(Chip(identifier: identifier) == chip)
  }

  @Test("the register map lists the documented registers with their reset values")
  func bme280Map() throws {
    let map = RegisterMap.registers(of: .bme280)
    func reset(_ name: String) -> UInt8? { map.first { "\($0.name)" == name }?.resetValue }
    #expect(reset("id") == 0x60)
    #expect(reset("reset") == 0x00)
    for name in ["ctrl_hum", "status", "ctrl_meas", "config", "press_lsb", "temp_xlsb"] {
      #expect(reset(name) == 0x00, "\(name)")
    }
    for name in ["press_msb", "temp_msb", "hum_msb"] { #expect(reset(name) == 0x80, "\(name)") }
    #expect(map.map(\.address) == map.map(\.address).sorted())
    let status = try #require(map.first { $0.address == 0xF3 })
    #expect(status.access == .readOnly)
    #expect(status.mask == 0x09)
    #expect(map.first { $0.address == 0xE0 }?.access == .writeOnly)
    #expect(map.first { $0.address == 0x88 }?.count == 26)
  }

  @Test("a BMP280 has no humidity registers")
  func bmp280Map() {
    let map = RegisterMap.registers(of: .bmp280)
    let addresses = Set(map.map(\.address))
    for absent: UInt8 in [0xE1, 0xF2, 0xFD, 0xFE] { #expect(!addresses.contains(absent)) }
    #expect(map.first { $0.address == 0x88 }?.count == 24)
    #expect(map.first { $0.address == 0xD0 }?.resetValue == 0x58)
  }

  @Test("oversampling code 000 skips the quantity, and codes 101 to 111 mean x16")
  func oversampling() {
    #expect((0..<8).map { Oversampling(bits: $0).samples } == [0, 1, 2, 4, 8, 16, 16, 16])
    #expect([0, 1, 2, 4, 8, 16].map { Oversampling(samples: $0)?.rawValue } == [0, 1, 2, 3, 4, 5])
    #expect(Oversampling(samples: 3) == nil)
    #expect([.x1, .x2, .x4, .x8, .x16].map(\Oversampling.resolutionBits) == [16, 17, 18, 19, 20])
  }

  @Test("filter codes 100 to 111 mean a coefficient of 16")
  func filter() {
    #expect((0..<8).map { Filter(bits: $0).coefficient } == [1, 2, 4, 8, 16, 16, 16, 16])
    #expect(Filter(coefficient: 3) == nil)
  }

  @Test("mode codes 01 and 10 both mean forced mode")
  func modes() {
    #expect((0..<4).map { PowerMode(bits: $0) } == [.sleep, .forced, .forced, .normal])
  }

  @Test("standby times differ between the chips in the last two codes")
  func standby() {
    let common: [UInt64] = [500_000, 62_500_000, 125_000_000, 250_000_000, 500_000_000]
    func times(_ chip: Chip) -> [UInt64] {
      (0..<8).map { Standby(rawValue: $0).nanoseconds(on: chip) }
    }
    #expect(times(.bme280) == common + [1_000_000_000, 10_000_000, 20_000_000])
    #expect(times(.bmp280) == common + [1_000_000_000, 2_000_000_000, 4_000_000_000])
    #expect(Standby(nanoseconds: 20_000_000, on: .bme280)?.rawValue == 7)
    #expect(Standby(nanoseconds: 20_000_000, on: .bmp280) == nil)
  }

  @Test(
    "decoding and encoding a control register preserves its fields",
    arguments: UInt8.min...UInt8.max)
  func controlRegisters(_ byte: UInt8) {
    let control = ControlMeasurement(byte: byte)
    #expect(ControlMeasurement(byte: control.byte) == control)
    let configuration = Configuration(byte: byte)
    #expect(Configuration(byte: configuration.byte) == configuration)
  }

  @Test("ctrl_meas 0x25 means x1, x1, forced mode; config 0x90 means 500 ms and coefficient 16")
  func examples() {
    let control = ControlMeasurement(temperature: .x1, pressure: .x1, mode: .forced)
    #expect(control.byte == 0x25)
    let configuration = Configuration(byte: 0x90)
    #expect(configuration.standby.nanoseconds(on: .bme280) == 500_000_000)
    #expect(configuration.filter == .c16)
  }

  @Test("decoding and encoding the data registers restores their bytes")
  func data() {
    let bytes: [UInt8] = [0x4A, 0x52, 0xC0, 0x80, 0x96, 0xC0, 0x7A, 0x76]
    let raw = RawMeasurement(registers: bytes.span)
    #expect(raw == RawMeasurement(temperature: 526_700, pressure: 304_428, humidity: 31_350))
    let encoded = raw.registers
    #expect(encoded.indices.map { encoded[$0] } == bytes)
    let reset = RawMeasurement().registers
    #expect(reset.indices.map { reset[$0] } == [0x80, 0, 0, 0x80, 0, 0, 0x80, 0])
  }
}
