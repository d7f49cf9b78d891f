import Cores
package import Machines

/// The STM32F411xE: a Cortex-M4F at up to 100 MHz, 512 KB of flash, 128 KB of RAM, and its common peripherals.
package final class STM32F411: Microcontroller {
  package let name = "STM32F411"
  package let memories: [MachineMemory]
  package let i2cPorts: [I2CPort]
  package let serialPorts: [SerialPort]
  package private(set) var resetCause = ResetCause.powerOn

  private let run: ArmRun
  private let chip: Silicon
  private let clocks: ResetAndClocks
  private let pinPorts: PinPorts
  private let unmodelled: [Unmodelled]
  private let board: DMABoard
  private let power: PowerControl
  private let watchdog: Watchdog
  private let edges: ExternalInterrupts
  private let keeping: [Peripheral]

  /// Creates a part with erased flash whose supply has just come.
  ///
  /// - Parameter seed: what its identity comes from.
  package init(seed: UInt64 = 0) {
    let memory = AddressSpace()
    var model = ArmCore.Model.cortexM4F
    model.priorityBits = 4
    let core = ArmCore(model, memory: memory)
    memories = Self.memories(of: memory, core, seed: seed)
    var begin: (ResetCause) -> Void = { _ in }
    let run = ArmRun(core, frequency: 16_000_000) { begin($0) }
    self.run = run
    let chip = Silicon(run)
    self.chip = chip
    let places: [UInt32] = [0x4000_0000, 0x5000_0000, 0xE004_0000]
    unmodelled = places.map { Unmodelled(at: $0, run.untouched) }
    for (device, base) in zip(unmodelled, places) {
      memory.add(device, at: base, count: base >> 28 == 14 ? 0x4000 : 0x10_0000)
    }
    BitBand.addBoth(to: memory)
    clocks = ResetAndClocks(chip)
    pinPorts = PinPorts(chip)
    let wires = [(1, 31), (2, 33), (3, 72)].map { TwoWire($0, interrupt: $1, chip) }
    let lines = Self.lines(chip)
    i2cPorts = wires.map(\.port)
    serialPorts = lines.map(\.port)
    power = PowerControl(chip)
    let timers = TimerKind.all.map { Timer($0, chip) }
    let configuration = SystemConfiguration(chip)
    let board = DMABoard()
    chip.requests = board
    self.board = board
    edges = ExternalInterrupts(configuration, pinPorts, chip)
    watchdog = Watchdog(chip)
    keeping =
      wires + lines + timers + [
        configuration, edges, Calendar(edges, chip), watchdog, power,
        FlashController(memories[0], chip), DebugIdentity(chip), AnalogConverter(chip),
        MemoryAccess(1, board, chip), MemoryAccess(2, board, chip),
      ] + Self.shifts(chip)
    clocks.listeners = lines + timers
    begin = { [unowned self] in reset($0) }
    reset(.powerOn)
  }

  deinit { chip.dismantle() }

  private static func lines(_ chip: Silicon) -> [SerialLine] {
    [
      SerialLine(1, at: 0x4001_1000, interrupt: 37, isFast: true, chip),
      SerialLine(2, at: 0x4000_4400, interrupt: 38, isFast: false, chip),
      SerialLine(6, at: 0x4001_1400, interrupt: 71, isFast: true, chip),
    ]
  }

  private static func shifts(_ chip: Silicon) -> [ShiftUnit] {
    [
      ShiftUnit(1, at: 0x4001_3000, interrupt: 35, isFast: true, chip),
      ShiftUnit(2, at: 0x4000_3800, interrupt: 36, isFast: false, chip),
      ShiftUnit(3, at: 0x4000_3C00, interrupt: 51, isFast: false, chip),
      ShiftUnit(4, at: 0x4001_3400, interrupt: 84, isFast: true, chip),
      ShiftUnit(5, at: 0x4001_5000, interrupt: 85, isFast: true, chip),
    ]
  }

  private static func memories(
    of memory: AddressSpace, _ core: ArmCore, seed: UInt64
  ) -> [MachineMemory] {
    let flash = memory.addMemory(at: 0x0800_0000, count: 0x8_0000, isWritable: false, filling: 0xFF)
    memory.addAlias(of: flash, at: 0)
    let factory = memory.addMemory(at: 0x1FFF_7000, count: 0x1000, isWritable: false, filling: 0xFF)
    let ram = memory.addMemory(at: 0x2000_0000, count: 0x2_0000, isWritable: true)
    for (offset, word) in FactoryInformation.words(seed: seed) {
      factory.bytes.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt32.self)
    }
    func forget(_ bases: [UInt32]) -> (Int, Int) -> Void {
      { [unowned core] offset, count in
        for base in bases { core.invalidate(base + UInt32(offset), count: UInt32(count)) }
      }
    }
    return [
      MachineMemory(
        "flash", .flash, base: flash.base, count: flash.count, pageSize: 0x4000,
        bytes: flash.bytes, forget: forget([0, flash.base])),
      MachineMemory(
        "RAM", .ram, base: ram.base, count: ram.count, erased: 0, bytes: ram.bytes,
        forget: forget([ram.base])),
    ]
  }

  /// The frequency of the crystal, or of the clock that the board feeds in, in Hz.
  package var crystal: UInt64 {
    get { clocks.crystal }
    set { clocks.crystal = newValue }
  }

  package var clock: MachineClock { run.clock }
  package var core: any MachineCore { run.core }
  /// How often a register of a peripheral has been read.
  package var registerReads: Int { run.polls.total }
  package var skipsIdleLoops: Bool {
    get { run.skipsIdleLoops }
    set { run.skipsIdleLoops = newValue }
  }
  package var breakpoints: Breakpoints { run.breakpoints }
  package var watchpoints: Watchpoints? { run.watchpoints }
  package var pins: PinBank { pinPorts.bank }
  package var analog: AnalogInputs { chip.analog }
  package var untouched: RegisterLedger { run.untouched }
  package var isOff: Bool { run.isOff }
  package var nextEvent: UInt64? { run.nextEvent }
  package var waitsForEver: Bool { run.waitsForEver }
  package var lastSleep: LastSleep? {
    let mayWake = run.isOff || watchdog.isRunning || edges.sendsEvents
    return run.core.sleepsMasked && !mayWake ? .stuck : nil
  }

  /// For how long it has been in which state, the core's up to now.
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
      memories[1].bytes.initializeMemory(as: UInt8.self, repeating: 0, count: 0x2_0000)
    }
    clocks.note(cause)
    board.reset()
    chip.resetAll()
    power.note(cause)
    for device in unmodelled { device.reset() }
    run.core.reset(vectors: 0)
  }
}
