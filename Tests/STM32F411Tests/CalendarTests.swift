import Machines
import STM32F411
import Testing

/// The calendar, its alarms and the wake-up timer of the RTC.
struct CalendarTests {
  private let part: Part
  private static let (time, date, control, status): (UInt32, UInt32, UInt32, UInt32) =
    (Base.RTC + RTC.TR, Base.RTC + RTC.DR, Base.RTC + RTC.CR, Base.RTC + RTC.ISR)

  init() throws {
    part = try #require(Part())
    part[Base.RTC + RTC.WPR] = 0xCA
    part[Base.RTC + RTC.WPR] = 0x53
  }

  private func set(time: UInt32, date: UInt32) {
    part[Self.status] = 0x80
    part[Self.time] = time
    part[Self.date] = date
    part[Self.status] = 0
  }

  @Test("time and date carry over the end of a February with 29 days")
  func carries() {
    // Wednesday, 28 February 2024, 23:59:58; year 24, day of the week 3, month 2, day 28.
    set(time: 0x23_5958, date: 0x24_6228)
    #expect(part[Self.time] == 0x23_5958)
    #expect(part[Self.date] == 0x24_6228)
    part.pass(microseconds: 3_000_000)
    #expect(part[Self.time] == 0x00_0001)
    #expect(part[Self.date] == 0x24_8229)
  }

  @Test("the weekday counts on from its set value, even if that does not match the date")
  func weekday() {
    set(time: 0x23_5959, date: 0x24_E228)
    #expect(part[Self.date] >> 13 & 7 == 7)
    part.pass(microseconds: 1_100_000)
    #expect(part[Self.date] >> 13 & 7 == 1)
  }

  @Test(
    "an alarm occurs when its unmasked fields match",
    arguments: [
      // Each minute at 30 s; at 10:00:05 of any day; on the 2nd at 10:00:01, a day later.
      (0x8080_8030 as UInt32, 0x28 as UInt32, 2 as UInt64),
      (0x8010_0033, 0x28, 5), (0x0210_0000, 0x28, 86_372),
    ])
  func alarm(match: UInt32, second: UInt32, wait: UInt64) {
    set(time: 0x10_0000 | second, date: 0x24_2101)
    part[Base.RTC + RTC.ALRMAR] = match
    part[Self.control] = 1 << 8
    part.pass(microseconds: (wait - 1) * 1_000_000)
    #expect(part[Self.status] & 0x100 == 0)
    part.pass(microseconds: 1_100_000)
    #expect(part[Self.status] & 0x100 == 0x100)
    part[Self.status] = ~0x100 & 0xFFFF
    #expect(part[Self.status] & 0x100 == 0)
  }

  @Test("the wake-up timer ends standby with a reset that sets SBF and WUF and loses RAM")
  func standby() throws {
    let part = try #require(Part(isDeep: true))
    (part[Base.RTC + RTC.WPR], part[Base.RTC + RTC.WPR]) = (0xCA, 0x53)
    let ram = part.machine.memories[1]
    part[0x2000_1000] = 0x1234_5678
    part[Base.RTC + RTC.WUTR] = 1
    // WUCKSEL 4: seconds; WUTE and WUTIE.
    part[Self.control] = 4 | 1 << 10 | 1 << 14
    part[Base.PWR + PWR.CR] = 2
    part[0x2000_3000] = 1
    var stops: [MachineStop] = []
    for _ in 0..<5 where !stops.contains(.reset(.wakeUp)) {
      stops.append(part.pass(microseconds: 1_000_000))
    }
    #expect(stops.contains(.off))
    #expect(stops.contains(.reset(.wakeUp)))
    #expect(part.machine.resetCause == .wakeUp)
    // WUF and SBF, which a program clears by CWUF and CSBF.
    #expect(part[Base.PWR + PWR.CSR] & 3 == 3)
    part[Base.PWR + PWR.CR] = 0xC
    #expect(part[Base.PWR + PWR.CSR] & 3 == 0)
    #expect(ram.bytes.load(fromByteOffset: 0x1000, as: UInt32.self) == 0)
  }
}
