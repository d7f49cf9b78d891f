import Cores
package import Machines

/// The nRF52832: a Cortex-M4F at 64 MHz, 512 KB of flash, 64 KB of RAM, and its peripherals but for the radio.
package final class NRF52832: Microcontroller {
  package let name = "nRF52832"
  package let memories: [MachineMemory]
  package let i2cPorts: [I2CPort]
  package let serialPorts: [SerialPort]
  package private(set) var resetCause = ResetCause.powerOn

  private let run: ArmRun
  private let die: Die
  private let clocks: Clocks
  private let pinPort: GeneralPins
  private let watchdog: WatchdogTimer
  private let unmodelled: [UnmodelledPages]
  /// Until which cycle the ledger knows what the core did, and how much of that it slept or was off.
  private var counted: (cycles: UInt64, slept: UInt64, off: UInt64) = (0, 0, 0)

  /// Creates a part with erased flash whose supply has just come.
  ///
  /// - Parameter seed: what its random numbers and its identity come from.
  package init(seed: UInt64 = 0) {
    let memory = AddressSpace()
    var model = ArmCore.Model.cortexM4F
    model.isClockedAsleep = false
    let core = ArmCore(model, memory: memory)
    memories = Self.memories(of: memory, core, seed: seed)
    var begin: (ResetCause) -> Void = { _ in }
    run = ArmRun(core, frequency: Die.frequency) { begin($0) }
    let die = Die(run, seed: seed)
    self.die = die
    unmodelled = [
      UnmodelledPages(at: 0x4000_0000, run.untouched),
      UnmodelledPages(at: 0x5000_0000, run.untouched),
    ]
    for (device, base) in zip(unmodelled, [0x4000_0000, 0x5000_0000] as [UInt32]) {
      memory.add(device, at: base, count: 0x10_0000)
    }
    memory.add(RomTable(), at: 0xF000_0000, count: 0x1000)
    clocks = Clocks(die)
    pinPort = GeneralPins(die)
    watchdog = WatchdogTimer(die)
    let wires = [TwoWireUnit(0, page: 3, die), TwoWireUnit(1, page: 4, die)]
    let line = SerialUnit(die)
    i2cPorts = wires.map(\.port)
    serialPorts = [line.port]
    keeping = wires + [line, watchdog] + Self.others(clocks, pinPort, memories, die)
    begin = { [unowned self] in reset($0) }
    clocks.converterWillChange = { [unowned self] in count() }
    reset(.powerOn)
  }

  deinit { die.dismantle() }

  /// The peripherals that nobody asks for anything.
  private let keeping: [TaskPeripheral]

  private static func others(
    _ clocks: Clocks, _ pins: GeneralPins, _ memories: [MachineMemory], _ die: Die
  ) -> [TaskPeripheral] {
    let counters = [(11, 3), (17, 4), (36, 4)].map {
      RealTimeCounter($0, compares: $1, clocks, die)
    }
    let timers = [(8, 4), (9, 4), (10, 4), (26, 6), (27, 6)].map {
      CountingTimer($0, compares: $1, die)
    }
    return counters + timers + (0..<6).map { EventGenerator($0, die) } + [
      TwoWireUnit(2, page: 35, die), PinEvents(pins, die), Converter(die), Thermometer(die),
      RandomNumbers(die), FlashUnit(flash: memories[0], settings: memories[1], die), PPI(die),
    ]
  }

  private static func memories(
    of memory: AddressSpace, _ core: ArmCore, seed: UInt64
  ) -> [MachineMemory] {
    let flash = memory.addMemory(at: 0, count: 0x8_0000, isWritable: false, filling: 0xFF)
    let factory = memory.addMemory(at: 0x1000_0000, count: 0x1000, isWritable: false, filling: 0xFF)
    let settings = memory.addMemory(
      at: 0x1000_1000, count: 0x1000, isWritable: false, filling: 0xFF)
    let ram = memory.addMemory(at: 0x2000_0000, count: 0x1_0000, isWritable: true)
    for (offset, word) in FactoryWords.words(seed: seed) {
      factory.bytes.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt32.self)
    }
    for (offset, word) in FactoryWords.settings {
      settings.bytes.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt32.self)
    }
    func forget(_ base: UInt32) -> (Int, Int) -> Void {
      { [unowned core] in core.invalidate(base + UInt32($0), count: UInt32($1)) }
    }
    return [
      MachineMemory(
        "flash", .flash, base: 0, count: flash.count, pageSize: FlashUnit.pageSize,
        bytes: flash.bytes, forget: forget(0)),
      MachineMemory(
        "UICR", .settings, base: settings.base, count: settings.count,
        pageSize: FlashUnit.pageSize, bytes: settings.bytes),
      MachineMemory(
        "RAM", .ram, base: ram.base, count: ram.count, erased: 0, bytes: ram.bytes,
        forget: forget(ram.base)),
    ]
  }

  /// How often a register of a peripheral has been read.
  package var registerReads: Int { run.polls.total }
  package var clock: MachineClock { run.clock }
  package var skipsIdleLoops: Bool {
    get { run.skipsIdleLoops }
    set { run.skipsIdleLoops = newValue }
  }
  package var core: any MachineCore { run.core }
  package var breakpoints: Breakpoints { run.breakpoints }
  package var watchpoints: Watchpoints? { run.watchpoints }
  package var pins: PinBank { pinPort.bank }
  package var analog: AnalogInputs { die.analog }
  package var untouched: RegisterLedger { run.untouched }
  package var isOff: Bool { run.isOff }
  package var nextEvent: UInt64? { run.nextEvent }
  package var waitsForEver: Bool { run.waitsForEver }
  package var lastSleep: LastSleep? {
    !run.isOff && run.core.sleepsMasked && !watchdog.isRunning ? .stuck : nil
  }

  /// For how long it has been in which state, the core's states up to now.
  package var energy: EnergyLedger {
    count()
    return die.energy
  }

  private func count() {
    die.countHighClock()
    let now = (cycles: run.core.cycles, slept: run.core.sleptCycles, off: run.offCycles)
    let (slept, off) = (now.slept - counted.slept, now.off - counted.off)
    let running = now.cycles - counted.cycles - slept - off
    for (state, cycles) in [(PowerState.idle, slept), (.off, off)] {
      die.energy.add(state.rawValue, nanoseconds: cycles * 125 / 8)
    }
    let current =
      clocks.usesConverter ? PowerState.runningConverted : PowerState.states[0].microamperes
    die.energy.add(
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

  /// System OFF: all peripherals stop, and RAM that is not to be kept loses its content.
  private func switchOff() {
    count()
    for section in 0..<16 where !clocks.isRetained(section: section) {
      (memories[2].bytes + section * 4096).initializeMemory(
        as: UInt8.self, repeating: 0, count: 4096)
    }
    run.core.invalidate(0x2000_0000, count: 0x1_0000)
    die.stopAll()
  }

  package func reset(_ cause: ResetCause) {
    count()
    resetCause = cause
    run.isOff = false
    // The watchdog goes on over a reset that a program asks for.
    die.resetAll(keeping: cause == .software ? [16] : [])
    pinPort.reset()
    for device in unmodelled { device.reset() }
    clocks.note(cause)
    if cause == .powerOn || cause == .brownOut {
      memories[2].bytes.initializeMemory(as: UInt8.self, repeating: 0, count: 0x1_0000)
    }
    run.core.reset(vectors: 0)
  }
}
