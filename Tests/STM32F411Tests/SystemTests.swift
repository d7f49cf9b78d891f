import Machines
import STM32F411
import Testing

/// The members of the family, CRC, RNG and the watchdogs.
struct SystemTests {
  private static let RCC: UInt32 = 0x4002_3800, CRC: UInt32 = 0x4002_3000
  private static let RNG: UInt32 = 0x5006_0800, WWDG: UInt32 = 0x4000_2C00
  private static let USART3: UInt32 = 0x4000_4800

  @Test("an STM32F405 has its identity, 1 MB of flash, core-coupled memory and its own peripherals")
  func stm32F405() throws {
    let part = try #require(Part(.stm32F405))
    #expect(part[0xE004_2000] & 0xFFF == 0x413 && part[0x1FFF_7A20] >> 16 == 1024)
    #expect(part.machine.memories.map(\.count) == [0x10_0000, 0x2_0000, 0x1_0000])
    part[0x1000_FFFC] = 0x1234_5678
    #expect(part[0x1000_FFFC] == 0x1234_5678)
    #expect(
      part.machine.serialPorts.map(\.name)
        == ["USART1", "USART2", "USART3", "UART4", "UART5", "USART6"])
    // USART3, TIM6, TIM8, TIM12 to TIM14, AHB3ENR.
    for address: UInt32 in [
      Self.USART3 + 8, 0x4000_1028, 0x4001_0428, 0x4000_1828, 0x4000_1C28, 0x4000_2028,
      Self.RCC + 0x38,
    ] {
      part[address] = 1
      #expect(part[address] == 1)
    }
    #expect(part.machine.unmodelledRegisters.accesses.isEmpty)
    // SPI4.
    part[0x4001_3404] = 1
    #expect(part.machine.unmodelledRegisters.accesses.count == 1)
  }

  @Test(
    "TIM8 and TIM12 to TIM14 of an STM32F405 drive their pins",
    arguments: [
      (0x4001_0400, "PC6", 0x4002_0800, 6, 3), (0x4000_1800, "PB14", 0x4002_0400, 14, 9),
      (0x4000_1C00, "PA6", 0x4002_0000, 6, 9), (0x4000_2000, "PA7", 0x4002_0000, 7, 9),
    ] as [(UInt32, String, UInt32, UInt32, UInt32)])
  func furtherTimers(
    _ timer: UInt32, _ name: String, _ port: UInt32, _ pin: UInt32, _ function: UInt32
  ) throws {
    let part = try #require(Part(.stm32F405))
    part[port] = part[port] & ~(3 << (pin * 2)) | 2 << (pin * 2)
    part[port + (pin < 8 ? 0x20 : 0x24)] = function << (pin % 8 * 4)
    // Forced active, CC1E, MOE.
    part[timer + TIM.CCMR1] = 5 << 4
    part[timer + TIM.BDTR] = 1 << 15
    let index = try #require(part.machine.pins.index(of: name))
    #expect(part.machine.pins.drive(of: index) == .floating)
    part[timer + TIM.CCER] = 1
    #expect(part.machine.pins.drive(of: index) == .driven(true))
  }

  @Test("USART3 of an STM32F405 sends a byte through DMA1")
  func furtherUSART() throws {
    let part = try #require(Part(.stm32F405))
    var sent: [UInt8] = []
    part.machine.serialPorts[2].output = { byte, _ in sent.append(byte) }
    part[0x2000_1000] = 0x41
    (part[Self.USART3 + USART.BRR], part[Self.USART3 + USART.CR1]) = (139, 0x2008)
    part[Self.USART3 + USART.CR3] = 0x80
    // Stream 3, channel 4, memory to peripheral.
    let stream = Base.DMA1 + DMA.S0CR + 3 * 0x18
    (part[stream + DMA.PAR], part[stream + DMA.M0AR]) = (Self.USART3 + USART.DR, 0x2000_1000)
    part[stream + DMA.NDTR] = 1
    part[stream] = 4 << 25 | 1 << 6 | 1
    part.pass(microseconds: 200)
    #expect(sent == [0x41])
  }

  @Test(
    "CRC computes the remainder of 32-bit words",
    arguments: [(0, 0xC704_DD7B), (0x1234_5678, 0xDF8A_8A2B)] as [(UInt32, UInt32)])
  func remainder(_ word: UInt32, _ remainder: UInt32) throws {
    let part = try #require(Part())
    for _ in 0..<2 {
      part[Self.CRC + crcControl] = 1
      #expect(part[Self.CRC] == .max)
      part[Self.CRC] = word
      #expect(part[Self.CRC] == remainder)
    }
  }
  private let crcControl: UInt32 = 8

  @Test("RNG delivers other words each time, the same for the same seed, after 40 cycles of 48 MHz")
  func random() throws {
    func words() throws -> [UInt32] {
      let part = try #require(Part(.stm32F405))
      // HSI / 16 * 192 / 4 = 48 MHz at both outputs.
      part[Self.RCC + 0x04] = 16 | 192 << 6 | 1 << 16 | 4 << 24
      part[Self.RCC] |= 1 << 24
      part.pass(microseconds: 200)
      part[Self.RNG] = 4
      return try (0..<4).map { _ in
        #expect(part[Self.RNG + 4] & 1 == 0)
        _ = try #require(part.wait(Self.RNG + 4, 1))
        return part[Self.RNG + 8]
      }
    }
    let first = try words()
    #expect(Set(first).count == 4)
    #expect(try words() == first)
  }

  @Test("RNG without the 48 MHz clock sets the clock error flags and the interrupt")
  func clockError() throws {
    let part = try #require(Part(.stm32F405))
    part[Self.RNG] = 4 | 8
    #expect(part[Self.RNG + 4] == 0x22 && part.isPending(80))
    part[Self.RNG + 4] = 0
    #expect(part[Self.RNG + 4] == 0x02)
  }

  /// Runs for some time; returns the cause of a reset, if there was one.
  private func reset(_ part: Part, within microseconds: UInt64) -> ResetCause? {
    if case .reset(let cause) = part.pass(microseconds: microseconds) { cause } else { nil }
  }

  @Test("WWDG resets the chip one tick after 0x40, and RCC names it")
  func windowWatchdog() throws {
    let part = try #require(Part())
    part[Self.WWDG + 4] = 0x7F
    // 16 ticks of 4096 / 16 MHz until 0x3F.
    part[Self.WWDG] = 0x80 | 0x4F
    #expect(reset(part, within: 16 * 256 - 10) == nil)
    #expect(part[Self.WWDG] == 0x80 | 0x40 && part[Self.WWDG + 8] == 1)
    #expect(reset(part, within: 20) == .windowWatchdog)
    #expect(part[Self.RCC + 0x74] >> 29 & 3 == 2)
  }

  @Test("WWDG requests its early interrupt at 0x40, and a reload in time prevents the reset")
  func earlyInterrupt() throws {
    let part = try #require(Part())
    part[Self.WWDG + 4] = 0x7F | 1 << 9
    part[Self.WWDG] = 0x80 | 0x44
    for _ in 0..<5 {
      #expect(reset(part, within: 4 * 256 + 10) == nil)
      #expect(part.isPending(0))
      part[Self.WWDG + 8] = 0
      part[Self.WWDG] = 0x44
    }
  }

  @Test(
    "WWDG resets the chip if it is reloaded before the window, or with a count below 0x40",
    arguments: [0x7F, 0x3F] as [UInt32])
  func early(_ count: UInt32) throws {
    let part = try #require(Part())
    part[Self.WWDG + 4] = 0x50
    part[Self.WWDG] = 0x80 | 0x7F
    #expect(reset(part, within: 256) == nil)
    part[Self.WWDG] = count
    #expect(reset(part, within: 1) == .windowWatchdog)
  }

  @Test("WWDG counts slower with WDGTB and with a divided APB1 clock")
  func slower() throws {
    let part = try #require(Part())
    part[Self.RCC + 0x08] = 4 << 10
    part[Self.WWDG + 4] = 0x7F | 1 << 7
    part[Self.WWDG] = 0x80 | 0x41
    #expect(reset(part, within: 2 * 4 * 256 - 10) == nil)
    #expect(reset(part, within: 20) == .windowWatchdog)
  }
}
