import Cores
package import Machines

/// An STM32F411xE, STM32F401xE or STM32F405xG, with a Cortex-M4F, flash, and the common peripherals.
///
/// The others have the STM32F411's peripherals at the same addresses; `Model` has what differs.
package final class STM32F411: Microcontroller {
  /// A member of the family, with the figures that differ (reference manuals RM0383, RM0368 and RM0090).
  package enum Model: String, CaseIterable, Sendable {
    case stm32F411 = "STM32F411"
    case stm32F401 = "STM32F401"
    case stm32F405 = "STM32F405"

    /// The size of the flash in bytes.
    var flash: UInt32 { self == .stm32F405 ? 0x10_0000 : 0x8_0000 }
    /// The size of the RAM at 0x20000000 in bytes.
    var ram: UInt32 { self == .stm32F401 ? 0x1_8000 : 0x2_0000 }
    /// The size of the core-coupled memory at 0x10000000 in bytes.
    var coupledMemory: UInt32 { self == .stm32F405 ? 0x1_0000 : 0 }
    /// DBGMCU_IDCODE: DEV_ID and REV_ID.
    var identity: UInt32 {
      switch self {
      case .stm32F411: 0x1000_0431
      case .stm32F401: 0x1000_0433
      case .stm32F405: 0x1007_6413
      }
    }
    /// The number of SPIs.
    var spis: Int { self == .stm32F411 ? 5 : self == .stm32F401 ? 4 : 3 }
  }

  package let name: String
  package let memories: [MachineMemory]
  package let i2cPorts: [I2CPort]
  package let serialPorts: [SerialPort]
  package private(set) var resetCause = ResetCause.powerOn

  private let run: ArmRun
  private let chip: Chip
  private let clocks: RCC
  private let gpio: GPIOPorts
  private let unmodelled: [UnmodelledPages]
  private let requests: DMARequestMatrix
  private let power: PWR
  private let watchdog: IWDG
  private let exti: EXTI
  private let peripherals: [Peripheral]

  /// Creates a chip with erased flash after a power-on reset.
  ///
  /// - Parameters:
  ///   - model: the member of the family. Default: the STM32F411.
  ///   - seed: the seed of its identity. Default: 0.
  package init(_ model: Model = .stm32F411, seed: UInt64 = 0) {
    name = model.rawValue
    let memory = AddressSpace()
    var coreModel = ArmCore.Model.cortexM4F
    coreModel.priorityBits = 4
    let core = ArmCore(coreModel, memory: memory)
    memories = Self.memories(of: memory, core, model, seed: seed)
    var begin: (ResetCause) -> Void = { _ in }
    let run = ArmRun(core, frequency: 16_000_000) { begin($0) }
    self.run = run
    let chip = Chip(run, model)
    self.chip = chip
    let bases: [UInt32] = [0x4000_0000, 0x5000_0000, 0xE004_0000]
    unmodelled = bases.map { UnmodelledPages(at: $0, run.unmodelledRegisters) }
    for (device, base) in zip(unmodelled, bases) {
      memory.add(device, at: base, count: base >> 28 == 14 ? 0x4000 : 0x10_0000)
    }
    BitBand.addBoth(to: memory)
    clocks = RCC(chip)
    let gpio = GPIOPorts(chip)
    self.gpio = gpio
    let i2cs = [(1, 31), (2, 33), (3, 72)].map { I2CPeripheral($0, interrupt: $1, chip) }
    let usarts = Self.usarts(model, chip)
    i2cPorts = i2cs.map(\.port)
    serialPorts = usarts.map(\.port)
    power = PWR(chip)
    let instances = TIMInstance.common + (model == .stm32F405 ? TIMInstance.further : [])
    let timers = instances.map { TIM($0, gpio.timers, chip) }
    let syscfg = SYSCFG(chip)
    let requests = DMARequestMatrix()
    chip.requests = requests
    self.requests = requests
    exti = EXTI(syscfg, gpio, chip)
    watchdog = IWDG(chip)
    peripherals =
      i2cs + usarts + timers + [
        syscfg, exti, RTC(exti, chip), watchdog, power,
        FLASH(memories[0], chip), DBGMCU(model, chip), ADC(chip), WWDG(chip), CRC(chip),
        DMA(1, requests, chip), DMA(2, requests, chip),
      ] + Self.spis(model, chip) + (model == .stm32F405 ? [RNG(seed: seed, chip)] : [])
    clocks.busPeripherals = usarts + timers
    begin = { [unowned self] in reset($0) }
    reset(.powerOn)
  }

  deinit {
    gpio.timers.dismantle()
    chip.dismantle()
  }

  private static func usarts(_ model: Model, _ chip: Chip) -> [USART] {
    let further: [(Int, base: UInt32, interrupt: Int)] =
      model == .stm32F405
      ? [(3, 0x4000_4800, 39), (4, 0x4000_4C00, 52), (5, 0x4000_5000, 53)] : []
    return [
      USART(1, at: 0x4001_1000, interrupt: 37, isOnAPB2: true, chip),
      USART(2, at: 0x4000_4400, interrupt: 38, isOnAPB2: false, chip),
    ] + further.map { USART($0.0, at: $0.base, interrupt: $0.interrupt, isOnAPB2: false, chip) }
      + [USART(6, at: 0x4001_1400, interrupt: 71, isOnAPB2: true, chip)]
  }

  private static func spis(_ model: Model, _ chip: Chip) -> [SPI] {
    [
      SPI(1, at: 0x4001_3000, interrupt: 35, isOnAPB2: true, chip),
      SPI(2, at: 0x4000_3800, interrupt: 36, isOnAPB2: false, chip),
      SPI(3, at: 0x4000_3C00, interrupt: 51, isOnAPB2: false, chip),
    ]
      + (model.spis > 3 ? [SPI(4, at: 0x4001_3400, interrupt: 84, isOnAPB2: true, chip)] : [])
      + (model.spis > 4 ? [SPI(5, at: 0x4001_5000, interrupt: 85, isOnAPB2: true, chip)] : [])
  }

  private static func memories(
    of memory: AddressSpace, _ core: ArmCore, _ model: Model, seed: UInt64
  ) -> [MachineMemory] {
    let flash = memory.addMemory(
      at: 0x0800_0000, count: model.flash, isWritable: false, filling: 0xFF)
    memory.addAlias(of: flash, at: 0)
    let factory = memory.addMemory(at: 0x1FFF_7000, count: 0x1000, isWritable: false, filling: 0xFF)
    let ram = memory.addMemory(at: 0x2000_0000, count: model.ram, isWritable: true)
    for (offset, word) in DeviceSignature.words(seed: seed, flashKilobytes: model.flash / 1024) {
      factory.bytes.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt32.self)
    }
    func invalidate(_ bases: [UInt32]) -> (Int, Int) -> Void {
      { [unowned core] offset, count in
        for base in bases { core.invalidate(base + UInt32(offset), count: UInt32(count)) }
      }
    }
    var memories = [
      MachineMemory(
        "flash", .flash, base: flash.base, count: flash.count, pageSize: 0x4000,
        bytes: flash.bytes, invalidate: invalidate([0, flash.base])),
      MachineMemory(
        "RAM", .ram, base: ram.base, count: ram.count, erased: 0, bytes: ram.bytes,
        invalidate: invalidate([ram.base])),
    ]
    if model.coupledMemory > 0 {
      let coupled = memory.addMemory(
        at: 0x1000_0000, count: model.coupledMemory, isWritable: true)
      memories.append(
        MachineMemory(
          "CCM", .ram, base: coupled.base, count: coupled.count, erased: 0, bytes: coupled.bytes,
          invalidate: invalidate([coupled.base])))
    }
    return memories
  }

  /// The frequency of the crystal, or of the board's external clock, in Hz.
  package var crystal: UInt64 {
    get { clocks.crystal }
    set { clocks.crystal = newValue }
  }

  package var clock: MachineClock { run.clock }
  package var core: any MachineCore { run.core }
  /// The number of reads of peripheral registers.
  package var registerReads: Int { run.polls.total }
  package var skipsIdleLoops: Bool {
    get { run.skipsIdleLoops }
    set { run.skipsIdleLoops = newValue }
  }
  package var breakpoints: Breakpoints { run.breakpoints }
  package var watchpoints: Watchpoints? { run.watchpoints }
  package var pins: PinBank { gpio.bank }
  package var analog: AnalogInputs { chip.analog }
  package var unmodelledRegisters: UnmodelledRegisters { run.unmodelledRegisters }
  package var isOff: Bool { run.isOff }
  package var nextEvent: UInt64? { run.nextEvent }
  package var waitsForever: Bool { run.waitsForever }
  package var lastSleep: LastSleep? {
    let mayWake = run.isOff || watchdog.isRunning || exti.sendsEvents
    return run.core.sleepsMasked && !mayWake ? .stuck : nil
  }

  /// The time in each state, up to now.
  package var energy: EnergyLedger {
    chip.countEnergy()
    return chip.energy
  }

  package func run(until nanoseconds: UInt64) -> MachineStop { run.run(until: nanoseconds) }
  package var schedule: EventSchedule { run.schedule }
  package func step() -> MachineStop { run.step() }

  package func reset(_ cause: ResetCause) {
    chip.countEnergy()
    resetCause = cause
    run.isOff = false
    if cause == .powerOn || cause == .brownOut || cause == .wakeUp {
      for memory in memories where memory.kind == .ram {
        memory.bytes.initializeMemory(as: UInt8.self, repeating: 0, count: Int(memory.count))
      }
    }
    clocks.note(cause)
    requests.reset()
    chip.resetAll()
    power.note(cause)
    for device in unmodelled { device.reset() }
    run.core.reset(vectors: 0)
  }
}
