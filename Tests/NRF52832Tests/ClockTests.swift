import Machines
import NRF52832
import TestSupport
import Testing

struct ClockTests {
  private func started() -> Part {
    let part = Part()
    part[Base.CLOCK + CLOCK.LFCLKSRC] = 1
    part[Base.CLOCK + CLOCK.TASKS_LFCLKSTART] = 1
    _ = part.await(Base.CLOCK + CLOCK.EVENTS_LFCLKSTARTED)
    return part
  }

  private func isNear(_ value: Double?, _ expected: Double, within: Double) -> Bool {
    value.map { abs($0 - expected) <= within } ?? false
  }

  @Test("both clocks start within their start-up time and report event, status and source")
  func start() {
    let part = Part()
    part[Base.CLOCK + CLOCK.TASKS_HFCLKSTART] = 1
    #expect(part[Base.CLOCK + CLOCK.HFCLKRUN] == 1)
    #expect(part[Base.CLOCK + CLOCK.HFCLKSTAT] == 0)
    #expect(isNear(part.await(Base.CLOCK + CLOCK.EVENTS_HFCLKSTARTED), 360, within: 1))
    #expect(part[Base.CLOCK + CLOCK.HFCLKSTAT] == 0x1_0001)
    part[Base.CLOCK + CLOCK.TASKS_HFCLKSTOP] = 1
    #expect(part[Base.CLOCK + CLOCK.HFCLKSTAT] == 0)
    part[Base.CLOCK + CLOCK.LFCLKSRC] = 1
    part[Base.CLOCK + CLOCK.TASKS_LFCLKSTART] = 1
    #expect(part[Base.CLOCK + CLOCK.LFCLKSTAT] == 0)
    #expect(isNear(part.await(Base.CLOCK + CLOCK.EVENTS_LFCLKSTARTED), 250_000, within: 1))
    #expect(part[Base.CLOCK + CLOCK.LFCLKSTAT] == 0x1_0001)
  }

  @Test(
    "an RTC counts 32,768 Hz divided by its prescaler, and stops without its clock")
  func counter() {
    let part = started()
    part[Base.RTC0 + RTC.TASKS_START] = 1
    part.pass(microseconds: 1_000_000)
    #expect((32_766...32_768).contains(part[Base.RTC0 + RTC.COUNTER]))
    part[Base.RTC0 + RTC.TASKS_STOP] = 1
    let stopped = part[Base.RTC0 + RTC.COUNTER]
    part.pass(microseconds: 1000)
    #expect(part[Base.RTC0 + RTC.COUNTER] == stopped)
    part[Base.RTC0 + RTC.PRESCALER] = 4095
    part[Base.RTC0 + RTC.TASKS_CLEAR] = 1
    part[Base.RTC0 + RTC.TASKS_START] = 1
    part.pass(microseconds: 1_000_000)
    #expect((7...8).contains(part[Base.RTC0 + RTC.COUNTER]))
    part[Base.CLOCK + CLOCK.TASKS_LFCLKSTOP] = 1
    let without = part[Base.RTC0 + RTC.COUNTER]
    #expect((7...8).contains(without))
    part.pass(microseconds: 1_000_000)
    #expect(part[Base.RTC0 + RTC.COUNTER] == without)
  }

  @Test(
    "a compare event occurs at its tick and only if enabled; its interrupt has the peripheral ID"
  )
  func compare() {
    let part = started()
    part[Base.RTC1 + RTC.CC] = 33
    part[Base.RTC1 + RTC.CC + 4] = 66
    part[Base.RTC1 + RTC.INTENSET] = 1 << 16
    part[Base.RTC1 + RTC.TASKS_START] = 1
    #expect(isNear(part.await(Base.RTC1 + RTC.EVENTS_COMPARE), 33 / 0.032768, within: 62))
    #expect(part[Base.RTC1 + RTC.COUNTER] == 33)
    #expect(part.isPending(17))
    part[Base.RTC1 + RTC.EVTENSET] = 1 << 17
    #expect(isNear(part.await(Base.RTC1 + RTC.EVENTS_COMPARE + 4), 33 / 0.032768, within: 62))
    #expect(part[Base.RTC1 + RTC.EVENTS_COMPARE] == 1)
  }

  @Test("EVTEN enables the overflow and tick events of an RTC")
  func overflow() {
    let part = started()
    part[Base.RTC0 + RTC.TASKS_TRIGOVRFLW] = 1
    part[Base.RTC0 + RTC.EVTENSET] = 3
    part[Base.RTC0 + RTC.TASKS_START] = 1
    #expect(part[Base.RTC0 + RTC.COUNTER] == 0xFF_FFF0)
    #expect(isNear(part.await(Base.RTC0 + RTC.EVENTS_TICK), 30.5, within: 31))
    #expect(isNear(part.await(Base.RTC0 + RTC.EVENTS_OVRFLW), 16 / 0.032768, within: 62))
    #expect(part[Base.RTC0 + RTC.COUNTER] == 0)
  }

  @Test("a TIMER counts 16 MHz divided by its prescaler, captures, clears and stops by shortcuts")
  func timer() {
    let part = Part()
    part[Base.TIMER0 + TIMER.BITMODE] = 3
    part[Base.TIMER0 + TIMER.PRESCALER] = 4
    part[Base.TIMER0 + TIMER.CC] = 500
    part[Base.TIMER0 + TIMER.SHORTS] = 1
    part[Base.TIMER0 + TIMER.TASKS_START] = 1
    #expect(isNear(part.await(Base.TIMER0 + TIMER.EVENTS_COMPARE), 500, within: 1))
    part.pass(microseconds: 100)
    part[Base.TIMER0 + TIMER.TASKS_CAPTURE + 4] = 1
    #expect((99...102).contains(part[Base.TIMER0 + TIMER.CC + 4]))
    part[Base.TIMER0 + TIMER.SHORTS] = 0x100
    part[Base.TIMER0 + TIMER.EVENTS_COMPARE] = 0
    #expect(isNear(part.await(Base.TIMER0 + TIMER.EVENTS_COMPARE), 400, within: 3))
    part.pass(microseconds: 50)
    part[Base.TIMER0 + TIMER.TASKS_CAPTURE + 4] = 1
    #expect(part[Base.TIMER0 + TIMER.CC + 4] == 500)
  }

  @Test("a 16-bit TIMER wraps, and in counter mode it counts the COUNT task")
  func modes() {
    let part = Part()
    part[Base.TIMER1 + TIMER.PRESCALER] = 0
    part[Base.TIMER1 + TIMER.CC] = 10
    part[Base.TIMER1 + TIMER.TASKS_START] = 1
    #expect(part.await(Base.TIMER1 + TIMER.EVENTS_COMPARE) != nil)
    part[Base.TIMER1 + TIMER.EVENTS_COMPARE] = 0
    #expect(isNear(part.await(Base.TIMER1 + TIMER.EVENTS_COMPARE), 4096, within: 1))
    part[Base.TIMER3 + TIMER.MODE] = 2
    part[Base.TIMER3 + TIMER.CC] = 3
    part[Base.TIMER3 + TIMER.TASKS_START] = 1
    for _ in 0..<3 { part[Base.TIMER3 + TIMER.TASKS_COUNT] = 1 }
    #expect(part[Base.TIMER3 + TIMER.EVENTS_COMPARE] == 1)
  }

  @Test("the watchdog resets the chip unless it is reloaded, and RESETREAS reports it")
  func watchdog() {
    let part = Part()
    part[Base.WDT + WDT.CRV] = 32767
    part[Base.WDT + WDT.TASKS_START] = 1
    part[Base.WDT + WDT.CRV] = 1
    #expect(part[Base.WDT + WDT.CRV] == 32767)
    for _ in 0..<3 {
      #expect(part.pass(microseconds: 900_000) == .reached)
      part[Base.WDT + WDT.RR] = 0x6E52_4635
    }
    #expect(part.pass(microseconds: 1_100_000) == .reset(.watchdog))
    #expect(part[Base.CLOCK + POWER.RESETREAS] == 2)
    part[Base.CLOCK + POWER.RESETREAS] = 2
    #expect(part[Base.CLOCK + POWER.RESETREAS] == 0)
  }
}
