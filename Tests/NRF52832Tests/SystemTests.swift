import Machines
import NRF52832
import TestSupport
import Testing

struct SystemTests {
  @Test("FICR, UICR and the ROM table identify the chip to start-up code")
  func identity() {
    let part = Part()
    #expect(part[0x1000_0010] == 4096)
    #expect(part[0x1000_0014] == 128)
    #expect(part[0x1000_0100] == 0x52832)
    #expect(part[0x1000_0130] == 6)
    #expect(part[0xF000_0FE0] == 6)
    #expect(part[0xF000_0FE8] == 0x50)
    #expect((part[0x1000_1200], part[0x1000_1204]) == (21, 21))
    #expect(part[0x1000_1014] == 0xFFFF_FFFF)
    #expect(part[0x1000_0060] != NRF52832(seed: 8).word(at: 0x1000_0060))
  }

  @Test("an nRF52840 has its identity, 1 MB of flash and 256 KB of RAM")
  func nRF52840() {
    let part = Part(.nRF52840)
    #expect(part.machine.name == "nRF52840")
    #expect((part[0x1000_0014], part[0x1000_0100]) == (256, 0x52840))
    #expect((part[0x1000_010C], part[0x1000_0110]) == (256, 1024))
    #expect((part[0x1000_0130], part[0xF000_0FE0], part[0x1000_1200]) == (8, 8, 18))
    part[0x2003_FFFC] = 0x1234_5678
    #expect(part[0x2003_FFFC] == 0x1234_5678)
    part[Base.NVMC + NVMC.CONFIG] = 1
    part[0xF_F000] = 5
    #expect(part[0xF_F000] == 5)
  }

  @Test("P1 of an nRF52840 has 16 pins of its own, and GPIOTE and sensing reach them")
  func portOne() {
    let part = Part(.nRF52840)
    let bank = part.machine.pins
    let P1 = Base.P0 + GPIO.P1
    #expect(bank.names.count == 48 && bank.index(of: "P1.15") == 47 && bank.index(of: "P1.3") == 35)
    part[P1 + GPIO.DIRSET] = 0xFFFF_0008
    #expect(part[P1 + GPIO.DIR] == 8, "P1 ends with pin 15")
    part[P1 + GPIO.OUTSET] = 8
    #expect(bank.level(of: 35) && part[P1 + GPIO.OUT] == 8 && part[Base.P0 + GPIO.OUT] == 0)
    part[Base.P0 + GPIO.OUT] = 0xFFFF_FFFF
    part[P1 + GPIO.OUTCLR] = 8
    #expect(part[P1 + GPIO.OUT] == 0 && part[Base.P0 + GPIO.OUT] == 0xFFFF_FFFF)
    // An input with a pull-up, whose low level is an event of GPIOTE and of PORT.
    part[P1 + GPIO.PIN_CNF + 4 * 4] = 0x3_000C
    #expect(part[P1 + GPIO.IN] == 0x10)
    part[Base.GPIOTE + GPIOTE.CONFIG] = 0x2_2401
    bank.set(36, to: false)
    #expect(part[Base.GPIOTE + GPIOTE.EVENTS_IN] == 1)
    #expect(part[Base.GPIOTE + GPIOTE.EVENTS_PORT] == 1 && part[P1 + GPIO.LATCH] == 0x10)
    // The nRF52832 has no P1.
    let small = Part()
    small[P1 + GPIO.OUTSET] = 8
    #expect(!small.machine.unmodelledRegisters.accesses.isEmpty)
  }

  @Test("UARTE1 of an nRF52840 sends 300 bytes in one buffer")
  func secondUART() {
    let part = Part(.nRF52840)
    part[Base.UARTE1 + UARTE.PSEL_TXD] = 0x26
    part[Base.UARTE1 + UARTE.ENABLE] = 8
    part[Base.UARTE1 + UARTE.BAUDRATE] = 0x1000_0000
    part[Base.UARTE1 + UARTE.TXD_PTR] = 0x2003_0000
    part[Base.UARTE1 + UARTE.TXD_MAXCNT] = 300
    var bytes = 0
    part.machine.serialPorts[1].output = { _, _ in bytes += 1 }
    part[Base.UARTE1 + UARTE.TASKS_STARTTX] = 1
    part.pass(microseconds: 4000)
    #expect(part.machine.serialPorts.map(\.name) == ["UARTE0", "UARTE1"])
    #expect(bytes == 300 && part[Base.UARTE1 + UARTE.TXD_AMOUNT] == 300)
  }

  @Test(
    "flash accepts stores only if NVMC enables them, clears bits only, and is erased by pages"
  )
  func flash() {
    let part = Part()
    var changes: [[Int]] = []
    part.machine.memories[0].didChange = { changes.append([$0, $1]) }
    part[0x5000] = 0
    #expect(part[0x5000] == 0xFFFF_FFFF)
    part[Base.NVMC + NVMC.CONFIG] = 1
    let before = part.machine.clock.nanoseconds
    part[0x5000] = 0xFFFF_00FF
    #expect(part.machine.clock.nanoseconds - before == 67_500)
    part[0x5000] = 0x1234_FFFF
    #expect(part[0x5000] == 0x1234_00FF)
    part[0x6000] = 0
    part[Base.NVMC + NVMC.CONFIG] = 2
    part[Base.NVMC + NVMC.ERASEPAGE] = 0x5000
    #expect(part[0x5000] == 0xFFFF_FFFF)
    #expect(part[0x6000] == 0)
    #expect(part[Base.NVMC + NVMC.READY] == 1)
    #expect(changes == [[0x5000, 4], [0x5000, 4], [0x6000, 4], [0x5000, 4096]])
    part[Base.NVMC + NVMC.ERASEUICR] = 1
    #expect(part[0x1000_1200] == 0xFFFF_FFFF)
  }

  @Test("random numbers depend on the seed, and the VALRDY shortcut stops the RNG")
  func random() {
    func bytes(_ part: Part) -> [UInt32] {
      part[Base.RNG + RNG.TASKS_START] = 1
      return (0..<8).map { _ in
        part[Base.RNG + RNG.EVENTS_VALRDY] = 0
        _ = part.await(Base.RNG + RNG.EVENTS_VALRDY)
        return part[Base.RNG + RNG.VALUE]
      }
    }
    let (first, second) = (bytes(Part()), bytes(Part()))
    #expect(first == second)
    #expect(Set(first).count > 4)
    #expect(first.allSatisfy { $0 < 256 })
    let part = Part()
    part[Base.RNG + RNG.SHORTS] = 1
    part[Base.RNG + RNG.TASKS_START] = 1
    _ = part.await(Base.RNG + RNG.EVENTS_VALRDY)
    part[Base.RNG + RNG.EVENTS_VALRDY] = 0
    #expect(part.await(Base.RNG + RNG.EVENTS_VALRDY, within: 1000) == nil)
  }

  @Test("TEMP measures in units of 0.25 °C", arguments: [(25.0, 100), (-10.25, -41)])
  func temperature(degrees: Double, quarters: Int32) {
    let part = Part()
    part.machine.analog.temperature = { _ in degrees }
    part[Base.TEMP + TEMP.TASKS_START] = 1
    #expect(part.await(Base.TEMP + TEMP.EVENTS_DATARDY) != nil)
    #expect(Int32(bitPattern: part[Base.TEMP + TEMP.TEMP]) == quarters)
  }

  @Test("SAADC measures the supply voltage into RAM")
  func battery() {
    let part = Part()
    part.machine.analog.supply = { _ in 2.7 }
    part[Base.SAADC + SAADC.ENABLE] = 1
    part[Base.SAADC + SAADC.CH_PSELP] = 9
    part[Base.SAADC + SAADC.CH_CONFIG] = 0x2_0000
    part[Base.SAADC + SAADC.RESOLUTION] = 2
    part[Base.SAADC + SAADC.RESULT_PTR] = 0x2000_0400
    part[Base.SAADC + SAADC.RESULT_MAXCNT] = 1
    part[Base.SAADC + SAADC.TASKS_START] = 1
    #expect(part[Base.SAADC + SAADC.EVENTS_STARTED] == 1)
    part[Base.SAADC + SAADC.TASKS_SAMPLE] = 1
    #expect(part.await(Base.SAADC + SAADC.EVENTS_END) != nil)
    // 2.7 V through a gain of 1/6 against 0.6 V in 12 bits.
    #expect(part[0x2000_0400] & 0xFFFF == 3072)
    #expect(part[Base.SAADC + SAADC.RESULT_AMOUNT] == 1)
  }

  @Test("pins work as inputs and outputs, and an edge raises an event and an interrupt")
  func pins() {
    let part = Part()
    var seen: [String] = []
    part.machine.pins.output = { pin, drive, _ in seen.append("\(pin) \(drive)") }
    part[Base.P0 + GPIO.DIRSET] = 1 << 17
    part[Base.P0 + GPIO.OUTSET] = 1 << 17
    #expect(seen == ["17 driven(false)", "17 driven(true)"])
    part[Base.P0 + GPIO.PIN_CNF + 13 * 4] = 0xC
    #expect(part[Base.P0 + GPIO.IN] >> 13 & 1 == 1)
    part.machine.pins.set(13, to: false)
    #expect(part[Base.P0 + GPIO.IN] >> 13 & 1 == 0)
    part[Base.GPIOTE + GPIOTE.CONFIG] = 1 | 13 << 8 | 1 << 16
    part[Base.GPIOTE + GPIOTE.INTENSET] = 1
    part.machine.pins.set(13, to: true)
    #expect(part[Base.GPIOTE + GPIOTE.EVENTS_IN] == 1)
    #expect(part.isPending(6))
    part[Base.GPIOTE + GPIOTE.CONFIG + 4] = 3 | 18 << 8 | 3 << 16
    part[Base.GPIOTE + GPIOTE.TASKS_OUT + 4] = 1
    #expect(part.machine.pins.level(of: 18))
    part[Base.GPIOTE + GPIOTE.TASKS_OUT + 4] = 1
    #expect(!part.machine.pins.level(of: 18))
  }

  @Test("PPI connects an event to two tasks, by channels and by groups")
  func links() {
    let part = Part()
    part[Base.PPI + PPI.CH_EEP] = Base.EGU0 + EGU.EVENTS_TRIGGERED
    part[Base.PPI + PPI.CH_TEP] = Base.EGU0 + EGU.TASKS_TRIGGER + 2 * 4
    part[Base.PPI + PPI.FORK_TEP] = Base.EGU0 + EGU.TASKS_TRIGGER + 3 * 4
    part[Base.PPI + PPI.CHG] = 1
    part[Base.EGU0 + EGU.TASKS_TRIGGER] = 1
    #expect(part[Base.EGU0 + EGU.EVENTS_TRIGGERED + 2 * 4] == 0)
    part[Base.PPI + PPI.TASKS_CHG_EN] = 1
    #expect(part[Base.PPI + PPI.CHEN] == 1)
    part[Base.EGU0 + EGU.TASKS_TRIGGER] = 1
    #expect(
      (
        part[Base.EGU0 + EGU.EVENTS_TRIGGERED + 2 * 4],
        part[Base.EGU0 + EGU.EVENTS_TRIGGERED + 3 * 4]
      ) == (1, 1))
    part[Base.PPI + PPI.TASKS_CHG_DIS] = 1
    #expect(part[Base.PPI + PPI.CHEN] == 0)
  }

  @Test("a fixed PPI channel starts TIMER0 at a compare event of RTC0")
  func fixed() {
    let part = Part()
    part[Base.CLOCK + CLOCK.LFCLKSRC] = 0
    part[Base.CLOCK + CLOCK.TASKS_LFCLKSTART] = 1
    _ = part.await(Base.CLOCK + CLOCK.EVENTS_LFCLKSTARTED)
    part[Base.PPI + PPI.CHENSET] = 1 << 31
    part[Base.RTC0 + RTC.CC] = 4
    part[Base.RTC0 + RTC.EVTENSET] = 1 << 16
    part[Base.TIMER0 + TIMER.CC] = 1000
    part[Base.RTC0 + RTC.TASKS_START] = 1
    #expect(part.await(Base.TIMER0 + TIMER.EVENTS_COMPARE) != nil)
    #expect(part[Base.RTC0 + RTC.EVENTS_COMPARE] == 1)
  }

  @Test(
    "a sensed pin ends System OFF; RESETREAS reports it, and RAM with retention is kept"
  )
  func off() {
    let part = Part()
    part[0x2000_0000] = 0x1111_1111
    part[0x2000_2000] = 0x2222_2222
    part[Base.CLOCK + POWER.RAM_POWERSET + 16] = 1 << 16
    part[Base.CLOCK + POWER.GPREGRET] = 0x5A
    part[Base.P0 + GPIO.PIN_CNF + 11 * 4] = 3 << 16 | 0xC
    part[Base.CLOCK + POWER.SYSTEMOFF] = 1
    #expect(part.pass(microseconds: 10) == .off)
    #expect(part.machine.isOff)
    #expect(part.pass(microseconds: 1_000_000) == .reached)
    part.machine.pins.set(11, to: false)
    #expect(part.pass(microseconds: 10) == .reset(.wakeUp))
    #expect(part[Base.CLOCK + POWER.RESETREAS] == 1 << 16)
    #expect(part[0x2000_0000] == 0)
    #expect(part[0x2000_2000] == 0x2222_2222)
    #expect(part[Base.CLOCK + POWER.GPREGRET] == 0x5A)
    let off = part.machine.energy.states.firstIndex { $0.name == "System OFF" } ?? 0
    let time = part.machine.energy.nanoseconds(of: off, at: part.machine.clock.nanoseconds)
    #expect((999_000_000...1_001_000_000).contains(time))
  }

  @Test(
    "an unmodelled register is reported once and keeps its value, and stops a strict run"
  )
  func untouched() {
    let part = Part()
    part[0x4000_E504] = 77
    #expect(part[0x4000_E504] == 77)
    #expect(part[0x4000_E504] == 77)
    #expect(part[0x4000_3530] == 0)
    let reported = part.machine.unmodelledRegisters.accesses
    #expect(
      reported == [
        RegisterAccess(address: 0x4000_E504, bytes: 4, isWrite: true),
        RegisterAccess(address: 0x4000_E504, bytes: 4, isWrite: false),
        RegisterAccess(address: 0x4000_3530, bytes: 4, isWrite: false),
      ])
    part.machine.unmodelledRegisters.isStrict = true
    part[0x4000_E508] = 1
    let access = RegisterAccess(address: 0x4000_E508, bytes: 4, isWrite: true)
    #expect(part.pass(microseconds: 1) == .unmodelled(access))
    #expect(part.pass(microseconds: 1) == .reached)
  }

  @Test("every state of the energy ledger has a current and its source")
  func energy() {
    let part = Part()
    part.pass(microseconds: 1_000_000)
    let ledger = part.machine.energy
    for state in ledger.states {
      #expect(state.microamperes > 0)
      #expect(!state.source.isEmpty)
    }
    let now = part.machine.clock.nanoseconds
    #expect(ledger.nanoseconds(of: 0, at: now) < 1_000_000)
    #expect((999_000_000...1_001_000_000).contains(ledger.nanoseconds(of: 1, at: now)))
  }
}

extension NRF52832 {
  fileprivate func word(at address: UInt32) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(core.readByte(address + $1) ?? 0) << ($1 * 8) }
  }
}
