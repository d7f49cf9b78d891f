import Cores
import Machines

/// Counts for how long the part was in which state: from one change of its clocks to the next.
final class PowerAccount {
  private unowned let chip: Silicon
  private let ledger: EnergyLedger
  /// Which modules are clocked.
  private var isClocked = Array(repeating: false, count: EnergyTable.modules.count)
  /// Until when it is counted, and the core's cycles then, in all and asleep.
  private var counted: (time: UInt64, cycles: UInt64, slept: UInt64) = (0, 0, 0)

  init(_ chip: Silicon, _ ledger: EnergyLedger) {
    self.chip = chip
    self.ledger = ledger
  }

  /// Counts until now, by the clocks as they have been.
  ///
  /// - Parameter deep: whether flash is off in stop mode.
  func count(deep: Bool) {
    let (cycles, slept) = (chip.core.cycles, chip.core.sleptCycles)
    let now = chip.nanoseconds(cycles)
    let passed = now > counted.time ? now - counted.time : 0
    let (all, asleep) = (cycles - counted.cycles, slept - counted.slept)
    counted = (now, cycles, slept)
    guard passed > 0, all > 0 else { return }
    if chip.isStopped {
      let state = deep ? EnergyTable.stoppedDeep : EnergyTable.stopped
      return ledger.add(state, nanoseconds: passed)
    }
    let megahertz = Double(chip.run.clock.frequency) / 1e6
    let sleeping = UInt64(Double(passed) * Double(asleep) / Double(all))
    add(EnergyTable.running, passed - sleeping, megahertz * EnergyTable.runPerMegahertz)
    add(EnergyTable.asleep, sleeping, megahertz * EnergyTable.sleepPerMegahertz)
    for (index, module) in EnergyTable.modules.enumerated() where isClocked[index] {
      add(EnergyTable.firstModule + index, passed, megahertz * module.perMegahertz)
    }
  }

  private func add(_ state: Int, _ nanoseconds: UInt64, _ microamperes: Double) {
    ledger.add(state, nanoseconds: nanoseconds, microamperes: microamperes)
  }

  /// The clocks of modules have changed; what was until now is counted.
  ///
  /// - Parameter enabled: an enable register of RCC by its offset.
  func clock(_ enabled: (UInt32) -> UInt32) {
    for (index, module) in EnergyTable.modules.enumerated() {
      isClocked[index] = enabled(module.register) >> module.bit & 1 != 0
    }
  }
}
