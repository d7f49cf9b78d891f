import Machines
import RP2040
import Testing

/// Pins, PWM, ADC and UART.
struct PinTests {
  @Test("an output of SIO drives its pin; the pulls of the pads hold an input")
  func pins() throws {
    let part = try #require(Part())
    let bank = part.machine.pins
    let pin = try #require(bank.index(of: "GP15"))
    #expect(pin == 15 && bank.index(of: "gpio15") == 15)
    #expect(bank.drive(of: pin) == .pulled(false), "pads have a pull-down after a reset")
    part.select(5, of: 15)
    part[Base.SIO + SIO.GPIO_OE_SET] = 1 << 15
    part[Base.SIO + SIO.GPIO_OUT_XOR] = 1 << 15
    #expect(bank.drive(of: pin) == .driven(true))
    #expect(part[Base.SIO + SIO.GPIO_IN] >> 15 & 1 == 1)
    part[Base.SIO + SIO.GPIO_OUT_CLR] = 1 << 15
    #expect(bank.drive(of: pin) == .driven(false))
    part[Base.SIO + SIO.GPIO_OE_CLR] = 1 << 15
    part[Base.PADS_BANK0 + 4 + 15 * 4] = 0x4A
    #expect(bank.drive(of: pin) == .pulled(true))
    #expect(part[Base.SIO + SIO.GPIO_IN] >> 15 & 1 == 1)
    bank.set(pin, to: false)
    #expect(part[Base.SIO + SIO.GPIO_IN] >> 15 & 1 == 0)
  }

  @Test("edges stay pending until they are cleared, levels follow the pin")
  func interrupts() throws {
    let part = try #require(Part())
    let pin = 9
    part.select(5, of: 9)
    // Bits 4 to 7 of INTR1 are those of GPIO9: level low and high, edge low and high.
    part[Base.IO_BANK0 + IO_BANK0.PROC0_INTE0 + 4] = 8 << 4
    part.machine.pins.set(pin, to: true)
    #expect(part.isPending(13))
    #expect(part[Base.IO_BANK0 + IO_BANK0.PROC0_INTS0 + 4] == 8 << 4)
    #expect(part[Base.IO_BANK0 + IO_BANK0.INTR0 + 4] & 0xF0 == 0xA0)
    part[Base.IO_BANK0 + IO_BANK0.INTR0 + 4] = 8 << 4
    #expect(part[Base.IO_BANK0 + IO_BANK0.PROC0_INTS0 + 4] == 0)
    part[Base.IO_BANK0 + IO_BANK0.PROC0_INTE0 + 4] = 1 << 4
    #expect(part[Base.IO_BANK0 + IO_BANK0.PROC0_INTS0 + 4] == 0)
    part.machine.pins.set(pin, to: false)
    #expect(part[Base.IO_BANK0 + IO_BANK0.PROC0_INTS0 + 4] == 1 << 4)
  }

  @Test(
    "a PWM slice has its period and pulse width at the pin, also counting up and down",
    arguments: [(false, 100, 25), (true, 200, 50)])
  func pwm(_ isSymmetric: Bool, _ period: UInt64, _ width: UInt64) throws {
    let part = try #require(Part())
    let pin = 3
    var edges: [(level: Bool, time: UInt64)] = []
    part.machine.pins.observe(pin)
    part.machine.pins.output = { changed, drive, time in
      if changed == pin, case .driven(let level) = drive { edges.append((level, time)) }
    }
    part.select(4, of: 3)
    // Slice 1, output B: 125 counts are 1 µs.
    let slice = Base.PWM + 20
    part[slice + PWM.DIV] = 125 << 4
    part[slice + PWM.TOP] = isSymmetric ? 100 : 99
    part[slice + PWM.CC] = 25 << 16
    part[slice + PWM.CSR] = isSymmetric ? 3 : 1
    part.pass(microseconds: 1000)
    let rising = edges.filter(\.level).map(\.time)
    let falling = edges.filter { !$0.level }.map(\.time)
    let periods = zip(rising.dropFirst(), rising.dropFirst(2)).map { ($1 - $0 + 500) / 1000 }
    #expect(periods.count >= 3 && Set(periods) == [period])
    let second = try #require(rising.dropFirst().first)
    let end = try #require(falling.first { $0 > second })
    #expect((end - second + 500) / 1000 == (isSymmetric ? width - 1 : width))
  }

  @Test("a PWM interrupt comes at each wrap")
  func wrap() throws {
    let part = try #require(Part())
    part[Base.PWM + PWM.DIV] = 125 << 4
    part[Base.PWM + PWM.TOP] = 999
    part[Base.PWM + PWM.INTE] = 1
    part[Base.PWM + PWM.EN] = 1
    part.pass(microseconds: 990)
    #expect(!part.isPending(4))
    part.pass(microseconds: 20)
    #expect(part.isPending(4) && part[Base.PWM + PWM.INTR] == 1)
    part[Base.PWM + PWM.INTR] = 1
    #expect(part[Base.PWM + PWM.INTR] == 0)
  }

  @Test("the ADC converts a voltage in 2 µs, and the temperature by the data sheet's line")
  func adc() throws {
    let part = try #require(Part())
    part.machine.analog.input = { number, _ in number == 2 ? 1.65 : 0 }
    part.machine.analog.temperature = { _ in 27 }
    // clk_adc: 12 MHz from the crystal, 96 cycles.
    part[Base.CLOCKS + CLOCKS.CLK_ADC_CTRL] = 1 << 11 | 3 << 5
    part[Base.ADC + ADC.CS] = 3 | 2 << 12 | 4
    #expect(part[Base.ADC + ADC.CS] >> 8 & 1 == 0)
    let time = try #require(part.wait(Base.ADC + ADC.CS, 1 << 8))
    #expect((8...9).contains(time))
    #expect(part[Base.ADC + ADC.RESULT] == 2048)
    part[Base.ADC + ADC.CS] = 3 | 4 << 12 | 4
    part.pass(microseconds: 10)
    #expect(part[Base.ADC + ADC.RESULT] == 876, "0.706 V of 3.3 V")
  }

  @Test("the ADC converts the inputs of RROBIN in turn into its FIFO")
  func roundRobin() throws {
    let part = try #require(Part())
    part.machine.analog.input = { number, _ in Double(number) * 0.8252 }
    part[Base.CLOCKS + CLOCKS.CLK_ADC_CTRL] = 1 << 11 | 3 << 5
    part[Base.ADC + ADC.FCS] = 1 | 3 << 24
    part[Base.ADC + ADC.CS] = 1 | 8 | 0b1010 << 16 | 1 << 12
    part.pass(microseconds: 26)
    #expect((0..<3).map { _ in part[Base.ADC + ADC.FIFO] } == [1024, 3072, 1024])
  }

  @Test("a UART sends and receives at its baud rate through its FIFOs")
  func uart() throws {
    let part = try #require(Part())
    var sent: [(byte: UInt8, time: UInt64)] = []
    part.machine.serialPorts[1].output = { sent.append(($0, $1)) }
    part[Base.UART1 + UART.UARTIBRD] = 67
    part[Base.UART1 + UART.UARTFBRD] = 52
    part[Base.UART1 + UART.UARTLCR_H] = 0x70
    part[Base.UART1 + UART.UARTCR] = 0x301
    part[Base.UART1 + UART.UARTIMSC] = 1 << 6
    #expect(abs(Int(part.machine.serialPorts[1].baudRate) - 115_200) < 50)
    let start = part.nanoseconds
    for byte in 1...3 { part[Base.UART1 + UART.UARTDR] = UInt32(byte) }
    #expect(part[Base.UART1 + UART.UARTFR] & 8 != 0)
    part.machine.serialPorts[1].send([0x41, 0x42])
    part.pass(microseconds: 300)
    #expect(sent.map(\.byte) == [1, 2, 3])
    #expect(sent.last.map { (255_000...265_000).contains($0.time - start) } == true)
    #expect(part[Base.UART1 + UART.UARTFR] & 0x98 == 0x80)
    // RT: 32 bit times without another byte.
    #expect(!part.isPending(21))
    part.pass(microseconds: 300)
    #expect(part.isPending(21))
    #expect((0..<2).map { _ in part[Base.UART1 + UART.UARTDR] } == [0x41, 0x42])
    #expect(
      part[Base.UART1 + UART.UARTFR] & 16 != 0 && part[Base.UART1 + UART.UARTRIS] & 1 << 6 == 0)
  }
}
