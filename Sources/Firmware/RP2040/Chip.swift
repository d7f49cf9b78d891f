import Cores
package import Machines

/// The clocks of the chip, which CLOCKS provides.
protocol ClockTree: AnyObject {
  /// The frequency of clk_peri in Hz; 0 while it is stopped.
  var peripheralClock: UInt64 { get }
  /// The frequency of clk_ref in Hz.
  var referenceClock: UInt64 { get }
  /// The frequency of clk_adc in Hz; 0 while it is stopped.
  var adcClock: UInt64 { get }
}

/// The resources that the peripherals share.
final class Chip {
  let run: ArmRun
  let analog = AnalogInputs()
  let energy = EnergyLedger(EnergyTable.states)
  private var peripherals: [Peripheral] = []
  /// The subsystems that RESETS does not hold in reset, a bit each.
  var released: UInt32 = 0
  /// The clocks; CLOCKS is the first peripheral to be created.
  weak var clocks: (any ClockTree)?
  private var counted: (time: UInt64, cycles: UInt64, slept: UInt64) = (0, 0, 0)

  init(_ run: ArmRun) { self.run = run }

  var core: ArmCore { run.core }
  var memory: AddressSpace { run.core.memory }
  var schedule: EventSchedule { run.schedule }
  /// The current time in nanoseconds.
  var time: UInt64 { run.clock.nanoseconds(at: core.cycles) }
  /// The frequency of clk_sys in Hz.
  var systemClock: UInt64 { run.clock.frequency }
  var peripheralClock: UInt64 { clocks?.peripheralClock ?? systemClock }

  /// Adds a peripheral of the APB or AHB-Lite with its aliases for atomic access.
  func add(_ peripheral: Peripheral) {
    peripherals.append(peripheral)
    memory.add(AtomicAccess(to: peripheral), at: peripheral.base, count: 0x4000)
  }

  /// Releases the peripherals to break their reference cycles with the chip, which must not be used afterwards.
  func dismantle() {
    peripherals = []
    memory.removeDevices()
    schedule.removeActions()
  }

  /// Sets the level of an interrupt line.
  func setLine(_ interrupt: Int, _ isHigh: Bool) { core.setLine(16 + interrupt, isHigh) }

  /// Changes clk_sys, or lets the peripherals notice that another clock has changed.
  func clocksDidChange(_ frequency: UInt64) {
    countEnergy()
    for peripheral in peripherals { peripheral.clocksWillChange() }
    if frequency != run.clock.frequency { run.clock.setFrequency(frequency) }
    for peripheral in peripherals { peripheral.clocksDidChange() }
  }

  /// Counts the time in each power state up to now.
  func countEnergy() {
    let (cycles, slept, now) = (core.cycles, core.sleptCycles, time)
    let passed = now > counted.time ? now - counted.time : 0
    let (all, asleep) = (cycles - counted.cycles, slept - counted.slept)
    counted = (now, cycles, slept)
    guard passed > 0, all > 0 else { return }
    let sleeping = UInt64(Double(passed) * Double(asleep) / Double(all))
    let megahertz = Double(run.clock.frequency) / 1e6
    energy.add(
      EnergyTable.running, nanoseconds: passed - sleeping,
      microamperes: EnergyTable.base + megahertz * EnergyTable.runPerMegahertz)
    energy.add(
      EnergyTable.asleep, nanoseconds: sleeping,
      microamperes: EnergyTable.base + megahertz * EnergyTable.sleepPerMegahertz)
  }

  func resetAll() {
    schedule.clearAll()
    for peripheral in peripherals { peripheral.reset() }
  }

  /// Resets the peripherals of subsystems that RESETS has put into reset.
  func reset(_ subsystems: UInt32) {
    for peripheral in peripherals where subsystems & peripheral.resetBit != 0 { peripheral.reset() }
  }
}

/// A peripheral at a multiple of 16 KiB, whose registers are 32 bits wide.
package class Peripheral: RegisterBlock {
  unowned let chip: Chip
  /// The bit of the peripheral in the registers of RESETS; 0 if RESETS does not control it.
  let resetBit: UInt32

  init(at base: UInt32, resetBit: UInt32 = 0, _ chip: Chip) {
    self.chip = chip
    self.resetBit = resetBit
    super.init(
      at: base, unmodelledRegisters: chip.run.unmodelledRegisters, polls: chip.run.polls)
    chip.add(self)
  }

  /// Sets all registers to their reset values.
  func reset() { resetWords() }
  /// Called before the clocks change.
  func clocksWillChange() {}
  /// Called after the clocks have changed.
  func clocksDidChange() {}

  var time: UInt64 { chip.time }

  /// Reports an unmodelled function of a register.
  func note(_ offset: UInt32, _ mode: String) {
    chip.run.unmodelledRegisters.note(base + offset, bytes: 4, isWrite: true, mode: mode)
  }
}

/// The registers of a peripheral, followed by their aliases that flip, set and clear bits (RP2040 datasheet, 2.1.2).
///
/// A store of one or two bytes writes the whole register, with the value in each lane (2.1.4).
private final class AtomicAccess: BusDevice {
  private let block: Peripheral

  init(to block: Peripheral) { self.block = block }

  func read(_ offset: UInt32, bytes: UInt32) -> UInt32? {
    block.read(offset & 0xFFF, bytes: bytes)
  }

  func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    let word =
      switch bytes {
      case 1: value & 0xFF &* 0x0101_0101
      case 2: value & 0xFFFF &* 0x0001_0001
      default: value
      }
    let register = offset & 0xFFC
    let stored = block[register]
    let result =
      switch offset >> 12 & 3 {
      case 1: stored ^ word
      case 2: stored | word
      case 3: stored & ~word
      default: word
      }
    return block.write(register, result, bytes: 4)
  }
}

/// The power states and their currents.
///
/// The figures are assumptions, quoted from memory: the chip draws some 20 to 25 mA at 125 MHz.
enum EnergyTable {
  static let running = 0, asleep = 1
  /// The current that does not depend on clk_sys, in microamperes.
  static let base = 1200.0
  /// The current of the running core, in microamperes per MHz.
  static let runPerMegahertz = 160.0
  /// The current while core 0 sleeps in WFI or WFE with all clocks running, in microamperes per MHz.
  static let sleepPerMegahertz = 80.0

  /// The states with their currents at 125 MHz.
  static let states = [
    EnergyState(
      "running", microamperes: base + runPerMegahertz * 125,
      source:
        "assumption: about 21 mA at 125 MHz for a simple program, quoted from memory"
    ),
    EnergyState(
      "sleep", microamperes: base + sleepPerMegahertz * 125,
      source: "assumption: estimated as half of the running core"),
  ]
}
