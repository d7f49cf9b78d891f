import Machines
import STM32F411
import Testing

/// The streams of DMA1 and DMA2.
struct TransferTests {
  private let part: Part
  init() throws { part = try #require(Part()) }

  /// Sets up and enables a stream.
  private func begin(
    _ base: UInt32, _ stream: UInt32, port: UInt32, memory: UInt32, count: UInt32, _ control: UInt32
  ) {
    let register = base + DMA.S0CR + stream * 0x18
    part[register + DMA.PAR] = port
    part[register + DMA.M0AR] = memory
    part[register + DMA.NDTR] = count
    part[register] = control | 1
  }

  @Test("an STM32F401 has its identity, 96 KB of RAM and no SPI5")
  func stm32F401() throws {
    let part = try #require(Part(.stm32F401))
    #expect(part[0xE004_2000] == 0x1000_0433 && part.machine.memories[1].count == 0x1_8000)
    part[0x4001_3404] = 0x40
    #expect(part.machine.unmodelledRegisters.accesses.isEmpty)
    part[0x4001_5004] = 0x40
    #expect(part.machine.unmodelledRegisters.accesses.count == 1)
  }

  @Test("a memory-to-memory stream copies words and sets HTIF and TCIF")
  func copy() {
    for index: UInt32 in 0..<4 { part[0x2000_1000 + index * 4] = 0x1111_1111 * (index + 1) }
    // Words, both addresses count, memory to memory, TCIE.
    begin(
      Base.DMA2, 2, port: 0x2000_1000, memory: 0x2000_2000, count: 4,
      2 << 13 | 2 << 11 | 1 << 10 | 1 << 9 | 2 << 6 | 1 << 4)
    for index: UInt32 in 0..<4 {
      #expect(part[0x2000_2000 + index * 4] == 0x1111_1111 * (index + 1))
    }
    // TCIF2 and HTIF2 of LISR; the stream is off, and its interrupt is 58.
    #expect(part[Base.DMA2 + DMA.LISR] == 0x30 << 16)
    #expect(part[Base.DMA2 + DMA.S0CR + 2 * 0x18] & 1 == 0)
    #expect(part[Base.DMA2 + DMA.S0CR + 2 * 0x18 + DMA.NDTR] == 0)
    #expect(part.isPending(58))
    part[Base.DMA2 + DMA.LIFCR] = 0x3D << 16
    #expect(part[Base.DMA2 + DMA.LISR] == 0)
  }

  @Test("stream 7 of DMA2 on channel 4 sends bytes through USART1 one after the other")
  func line() {
    var sent: [UInt8] = []
    part.machine.serialPorts[0].output = { byte, _ in sent.append(byte) }
    part[0x2000_1000] = 0x6C6C_6548
    // 115,200 bits a second of 16 MHz; TE, UE; DMAT.
    (part[Base.USART1 + USART.BRR], part[Base.USART1 + USART.CR1], part[Base.USART1 + USART.CR3]) =
      (139, 0x2008, 0x80)
    begin(
      Base.DMA2, 7, port: Base.USART1 + USART.DR, memory: 0x2000_1000, count: 4,
      4 << 25 | 1 << 10 | 1 << 6)
    part.pass(microseconds: 200)
    #expect(sent == [0x48, 0x65])
    part.pass(microseconds: 400)
    #expect(sent == [0x48, 0x65, 0x6C, 0x6C])
    #expect(part[Base.DMA2 + DMA.HISR] >> 22 & 0x20 != 0)
  }

  @Test("a stream on the channel of a different peripheral transfers no data")
  func channel() {
    (part[Base.USART1 + USART.BRR], part[Base.USART1 + USART.CR1], part[Base.USART1 + USART.CR3]) =
      (139, 0x2008, 0x80)
    begin(
      Base.DMA2, 7, port: Base.USART1 + USART.DR, memory: 0x2000_1000, count: 4,
      3 << 25 | 1 << 10 | 1 << 6)
    part.pass(microseconds: 1000)
    #expect(part[Base.DMA2 + DMA.S0CR + 7 * 0x18 + DMA.NDTR] == 4)
  }

  @Test("an unmapped address sets TEIF and disables the stream")
  func nowhere() {
    begin(
      Base.DMA2, 0, port: 0x2100_0000, memory: 0x2000_2000, count: 4, 1 << 10 | 2 << 6)
    #expect(part[Base.DMA2 + DMA.LISR] & 8 == 8)
    #expect(part[Base.DMA2 + DMA.S0CR] & 1 == 0)
  }

  @Test("SPI2 transfers a byte at its bit rate, and receives 0 without a device")
  func shift() throws {
    // Controller, SSM and SSI, 16 MHz / 16; SPE.
    part[Base.SPI2 + SPI.CR1] = 4 | 3 << 8 | 3 << 3 | 1 << 6
    #expect(part[Base.SPI2 + SPI.SR] & 3 == 2)
    part[Base.SPI2 + SPI.DR] = 0xA5
    #expect(part[Base.SPI2 + SPI.SR] & 0x80 == 0x80)
    let took = try #require(part.wait(Base.SPI2 + SPI.SR, 1))
    #expect(took >= 7 && took <= 9)
    #expect(part[Base.SPI2 + SPI.DR] == 0)
    #expect(part[Base.SPI2 + SPI.SR] & 0x83 == 2)
  }

  @Test(
    "ADC1 measures an input, the reference and the temperature sensor with the factory calibration")
  func converter() throws {
    part.machine.analog.input = { number, _ in number == 3 ? 1.5 : 0 }
    part.machine.analog.supply = { _ in 3.3 }
    part.machine.analog.temperature = { _ in 30 }
    part[Base.ADC1 + ADC.CCR] = 1 << 23
    for (channel, code) in [(3, 1861), (17, 1500), (18, 940)] as [(UInt32, UInt32)] {
      part[Base.ADC1 + ADC.SQR3] = channel
      part[Base.ADC1 + ADC.CR2] = 1
      part[Base.ADC1 + ADC.CR2] = 1 | 1 << 30
      _ = try #require(part.wait(Base.ADC1 + ADC.SR, 2))
      #expect(part[Base.ADC1 + ADC.DR] == code)
      #expect(part[Base.ADC1 + ADC.SR] & 2 == 0)
    }
  }

  @Test(
    "the update interrupt of each timer has its vector",
    arguments: [(Base.TIM1, 25), (Base.TIM9, 24), (Base.TIM10, 25), (Base.TIM11, 26)]
      as [(
        UInt32, UInt32
      )])
  func timers(base: UInt32, interrupt: UInt32) {
    // 16 MHz / 16, 100 counts.
    (part[base + TIM.PSC], part[base + TIM.ARR]) = (15, 99)
    part[base + TIM.EGR] = 1
    part[base + TIM.SR] = 0
    part[base + TIM.DIER] = 1
    part[base + TIM.CR1] = 1
    part.pass(microseconds: 90)
    #expect(!part.isPending(interrupt))
    part.pass(microseconds: 20)
    #expect(part.isPending(interrupt))
    #expect(part[base + TIM.SR] & 1 == 1)
  }

  @Test("TIM1 sets UIF every RCR + 1 overflows")
  func repetitions() {
    let base = Base.TIM1
    (part[base + TIM.PSC], part[base + TIM.ARR], part[base + TIM.RCR]) = (15, 99, 2)
    part[base + TIM.EGR] = 1
    part[base + TIM.SR] = 0
    part[base + TIM.CR1] = 1
    part.pass(microseconds: 250)
    #expect(part[base + TIM.SR] & 1 == 0)
    part.pass(microseconds: 100)
    #expect(part[base + TIM.SR] & 1 == 1)
  }
}
