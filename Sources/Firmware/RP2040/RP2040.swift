import Cores
package import Machines

/// An RP2040 with a flash of 2 MiB: core 0, a Cortex-M0+, and the peripherals that sensor firmware uses.
///
/// Core 1, PIO, DMA, USB, SPI and the RTC are not modelled.
package final class RP2040: Microcontroller {
  package let name = "RP2040"
  package let memories: [MachineMemory]
  package let i2cPorts: [I2CPort]
  package let serialPorts: [SerialPort]
  package private(set) var resetCause = ResetCause.powerOn

  private let run: ArmRun
  private let chip: Chip
  private let rom: BootROM
  private let gpio: IO_BANK0
  private let sio: SIO
  private let watchdog: WATCHDOG
  private let unmodelled: [UnmodelledPages]
  private let peripherals: [Peripheral]
  /// The start of the vector table, behind the second boot stage.
  private var vectors = RP2040.flashBase + BootStage2.count
  private static let flashBase: UInt32 = 0x1000_0000
  /// USBCTRL.SIE_CTRL and its alias that sets bits, in which the start code of the Pico SDK pulls the USB lines down.
  private static let startRegisters: Set<UInt32> = [0x5011_004C, 0x5011_204C]

  /// Creates a chip with erased flash after a power-on reset.
  ///
  /// - Parameter seed: the seed of its random bits and of the flash's identity. Default: 0.
  package init(seed: UInt64 = 0) {
    let memory = AddressSpace()
    let core = ArmCore(.cortexM0, memory: memory)
    let memories = Self.memories(of: memory, core)
    self.memories = memories
    var begin: (ResetCause) -> Void = { _ in }
    let run = ArmRun(core, frequency: 6_500_000) { begin($0) }
    self.run = run
    let chip = Chip(run)
    self.chip = chip
    // ADC_AVDD of a Raspberry Pi Pico.
    chip.analog.supply = { _ in 3.3 }
    let pages: [(base: UInt32, count: UInt32)] = [
      (0x4000_0000, 0x10_0000), (0x5000_0000, 0x40_0000),
    ]
    unmodelled = pages.map { [run] in
      UnmodelledPages(at: $0.base, run.unmodelledRegisters, silent: Self.startRegisters)
    }
    for (device, page) in zip(unmodelled, pages) {
      memory.add(device, at: page.base, count: page.count)
    }
    rom = BootROM(memories[0], chip)
    let (rosc, xosc) = (ROSC(seed: seed, chip), XOSC(chip))
    let plls = [
      PLL(at: 0x4002_8000, resetBit: RESETS.Bit.PLL_SYS, xosc, chip),
      PLL(at: 0x4002_C000, resetBit: RESETS.Bit.PLL_USB, xosc, chip),
    ]
    let clocks = CLOCKS(rosc, xosc, plls[0], plls[1], chip)
    watchdog = WATCHDOG(chip)
    let gpio = IO_BANK0(chip)
    self.gpio = gpio
    sio = SIO(gpio, chip)
    let i2cs = (0..<2).map { I2CController($0, chip) }
    let uarts = (0..<2).map { UART($0, chip) }
    i2cPorts = i2cs.map(\.port)
    serialPorts = uarts.map(\.port)
    let ssi = SSI(seed: seed, chip)
    peripherals =
      [rosc, xosc, clocks, watchdog, gpio, ssi] + plls + i2cs + uarts + Settings.all(chip)
      + [
        RESETS(chip), PSM(chip), TIMER(watchdog, chip), ADC(chip), PWM(gpio, chip), XIP(chip),
        QSPIPins(ssi, chip), QSPIPins(nil, chip),
      ]
    begin = { [unowned self] in reset($0) }
    reset(.powerOn)
  }

  deinit { chip.dismantle() }

  private static func memories(of memory: AddressSpace, _ core: ArmCore) -> [MachineMemory] {
    let flash = memory.addMemory(
      at: flashBase, count: 0x20_0000, isWritable: false, filling: 0xFF)
    // Without allocation in the cache, or without the cache.
    let mirrors = [0x1100_0000, 0x1200_0000, 0x1300_0000] as [UInt32]
    for base in mirrors { memory.addAlias(of: flash, at: base) }
    let ram = memory.addMemory(at: 0x2000_0000, count: 0x4_2000, isWritable: true)
    func invalidate(_ bases: [UInt32]) -> (Int, Int) -> Void {
      { [unowned core] offset, count in
        for base in bases { core.invalidate(base + UInt32(offset), count: UInt32(count)) }
      }
    }
    return [
      MachineMemory(
        "flash", .flash, base: flash.base, count: flash.count, pageSize: 0x1000, bytes: flash.bytes,
        invalidate: invalidate([flashBase] + mirrors)),
      MachineMemory(
        "RAM", .ram, base: ram.base, count: ram.count, erased: 0, bytes: ram.bytes,
        invalidate: invalidate([ram.base])),
    ]
  }

  package var clock: MachineClock { run.clock }
  package var core: any MachineCore { run.core }
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
  package var schedule: EventSchedule { run.schedule }
  package var lastSleep: LastSleep? {
    run.core.sleepsMasked && !watchdog.isRunning ? .stuck : nil
  }

  /// The time in each power state, up to now.
  package var energy: EnergyLedger {
    chip.countEnergy()
    return chip.energy
  }

  package func run(until nanoseconds: UInt64) -> MachineStop { run.run(until: nanoseconds) }
  package func step() -> MachineStop { run.step() }

  package func reset(_ cause: ResetCause) {
    chip.countEnergy()
    resetCause = cause
    run.isOff = false
    if cause == .powerOn || cause == .brownOut {
      let ram = memories[1]
      ram.bytes.initializeMemory(as: UInt8.self, repeating: 0, count: Int(ram.count))
    }
    watchdog.note(cause)
    gpio.resetOutputs()
    sio.reset()
    chip.resetAll()
    for device in unmodelled { device.reset() }
    start()
  }

  /// Starts the program as the boot ROM and the second boot stage do.
  private func start() {
    let isErased = (0..<8).allSatisfy { (run.core.readByte(vectors + $0) ?? 0xFF) == 0xFF }
    if !isErased, !BootStage2.isValid(memories[0]) {
      run.unmodelledRegisters.hint(
        "the first 256 bytes of the flash are no second boot stage (its CRC is wrong): a real RP2040 would wait for USB; "
          + "the program is started at 0x\(String(vectors, radix: 16)) nevertheless")
    }
    run.core.reset(vectors: vectors)
  }
}
