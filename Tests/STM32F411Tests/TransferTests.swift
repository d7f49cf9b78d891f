import Machines
import STM32F411
import Testing

/// The streams of DMA1 and DMA2.
struct TransferTests {
  private let part: Part
  private static let second: UInt32 = 0x4002_6400

  init() throws { part = try #require(Part()) }

  /// Sets up and enables a stream.
  private func begin(
    _ base: UInt32, _ stream: UInt32, port: UInt32, memory: UInt32, count: UInt32, _ control: UInt32
  ) {
    let place = base + 0x10 + stream * 0x18
    (part[place + 8], part[place + 12], part[place + 4]) = (port, memory, count)
    part[place] = control | 1
  }

  @Test("memory goes to memory in its widths, and the stream tells its half and its end")
  func copy() {
    for index: UInt32 in 0..<4 { part[0x2000_1000 + index * 4] = 0x1111_1111 * (index + 1) }
    // Words, both addresses count, memory to memory, TCIE.
    begin(
      Self.second, 2, port: 0x2000_1000, memory: 0x2000_2000, count: 4,
      2 << 13 | 2 << 11 | 1 << 10 | 1 << 9 | 2 << 6 | 1 << 4)
    for index: UInt32 in 0..<4 {
      #expect(part[0x2000_2000 + index * 4] == 0x1111_1111 * (index + 1))
    }
    // TCIF2 and HTIF2 of LISR; the stream is off, and its interrupt is 58.
    #expect(part[Self.second] == 0x30 << 16)
    #expect(part[Self.second + 0x40] & 1 == 0)
    #expect(part[Self.second + 0x44] == 0)
    #expect(part.isPending(58))
    part[Self.second + 8] = 0x3D << 16
    #expect(part[Self.second] == 0)
  }

  @Test("USART1 is fed by stream 7 of DMA2 on channel 4, one byte as the last has gone")
  func line() {
    var sent: [UInt8] = []
    part.machine.serialPorts[0].output = { byte, _ in sent.append(byte) }
    part[0x2000_1000] = 0x6C6C_6548
    // 115,200 bits a second of 16 MHz; TE, UE; DMAT.
    (part[0x4001_1008], part[0x4001_100C], part[0x4001_1014]) = (139, 0x2008, 0x80)
    begin(
      Self.second, 7, port: 0x4001_1004, memory: 0x2000_1000, count: 4,
      4 << 25 | 1 << 10 | 1 << 6)
    part.pass(microseconds: 200)
    #expect(sent == [0x48, 0x65])
    part.pass(microseconds: 400)
    #expect(sent == [0x48, 0x65, 0x6C, 0x6C])
    #expect(part[Self.second + 4] >> 22 & 0x20 != 0)
  }

  @Test("a stream on a channel of somebody else moves nothing")
  func channel() {
    (part[0x4001_1008], part[0x4001_100C], part[0x4001_1014]) = (139, 0x2008, 0x80)
    begin(
      Self.second, 7, port: 0x4001_1004, memory: 0x2000_1000, count: 4,
      3 << 25 | 1 << 10 | 1 << 6)
    part.pass(microseconds: 1000)
    #expect(part[Self.second + 0x10 + 7 * 0x18 + 4] == 4)
  }

  @Test("what lies nowhere is told as a transfer error, and ends the stream")
  func nowhere() {
    begin(
      Self.second, 0, port: 0x2100_0000, memory: 0x2000_2000, count: 4, 1 << 10 | 2 << 6)
    #expect(part[Self.second] & 8 == 8)
    #expect(part[Self.second + 0x10] & 1 == 0)
  }

  @Test("SPI2 shifts a byte as long as its bits take, and takes back what nobody drives")
  func shift() throws {
    // Controller, SSM and SSI, 16 MHz / 16; SPE.
    part[0x4000_3800] = 4 | 3 << 8 | 3 << 3 | 1 << 6
    #expect(part[0x4000_3808] & 3 == 2)
    part[0x4000_380C] = 0xA5
    #expect(part[0x4000_3808] & 0x80 == 0x80)
    let took = try #require(part.wait(0x4000_3808, 1))
    #expect(took >= 7 && took <= 9)
    #expect(part[0x4000_380C] == 0)
    #expect(part[0x4000_3808] & 0x83 == 2)
  }

  @Test("ADC1 measures an input, the reference and the die as the maker's calibration says")
  func converter() throws {
    part.machine.analog.input = { number, _ in number == 3 ? 1.5 : 0 }
    part.machine.analog.supply = { _ in 3.3 }
    part.machine.analog.temperature = { _ in 30 }
    part[0x4001_2304] = 1 << 23
    for (channel, code) in [(3, 1861), (17, 1500), (18, 940)] as [(UInt32, UInt32)] {
      part[0x4001_2034] = channel
      part[0x4001_2008] = 1
      part[0x4001_2008] = 1 | 1 << 30
      _ = try #require(part.wait(0x4001_2000, 2))
      #expect(part[0x4001_204C] == code)
      #expect(part[0x4001_2000] & 2 == 0)
    }
  }

  @Test(
    "each timer's update interrupts where its vector is",
    arguments: [(0x4001_0000, 25), (0x4001_4000, 24), (0x4001_4400, 25), (0x4001_4800, 26)]
      as [(
        UInt32, UInt32
      )])
  func timers(base: UInt32, interrupt: UInt32) {
    // 16 MHz / 16, 100 counts.
    (part[base + 0x28], part[base + 0x2C]) = (15, 99)
    part[base + 0x14] = 1
    part[base + 0x10] = 0
    part[base + 0x0C] = 1
    part[base] = 1
    part.pass(microseconds: 90)
    #expect(!part.isPending(interrupt))
    part.pass(microseconds: 20)
    #expect(part.isPending(interrupt))
    #expect(part[base + 0x10] & 1 == 1)
  }

  @Test("TIM1's repetition counter lets rounds pass untold")
  func repetitions() {
    let base: UInt32 = 0x4001_0000
    (part[base + 0x28], part[base + 0x2C], part[base + 0x30]) = (15, 99, 2)
    part[base + 0x14] = 1
    part[base + 0x10] = 0
    part[base] = 1
    part.pass(microseconds: 250)
    #expect(part[base + 0x10] & 1 == 0)
    part.pass(microseconds: 100)
    #expect(part[base + 0x10] & 1 == 1)
  }
}
