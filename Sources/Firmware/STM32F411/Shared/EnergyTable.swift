import Machines

/// What the part takes in which state, and per MHz of its clock where that is what it follows.
///
/// None of the figures has been compared with a copy of the data sheet DS10314, so that each is marked as an assumption:
/// those of the core and of the stop mode are recalled from the features on its first page, those of the peripherals from
/// its table of peripheral current consumption; that of the sleep mode is an estimate.
enum EnergyTable {
  /// A module that an enable bit of RCC switches on.
  struct Module {
    let name: String
    /// Where its bit stands: the offset of the register in RCC, and the bit.
    let register: UInt32
    let bit: UInt32
    /// Microamperes per MHz of the core's clock.
    let perMegahertz: Double
  }

  static let running = 0, asleep = 1, stopped = 2, stoppedDeep = 3, firstModule = 4

  /// What the core takes awake and asleep, in microamperes per MHz.
  static let runPerMegahertz = 100.0, sleepPerMegahertz = 30.0

  /// The modules that are modelled.
  static let modules: [Module] = [
    Module(name: "GPIOA", register: 0x30, bit: 0, perMegahertz: 1.55),
    Module(name: "GPIOB", register: 0x30, bit: 1, perMegahertz: 1.55),
    Module(name: "GPIOC", register: 0x30, bit: 2, perMegahertz: 1.55),
    Module(name: "GPIOD", register: 0x30, bit: 3, perMegahertz: 1.55),
    Module(name: "GPIOE", register: 0x30, bit: 4, perMegahertz: 1.55),
    Module(name: "GPIOH", register: 0x30, bit: 7, perMegahertz: 1.55),
    Module(name: "TIM2", register: 0x40, bit: 0, perMegahertz: 11.19),
    Module(name: "TIM3", register: 0x40, bit: 1, perMegahertz: 8.57),
    Module(name: "TIM4", register: 0x40, bit: 2, perMegahertz: 8.33),
    Module(name: "TIM5", register: 0x40, bit: 3, perMegahertz: 11.19),
    Module(name: "USART2", register: 0x40, bit: 17, perMegahertz: 3.33),
    Module(name: "I2C1", register: 0x40, bit: 21, perMegahertz: 3.10),
    Module(name: "I2C2", register: 0x40, bit: 22, perMegahertz: 3.10),
    Module(name: "I2C3", register: 0x40, bit: 23, perMegahertz: 3.10),
    Module(name: "PWR", register: 0x40, bit: 28, perMegahertz: 0.71),
    Module(name: "USART1", register: 0x44, bit: 4, perMegahertz: 3.10),
    Module(name: "USART6", register: 0x44, bit: 5, perMegahertz: 2.86),
    Module(name: "SYSCFG", register: 0x44, bit: 14, perMegahertz: 0.71),
  ]

  /// The figures at 100 MHz and where they stand.
  static let states =
    [
      EnergyState(
        "running", microamperes: runPerMegahertz * 100,
        source: "assumption: DS10314, features: run 100 uA/MHz with the peripherals off"),
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
