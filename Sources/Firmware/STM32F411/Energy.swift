import Cores
import Machines

/// The supply current of each power state, per MHz if it depends on the clock.
///
/// Every figure is marked as an assumption, because none was compared with a copy of the datasheet, DS10314. The figures
/// for the core and for stop mode are quoted from memory from the features on its first page, and those for the
/// peripherals from its table of peripheral current consumption. The figure for sleep mode is an estimate.
enum EnergyTable {
  /// A peripheral with an enable bit in RCC.
  struct Module {
    let name: String
    /// The enable bit: the offset of the register in RCC, and the bit number.
    let register: UInt32
    let bit: UInt32
    /// Microamperes per MHz of the core's clock.
    let perMegahertz: Double
  }

  static let running = 0, asleep = 1, stopped = 2, stoppedDeep = 3, firstModule = 4

  /// The current of the core in run mode, in microamperes per MHz.
  static func runPerMegahertz(_ model: STM32F411.Model) -> Double {
    model == .stm32F405 ? 238 : 100
  }
  /// The current of the core in sleep mode, in microamperes per MHz.
  static let sleepPerMegahertz = 30.0

  /// The modelled peripherals.
  static let modules: [Module] = [
    Module(name: "GPIOA", register: RCC.AHB1ENR, bit: 0, perMegahertz: 1.55),
    Module(name: "GPIOB", register: RCC.AHB1ENR, bit: 1, perMegahertz: 1.55),
    Module(name: "GPIOC", register: RCC.AHB1ENR, bit: 2, perMegahertz: 1.55),
    Module(name: "GPIOD", register: RCC.AHB1ENR, bit: 3, perMegahertz: 1.55),
    Module(name: "GPIOE", register: RCC.AHB1ENR, bit: 4, perMegahertz: 1.55),
    Module(name: "GPIOH", register: RCC.AHB1ENR, bit: 7, perMegahertz: 1.55),
    Module(name: "TIM2", register: RCC.APB1ENR, bit: 0, perMegahertz: 11.19),
    Module(name: "TIM3", register: RCC.APB1ENR, bit: 1, perMegahertz: 8.57),
    Module(name: "TIM4", register: RCC.APB1ENR, bit: 2, perMegahertz: 8.33),
    Module(name: "TIM5", register: RCC.APB1ENR, bit: 3, perMegahertz: 11.19),
    Module(name: "USART2", register: RCC.APB1ENR, bit: 17, perMegahertz: 3.33),
    Module(name: "I2C1", register: RCC.APB1ENR, bit: 21, perMegahertz: 3.10),
    Module(name: "I2C2", register: RCC.APB1ENR, bit: 22, perMegahertz: 3.10),
    Module(name: "I2C3", register: RCC.APB1ENR, bit: 23, perMegahertz: 3.10),
    Module(name: "PWR", register: RCC.APB1ENR, bit: 28, perMegahertz: 0.71),
    Module(name: "USART1", register: RCC.APB2ENR, bit: 4, perMegahertz: 3.10),
    Module(name: "USART6", register: RCC.APB2ENR, bit: 5, perMegahertz: 2.86),
    Module(name: "SYSCFG", register: RCC.APB2ENR, bit: 14, perMegahertz: 0.71),
  ]

  /// The states with their currents at 100 MHz and the source of each figure.
  static func states(of model: STM32F411.Model) -> [EnergyState] {
    let running =
      model == .stm32F405
      ? "assumption: DS8626: 40 mA at 168 MHz from flash with the peripherals off; the other figures are the STM32F411's"
      : "assumption: DS10314, features: run 100 uA/MHz with the peripherals off"
    return [
      EnergyState(
        "running", microamperes: runPerMegahertz(model) * 100, source: running),
      EnergyState(
        "sleep", microamperes: sleepPerMegahertz * 100,
        source: "assumption: estimated as 30 uA/MHz, a third of run; DS10314 has a table"),
      EnergyState(
        "stop, flash on", microamperes: 42,
        source: "assumption: DS10314, features: stop with flash in stop mode, typical 42 uA at 25 C"
      ),
      EnergyState(
        "stop, flash off", microamperes: 10,
        source: "assumption: DS10314, features: stop with flash powered down, 10 uA at 25 C"),
    ]
      + modules.map {
        EnergyState(
          $0.name, microamperes: $0.perMegahertz * 100,
          source: "assumption: DS10314, peripheral current consumption, in uA/MHz")
      }
  }
}

/// Counts the time in each state, from one change of the clocks to the next.
final class EnergyMeter {
  private unowned let chip: Chip
  private let ledger: EnergyLedger
  /// The enabled peripherals, in the order of `EnergyTable.modules`.
  private var isClocked = Array(repeating: false, count: EnergyTable.modules.count)
  /// The time up to which energy has been counted, and the core's total and sleeping cycles at that time.
  private var counted: (time: UInt64, cycles: UInt64, slept: UInt64) = (0, 0, 0)

  init(_ chip: Chip, _ ledger: EnergyLedger) {
    self.chip = chip
    self.ledger = ledger
  }

  /// Counts the energy up to now with the current clocks.
  ///
  /// - Parameter deep: `true` if flash is powered down in stop mode.
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
    add(EnergyTable.running, passed - sleeping, megahertz * EnergyTable.runPerMegahertz(chip.model))
    add(EnergyTable.asleep, sleeping, megahertz * EnergyTable.sleepPerMegahertz)
    for (index, module) in EnergyTable.modules.enumerated() where isClocked[index] {
      add(EnergyTable.firstModule + index, passed, megahertz * module.perMegahertz)
    }
  }

  private func add(_ state: Int, _ nanoseconds: UInt64, _ microamperes: Double) {
    ledger.add(state, nanoseconds: nanoseconds, microamperes: microamperes)
  }

  /// Updates the enabled peripherals; the energy up to now must have been counted.
  ///
  /// - Parameter enabled: returns the value of an RCC register at an offset.
  func clock(_ enabled: (UInt32) -> UInt32) {
    for (index, module) in EnergyTable.modules.enumerated() {
      isClocked[index] = enabled(module.register) >> module.bit & 1 != 0
    }
  }
}
