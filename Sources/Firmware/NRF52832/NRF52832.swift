import Cores
package import Machines

/// The nRF52832 or the nRF52840: a Cortex-M4F at 64 MHz, its memories, and its peripherals.
///
/// The nRF52840 has the same peripherals at the same addresses; `Model` has what differs.
package final class NRF52832: Microcontroller {
  /// A member of the family, with the figures that differ (product specifications nRF52832 v1.4 and nRF52840 v1.7).
  package enum Model: String, CaseIterable, Sendable {
    case nRF52832, nRF52840

    /// The sizes of flash and RAM in bytes.
    var flash: UInt32 { self == .nRF52832 ? 0x8_0000 : 0x10_0000 }
    var ram: UInt32 { self == .nRF52832 ? 0x1_0000 : 0x4_0000 }
    /// The number of GPIO pins: P0, and 16 of P1.
    var pins: Int { self == .nRF52832 ? 32 : 48 }
    /// The writable bits of MAXCNT of UARTE, TWIM and SPIM.
    var dmaMask: UInt32 { self == .nRF52832 ? 0xFF : 0xFFFF }
    /// The numbers of the UARTEs' pages.
    var uartes: [Int] { self == .nRF52832 ? [2] : [2, 40] }
    /// The numbers of the PWMs' pages.
    var pwms: [Int] { self == .nRF52832 ? [28, 33, 34] : [28, 33, 34, 45] }
    /// The pin of the reset button of a board.
    var resetPin: UInt32 { self == .nRF52832 ? 21 : 18 }
    /// FICR: part, variant (AAE0, AAD0), package (QFN48, aQFN73), and the words from which start-up code reads the revision.
    var part: UInt32 { self == .nRF52832 ? 0x52832 : 0x52840 }
    var variant: UInt32 { self == .nRF52832 ? 0x4141_4530 : 0x4141_4430 }
    var package: UInt32 { self == .nRF52832 ? 0x2000 : 0x2004 }
    var revision: (UInt32, UInt32) { self == .nRF52832 ? (6, 5) : (8, 3) }
  }

  package let name: String
  package let memories: [MachineMemory]
  package let i2cPorts: [I2CPort]
  package let serialPorts: [SerialPort]
  package let radio: RadioPort?
  package private(set) var resetCause = ResetCause.powerOn

  private let run: ArmRun
  private let chip: Chip
  private let clocks: CLOCK
  private let gpio: GPIO
  private let watchdog: WDT
  private let unmodelled: [UnmodelledPages]
  /// The core's cycles that the energy ledger has counted: in total, asleep and off.
  private var counted: (cycles: UInt64, slept: UInt64, off: UInt64) = (0, 0, 0)

  /// Creates a chip with erased flash after a power-on reset.
  ///
  /// - Parameters:
  ///   - model: the member of the family. Default: the nRF52832.
  ///   - seed: the seed of its random numbers and of its identity. Default: 0.
  package init(_ model: Model = .nRF52832, seed: UInt64 = 0) {
    name = model.rawValue
    let memory = AddressSpace()
    var coreModel = ArmCore.Model.cortexM4F
    coreModel.isClockedAsleep = false
    let core = ArmCore(coreModel, memory: memory)
    memories = Self.memories(of: memory, core, model, seed: seed)
    var begin: (ResetCause) -> Void = { _ in }
    run = ArmRun(core, frequency: Chip.frequency) { begin($0) }
    let chip = Chip(run, model, seed: seed)
    self.chip = chip
    let bases: [UInt32] = [0x4000_0000, 0x5000_0000]
    unmodelled = bases.map { [run] in
      UnmodelledPages(at: $0, run.unmodelledRegisters, silent: Set(FICR.trims))
    }
    for (device, base) in zip(unmodelled, bases) {
      memory.add(device, at: base, count: 0x10_0000)
    }
    memory.add(ROMTable(model), at: 0xF000_0000, count: 0x1000)
    clocks = CLOCK(chip)
    gpio = GPIO(chip)
    watchdog = WDT(chip)
    let twims = [TWIM(0, page: 3, chip), TWIM(1, page: 4, chip)]
    let uartes = model.uartes.map { UARTE($0, chip) }
    i2cPorts = twims.map(\.port)
    serialPorts = uartes.map(\.port)
    let transceiver = RADIO(chip)
    radio = transceiver.port
    peripherals =
      twims + uartes + [watchdog, transceiver] + Self.others(clocks, gpio, memories, chip)
    begin = { [unowned self] in reset($0) }
    clocks.converterWillChange = { [unowned self] in count() }
    reset(.powerOn)
  }

  deinit {
    gpio.waves = []
    chip.dismantle()
  }

  /// All peripherals, which are retained here.
  private let peripherals: [TaskPeripheral]

  private static func others(
    _ clocks: CLOCK, _ pins: GPIO, _ memories: [MachineMemory], _ chip: Chip
  ) -> [TaskPeripheral] {
    let counters = [(11, 3), (17, 4), (36, 4)].map {
      RTC($0, compares: $1, clocks, chip)
    }
    let timers = [(8, 4), (9, 4), (10, 4), (26, 6), (27, 6)].map {
      TIMER($0, compares: $1, chip)
    }
    let waves = chip.model.pwms.map { PWM($0, pins, chip) }
    return counters + timers + waves + (0..<6).map { EGU($0, chip) } + [
      TWIM(2, page: 35, chip), GPIOTE(pins, chip), SAADC(chip), TEMP(chip),
      RNG(chip), NVMC(flash: memories[0], uicr: memories[1], chip), PPI(chip),
    ]
  }

  private static func memories(
    of memory: AddressSpace, _ core: ArmCore, _ model: Model, seed: UInt64
  ) -> [MachineMemory] {
    let flash = memory.addMemory(
      at: 0, count: model.flash, isWritable: false, filling: 0xFF)
    let factory = memory.addMemory(at: 0x1000_0000, count: 0x1000, isWritable: false, filling: 0xFF)
    let uicr = memory.addMemory(
      at: 0x1000_1000, count: 0x1000, isWritable: false, filling: 0xFF)
    let ram = memory.addMemory(at: 0x2000_0000, count: model.ram, isWritable: true)
    for (offset, word) in FICR.words(model, seed: seed) {
      factory.bytes.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt32.self)
    }
    for (offset, word) in UICR.words(model) {
      uicr.bytes.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt32.self)
    }
    func invalidate(_ base: UInt32) -> (Int, Int) -> Void {
      { [unowned core] in core.invalidate(base + UInt32($0), count: UInt32($1)) }
    }
    return [
      MachineMemory(
        "flash", .flash, base: 0, count: flash.count, pageSize: NVMC.pageSize,
        bytes: flash.bytes, invalidate: invalidate(0)),
      MachineMemory(
        "UICR", .settings, base: uicr.base, count: uicr.count,
        pageSize: NVMC.pageSize, bytes: uicr.bytes),
      MachineMemory(
        "RAM", .ram, base: ram.base, count: ram.count, erased: 0, bytes: ram.bytes,
        invalidate: invalidate(ram.base)),
    ]
  }

  /// The number of reads of peripheral registers.
  package var registerReads: Int { run.polls.total }
  package var clock: MachineClock { run.clock }
  package var skipsIdleLoops: Bool {
    get { run.skipsIdleLoops }
    set { run.skipsIdleLoops = newValue }
  }
  package var core: any MachineCore { run.core }
  package var breakpoints: Breakpoints { run.breakpoints }
  package var watchpoints: Watchpoints? { run.watchpoints }
  package var pins: PinBank { gpio.bank }
  package var analog: AnalogInputs { chip.analog }
  package var unmodelledRegisters: UnmodelledRegisters { run.unmodelledRegisters }
  package var isOff: Bool { run.isOff }
  package var nextEvent: UInt64? { run.nextEvent }
  package var waitsForever: Bool { run.waitsForever }
  package var lastSleep: LastSleep? {
    !run.isOff && run.core.sleepsMasked && !watchdog.isRunning ? .stuck : nil
  }

  /// The time in each state, up to now.
  package var energy: EnergyLedger {
    count()
    return chip.energy
  }

  private func count() {
    chip.countHighClock()
    let now = (cycles: run.core.cycles, slept: run.core.sleptCycles, off: run.offCycles)
    let (slept, off) = (now.slept - counted.slept, now.off - counted.off)
    let running = now.cycles - counted.cycles - slept - off
    for (state, cycles) in [(PowerState.idle, slept), (.off, off)] {
      chip.energy.add(state.rawValue, nanoseconds: cycles * 125 / 8)
    }
    let current =
      clocks.usesConverter ? PowerState.runningConverted : PowerState.states[0].microamperes
    chip.energy.add(
      PowerState.running.rawValue, nanoseconds: running * 125 / 8, microamperes: current)
    counted = now
  }

  package func run(until nanoseconds: UInt64) -> MachineStop { noting(run.run(until: nanoseconds)) }

  package var schedule: EventSchedule { run.schedule }
  package func step() -> MachineStop { noting(run.step()) }

  private func noting(_ stop: MachineStop) -> MachineStop {
    if stop == .off { switchOff() }
    return stop
  }

  /// Enters System OFF: all peripherals stop, and RAM sections without retention are cleared.
  private func switchOff() {
    count()
    // Sixteen sections of 4 KiB; above them, those of RAM[8] with 32 KiB each.
    let size = Int(memories[2].count)
    for section in 0..<22 where !clocks.isRetained(section: section) {
      let start = section < 16 ? section << 12 : 0x1_0000 + (section - 16) << 15
      let count = section < 16 ? 0x1000 : 0x8000
      guard start < size else { break }
      (memories[2].bytes + start).initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }
    run.core.invalidate(0x2000_0000, count: UInt32(size))
    chip.stopAll()
  }

  package func reset(_ cause: ResetCause) {
    count()
    resetCause = cause
    run.isOff = false
    // A software reset does not stop the watchdog.
    chip.resetAll(keeping: cause == .software ? [WDT.number] : [])
    gpio.reset()
    for device in unmodelled { device.reset() }
    clocks.note(cause)
    if cause == .powerOn || cause == .brownOut {
      memories[2].bytes.initializeMemory(
        as: UInt8.self, repeating: 0, count: Int(memories[2].count))
    }
    run.core.reset(vectors: 0)
  }
}
