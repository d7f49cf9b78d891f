import Machines
import NRF52832
import TestSupport
import Testing

struct ClockTests {
  private func started() -> Part {
    let part = Part()
    part[0x4000_0518] = 1
    part[0x4000_0008] = 1
    _ = part.await(0x4000_0104)
    return part
  }

  private func isNear(_ value: Double?, _ wanted: Double, within: Double) -> Bool {
    value.map { abs($0 - wanted) <= within } ?? false
  }

  @Test("the clocks start in their time, with event, state and source")
  func start() {
    let part = Part()
    part[0x4000_0000] = 1
    #expect(part[0x4000_0408] == 1)
    #expect(part[0x4000_040C] == 0)
    #expect(isNear(part.await(0x4000_0100), 360, within: 1))
    #expect(part[0x4000_040C] == 0x1_0001)
    part[0x4000_0004] = 1
    #expect(part[0x4000_040C] == 0)
    part[0x4000_0518] = 1
    part[0x4000_0008] = 1
    #expect(part[0x4000_0418] == 0)
    #expect(isNear(part.await(0x4000_0104), 250_000, within: 1))
    #expect(part[0x4000_0418] == 0x1_0001)
  }

  @Test(
    "a real-time counter counts 32,768 a second, by its prescaler, and stands without its clock")
  func counter() {
    let part = started()
    part[0x4000_B000] = 1
    part.pass(microseconds: 1_000_000)
    #expect((32_766...32_768).contains(part[0x4000_B504]))
    part[0x4000_B004] = 1
    let stood = part[0x4000_B504]
    part.pass(microseconds: 1000)
    #expect(part[0x4000_B504] == stood)
    part[0x4000_B508] = 4095
    part[0x4000_B008] = 1
    part[0x4000_B000] = 1
    part.pass(microseconds: 1_000_000)
    #expect((7...8).contains(part[0x4000_B504]))
    part[0x4000_000C] = 1
    let without = part[0x4000_B504]
    #expect((7...8).contains(without))
    part.pass(microseconds: 1_000_000)
    #expect(part[0x4000_B504] == without)
  }

  @Test(
    "a compare comes at its tick and only where it is enabled; it interrupts with the part's number"
  )
  func compare() {
    let part = started()
    part[0x4001_1540] = 33
    part[0x4001_1544] = 66
    part[0x4001_1304] = 1 << 16
    part[0x4001_1000] = 1
    #expect(isNear(part.await(0x4001_1140), 33 / 0.032768, within: 62))
    #expect(part[0x4001_1504] == 33)
    #expect(part.isPending(17))
    part[0x4001_1344] = 1 << 17
    #expect(isNear(part.await(0x4001_1144), 33 / 0.032768, within: 62))
    #expect(part[0x4001_1140] == 1)
  }

  @Test("the counter overflows, and ticks, where that is routed")
  func overflow() {
    let part = started()
    part[0x4000_B00C] = 1
    part[0x4000_B344] = 3
    part[0x4000_B000] = 1
    #expect(part[0x4000_B504] == 0xFF_FFF0)
    #expect(isNear(part.await(0x4000_B100), 30.5, within: 31))
    #expect(isNear(part.await(0x4000_B104), 16 / 0.032768, within: 62))
    #expect(part[0x4000_B504] == 0)
  }

  @Test("a timer counts 16 MHz by its prescaler, captures, clears and stops by shortcuts")
  func timer() {
    let part = Part()
    part[0x4000_8508] = 3
    part[0x4000_8510] = 4
    part[0x4000_8540] = 500
    part[0x4000_8200] = 1
    part[0x4000_8000] = 1
    #expect(isNear(part.await(0x4000_8140), 500, within: 1))
    part.pass(microseconds: 100)
    part[0x4000_8044] = 1
    #expect((99...102).contains(part[0x4000_8544]))
    part[0x4000_8200] = 0x100
    part[0x4000_8140] = 0
    #expect(isNear(part.await(0x4000_8140), 400, within: 3))
    part.pass(microseconds: 50)
    part[0x4000_8044] = 1
    #expect(part[0x4000_8544] == 500)
  }

  @Test("a timer of 16 bits comes round, and one that counts tasks counts those")
  func modes() {
    let part = Part()
    part[0x4000_9510] = 0
    part[0x4000_9540] = 10
    part[0x4000_9000] = 1
    #expect(part.await(0x4000_9140) != nil)
    part[0x4000_9140] = 0
    #expect(isNear(part.await(0x4000_9140), 4096, within: 1))
    part[0x4001_A504] = 2
    part[0x4001_A540] = 3
    part[0x4001_A000] = 1
    for _ in 0..<3 { part[0x4001_A008] = 1 }
    #expect(part[0x4001_A140] == 1)
  }

  @Test("the watchdog resets the part, unless it is fed, and the part knows why it began")
  func watchdog() {
    let part = Part()
    part[0x4001_0504] = 32767
    part[0x4001_0000] = 1
    part[0x4001_0504] = 1
    #expect(part[0x4001_0504] == 32767)
    for _ in 0..<3 {
      #expect(part.pass(microseconds: 900_000) == .reached)
      part[0x4001_0600] = 0x6E52_4635
    }
    #expect(part.pass(microseconds: 1_100_000) == .reset(.watchdog))
    #expect(part[0x4000_0400] == 2)
    part[0x4000_0400] = 2
    #expect(part[0x4000_0400] == 0)
  }
}
