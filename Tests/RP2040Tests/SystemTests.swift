import Machines
import RP2040
import Testing

/// The clocks, the resets, atomic access, SIO, TIMER and WATCHDOG.
struct SystemTests {
  @Test(
    "after a reset the chip runs at 6.5 MHz; the PLL gives 12 MHz * FBDIV / POSTDIV1 / POSTDIV2")
  func clocks() throws {
    #expect(RP2040().clock.frequency == 6_500_000)
    let part = try #require(Part())
    #expect(part.machine.clock.frequency == 125_000_000)
    // The sources of clk_ref (XOSC) and clk_sys (its auxiliary one), a bit each.
    #expect(part[Base.CLOCKS + 0x38] == 4 && part[Base.CLOCKS + 0x44] == 2)
    part[Base.PLL_SYS + 8] = 133
    #expect(part.machine.clock.frequency == 133_000_000)
    // DIV: 8 bits of fraction.
    part[Base.CLOCKS + 0x40] = 0x280
    #expect(part.machine.clock.frequency == 53_200_000)
  }

  @Test("the aliases of a register flip, set and clear bits; a byte is written to all lanes")
  func atomic() throws {
    let part = try #require(Part())
    let scratch = Base.WATCHDOG + WATCHDOG.SCRATCH0
    part[Base.RESETS + 0x4] = 0xF0
    part[Base.RESETS + 0x1004] = 0x11
    #expect(part[Base.RESETS + 0x4] == 0xE1)
    part[Base.RESETS + 0x2004] = 0x0E
    #expect(part[Base.RESETS + 0x4] == 0xEF)
    part[Base.RESETS + 0x3004] = 0xE0
    #expect(part[Base.RESETS + 0x4] == 0x0F)
    #expect(part[Base.RESETS + 0x2004] == 0x0F, "an alias reads the register")
    part.write(0xA5, at: scratch)
    #expect(part[scratch] == 0xA5A5_A5A5)
  }

  @Test("a subsystem in reset has its reset values, and RESET_DONE follows RESET")
  func resets() throws {
    let part = try #require(Part())
    part[Base.UART0 + UART.UARTIBRD] = 67
    part[Base.RESETS + 0x2000] = 1 << 22
    #expect(part[Base.RESETS + RESETS.RESET_DONE] >> 22 & 1 == 0)
    #expect(part[Base.UART0 + UART.UARTIBRD] == 0)
    part[Base.RESETS + 0x3000] = 1 << 22
    #expect(part[Base.RESETS + RESETS.RESET_DONE] >> 22 & 1 == 1)
  }

  @Test(
    "the divider gives quotient and remainder, with the data sheet's results for a divisor of 0",
    arguments: [
      (7, 2, false, 3, 1), (-7, 2, true, -3, -1), (7, -2, true, -3, 1), (5, 0, false, -1, 5),
      (5, 0, true, -1, 5), (-5, 0, true, 1, -5), (Int32.min, -1, true, Int32.min, 0),
    ] as [(Int32, Int32, Bool, Int32, Int32)])
  func divider(
    _ dividend: Int32, _ divisor: Int32, _ isSigned: Bool, _ quotient: Int32, _ remainder: Int32
  ) throws {
    let part = try #require(Part())
    let first = isSigned ? SIO.DIV_SDIVIDEND : SIO.DIV_UDIVIDEND
    part[Base.SIO + first] = UInt32(bitPattern: dividend)
    part[Base.SIO + first + 4] = UInt32(bitPattern: divisor)
    #expect(part[Base.SIO + SIO.DIV_CSR] == 3)
    #expect(Int32(bitPattern: part[Base.SIO + SIO.DIV_REMAINDER]) == remainder)
    #expect(Int32(bitPattern: part[Base.SIO + SIO.DIV_QUOTIENT]) == quotient)
    #expect(part[Base.SIO + SIO.DIV_CSR] == 1, "reading the quotient clears DIRTY")
  }

  @Test("a spin lock is claimed by the first read, and free after a write")
  func locks() throws {
    let part = try #require(Part())
    let lock = Base.SIO + SIO.SPINLOCK0 + 5 * 4
    #expect(part[lock] == 1 << 5)
    #expect(part[lock] == 0)
    part[lock] = 1
    #expect(part[lock] == 1 << 5)
  }

  @Test("the timer counts microseconds in 64 bits, whatever clk_sys is")
  func timer() throws {
    let part = try #require(Part())
    let start = part[Base.TIMER + TIMER.TIMELR]
    part.pass(microseconds: 1000)
    #expect((999...1001).contains(part[Base.TIMER + TIMER.TIMELR] - start))
    part[Base.CLOCKS + CLOCKS.CLK_SYS_CTRL] = 0
    part.pass(microseconds: 1000)
    #expect((1998...2002).contains(part[Base.TIMER + TIMER.TIMERAWL] - start))
    #expect(part[Base.TIMER + TIMER.TIMEHR] == 0)
  }

  @Test("an alarm fires when the lower half of the count reaches it, once")
  func alarm() throws {
    let part = try #require(Part())
    part[Base.TIMER + TIMER.INTE] = 4
    part[Base.TIMER + TIMER.ALARM0 + 8] = part[Base.TIMER + TIMER.TIMERAWL] &+ 500
    #expect(part[Base.TIMER + TIMER.ARMED] == 4)
    part.pass(microseconds: 498)
    #expect(!part.isPending(2))
    part.pass(microseconds: 4)
    #expect(part.isPending(2) && part[Base.TIMER + TIMER.ARMED] == 0)
    part[Base.TIMER + TIMER.INTR] = 4
    #expect(part[Base.TIMER + TIMER.INTS] == 0)
  }

  @Test("the watchdog resets the chip after half its count in ticks (RP2040-E1), and keeps scratch")
  func watchdog() throws {
    let part = try #require(Part())
    part[Base.WATCHDOG + WATCHDOG.SCRATCH0] = 0x1234
    part[Base.WATCHDOG + WATCHDOG.LOAD] = 2000
    part[Base.WATCHDOG + WATCHDOG.CTRL] = 1 << 30
    #expect(part.pass(microseconds: 900) == .reached)
    part[Base.WATCHDOG + WATCHDOG.LOAD] = 2000
    #expect(part.pass(microseconds: 900) == .reached)
    #expect(part.pass(microseconds: 200) == .reset(.watchdog))
    #expect(part[Base.WATCHDOG + WATCHDOG.REASON] == 1)
    #expect(part[Base.WATCHDOG + WATCHDOG.SCRATCH0] == 0x1234)
    #expect(part.machine.clock.frequency == 6_500_000)
  }

  @Test("an unmodelled peripheral and core 1 are reported, each once")
  func unmodelled() throws {
    let part = try #require(Part())
    #expect(part.machine.unmodelledRegisters.accesses.isEmpty)
    // DMA CH0_READ_ADDR, twice, and the FIFO to core 1.
    part[0x5000_0000] = 1
    part[0x5000_0000] = 2
    #expect(part[0x5000_0000] == 2)
    part[Base.SIO + 0x54] = 0
    let accesses = part.machine.unmodelledRegisters.accesses
    #expect(accesses.map(\.address) == [0x5000_0000, 0x5000_0000, Base.SIO + 0x54])
    #expect(accesses.last?.mode == "core 1")
  }
}
