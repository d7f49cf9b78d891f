import Cores
import Machines

/// The clocks of the peripheral buses.
protocol BusClocks: AnyObject {
  /// The number by which the core's clock is divided for APB1.
  var apb1Divider: UInt64 { get }
  /// The number by which the core's clock is divided for APB2.
  var apb2Divider: UInt64 { get }
  /// The frequency of the RTC's clock in Hz.
  var rtcClock: UInt64 { get }
  /// The frequency of the PLL's output for USB and RNG in Hz; `nil` while the PLL is not ready.
  var pll48Clock: UInt64? { get }

  /// Switches the core's clock to the internal oscillator (HSI), as the chip does when it leaves stop mode.
  func switchToHSI()
}

/// The resources that the peripherals share, such as core, memory, event schedule, clocks and energy ledger.
final class Chip {
  let run: ArmRun
  let analog = AnalogInputs()
  let model: STM32F411.Model
  let energy: EnergyLedger
  private(set) lazy var energyMeter = EnergyMeter(self, energy)
  private var peripherals: [Peripheral] = []
  weak var requests: (any DMARequests)?
  let triggers = TIMTriggers()
  /// The sources that request a shared interrupt line, a bit each.
  private var shared: [Int: UInt32] = [:]
  /// `true` while the chip is in standby, in which only the backup domain is supplied.
  var isStandby = false
  /// The bus clocks, which RCC provides; RCC is the first peripheral to be created.
  weak var clocks: (any BusClocks)?

  init(_ run: ArmRun, _ model: STM32F411.Model) {
    (self.run, self.model) = (run, model)
    energy = EnergyLedger(EnergyTable.states(of: model))
  }

  var core: ArmCore { run.core }
  var memory: AddressSpace { run.core.memory }
  var schedule: EventSchedule { run.schedule }
  /// The current cycle of the core.
  var now: UInt64 { run.core.cycles }
  /// The frequency of the APB1 clock in Hz.
  var apb1Clock: UInt64 { max(run.clock.frequency / (clocks?.apb1Divider ?? 1), 1) }
  /// The frequency of the APB2 clock in Hz.
  var apb2Clock: UInt64 { max(run.clock.frequency / (clocks?.apb2Divider ?? 1), 1) }

  func add(_ peripheral: Peripheral, count: UInt32) {
    peripherals.append(peripheral)
    memory.add(peripheral, at: peripheral.base, count: count)
  }

  /// Releases the peripherals to break their reference cycles with the chip, which must not be used afterwards.
  func dismantle() {
    peripherals = []
    triggers.dismantle()
    memory.removeDevices()
    schedule.removeActions()
  }

  func nanoseconds(_ cycle: UInt64) -> UInt64 { run.clock.nanoseconds(at: cycle) }

  /// Returns the first cycle at or after a time in nanoseconds, but not before the next cycle.
  func cycle(at nanoseconds: UInt64) -> UInt64 {
    max(run.clock.cycle(at: nanoseconds), now + 1)
  }

  /// Returns the cycle that is a number of nanoseconds from now.
  func cycle(plus nanoseconds: UInt64) -> UInt64 {
    cycle(at: self.nanoseconds(now) + nanoseconds)
  }

  /// Sets the level of an interrupt line.
  func setLine(_ interrupt: Int, _ isHigh: Bool) { core.setLine(16 + interrupt, isHigh) }

  /// Sets or clears the request of one source of a shared interrupt line.
  func setLine(_ interrupt: Int, source: UInt32, _ isHigh: Bool) {
    let before = shared[interrupt] ?? 0
    let now = isHigh ? before | 1 << source : before & ~(1 << source)
    shared[interrupt] = now
    setLine(interrupt, now != 0)
  }

  /// Wakes the chip from standby, which resets it.
  func wakeUp() {
    guard isStandby else { return }
    isStandby = false
    run.isOff = false
    run.requestReset(.wakeUp)
  }

  /// Changes the core's frequency; the peripherals are notified before and after.
  func setFrequency(_ frequency: UInt64) {
    guard frequency != run.clock.frequency else { return }
    countEnergy()
    for peripheral in peripherals { peripheral.clocksWillChange() }
    run.clock.setFrequency(frequency)
    for peripheral in peripherals { peripheral.clocksDidChange() }
  }

  /// `true` in stop mode, in which the clocks of the core and the buses are stopped.
  private(set) var isStopped = false

  /// `true` if flash is powered down in stop mode (PWR.CR.FPDS).
  var stopsFlash = false

  /// Counts the energy up to now.
  func countEnergy() { energyMeter.count(deep: stopsFlash) }

  /// Stops the clocks, or restarts them from the internal oscillator.
  func setStopped(_ stops: Bool) {
    guard stops != isStopped else { return }
    countEnergy()
    if stops { for peripheral in peripherals { peripheral.clocksWillChange() } }
    isStopped = stops
    core.setClockRunning(!stops)
    for peripheral in peripherals { peripheral.clocksDidChange() }
    if !stops { clocks?.switchToHSI() }
  }

  func resetAll() {
    (isStopped, isStandby) = (false, false)
    schedule.clearAll()
    for peripheral in peripherals { peripheral.reset() }
  }
}

/// A peripheral with 32-bit registers, each defined by its writable bits and its reset value.
///
/// An access to an undefined register is reported; the register keeps the value written.
package class Peripheral: BusDevice {
  unowned let chip: Chip
  let base: UInt32
  private var words: [UInt32]
  private var masks: [UInt32]
  private var resets: [UInt32]
  private var isDefined: [Bool]

  init(at base: UInt32, count: UInt32 = 0x400, _ chip: Chip) {
    self.chip = chip
    self.base = base
    let registers = Int(count / 4)
    words = Array(repeating: 0, count: registers)
    masks = Array(repeating: .max, count: registers)
    resets = words
    isDefined = Array(repeating: false, count: registers)
    chip.add(self, count: count)
  }

  /// Defines a register.
  final func define(_ offset: UInt32, mask: UInt32 = .max, reset: UInt32 = 0) {
    let index = Int(offset / 4)
    (masks[index], resets[index], words[index]) = (mask, reset, reset)
    isDefined[index] = true
  }

  /// The stored value of a register.
  final subscript(offset: UInt32) -> UInt32 {
    get { words[Int(offset / 4)] }
    set { words[Int(offset / 4)] = newValue }
  }

  /// Sets all registers to their reset values.
  func reset() { words = resets }

  /// Returns the value that a program reads, and applies the effects of reading.
  func load(_ offset: UInt32) -> UInt32 { self[offset] }

  /// Applies the effects of a program's store; the register already has its new value.
  func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {}

  /// Called before the clocks change.
  func clocksWillChange() {}
  /// Called after the clocks have changed.
  func clocksDidChange() {}

  final func read(_ offset: UInt32, bytes: UInt32) -> UInt32? {
    chip.run.polls.didRead()
    note(offset, bytes, isWrite: false)
    let word = load(offset & ~3)
    return bytes == 4 ? word : word >> (offset & 3 * 8) & (1 << (bytes * 8) - 1)
  }

  final func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    chip.run.polls.didWrite()
    note(offset, bytes, isWrite: true)
    let at = offset & ~3
    let before = self[at]
    var word = value
    if bytes < 4 {
      let shift = offset & 3 * 8
      let lanes: UInt32 = (1 << (bytes * 8) - 1) << shift
      word = before & ~lanes | value << shift & lanes
    }
    let mask = masks[Int(at / 4)]
    self[at] = before & ~mask | word & mask
    didStore(at, word, before: before)
    return true
  }

  private func note(_ offset: UInt32, _ bytes: UInt32, isWrite: Bool) {
    if !isDefined[Int(offset / 4)] {
      chip.run.unmodelledRegisters.note(base + offset & ~3, bytes: bytes, isWrite: isWrite)
    }
  }
}

/// The device electronic signature: factory-programmed words of the system memory, by offset from 0x1FFF7000.
enum DeviceSignature {
  /// U_ID, the 96-bit unique device ID.
  static let U_ID = 0xA10
  /// F_SIZE, the flash size in KB, in the upper halfword.
  static let F_SIZE = 0xA20
  /// VREFIN_CAL, the calibration value of the internal reference, in the upper halfword.
  static let VREFIN_CAL = 0xA28
  /// TS_CAL1 and, in the upper halfword, TS_CAL2, the calibration values of the temperature sensor.
  static let TS_CAL = 0xA2C

  /// Returns the words of a chip with a flash of a size, whose unique device ID is derived from a seed.
  static func words(seed: UInt64, flashKilobytes: UInt32) -> [(Int, UInt32)] {
    [
      (U_ID, UInt32(truncatingIfNeeded: seed)),
      (U_ID + 4, UInt32(truncatingIfNeeded: seed >> 32)), (U_ID + 8, 0x2036_3551),
      (F_SIZE, flashKilobytes << 16), (VREFIN_CAL, 1500 << 16), (TS_CAL, 1200 << 16 | 940),
    ]
  }
}

/// DBGMCU, which contains the device identity.
final class DBGMCU: Peripheral {
  static let IDCODE: UInt32 = 0x00
  static let CR: UInt32 = 0x04
  static let APB1_FZ: UInt32 = 0x08
  static let APB2_FZ: UInt32 = 0x0C

  init(_ model: STM32F411.Model, _ chip: Chip) {
    super.init(at: 0xE004_2000, chip)
    define(DBGMCU.IDCODE, mask: 0, reset: model.identity)
    define(DBGMCU.CR)
    define(DBGMCU.APB1_FZ)
    define(DBGMCU.APB2_FZ)
  }
}
