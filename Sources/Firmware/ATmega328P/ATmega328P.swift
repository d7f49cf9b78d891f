import Cores
package import Machines

/// An ATmega328P: an AVR core with 32 KiB of flash, 2 KiB of RAM and 1 KiB of EEPROM, and its peripherals.
package final class ATmega328P: Microcontroller {
  private let chip: AvrChip
  private let space: IOSpace
  private let power: SleepControl
  private var runner: AvrRun?

  package let name = "ATmega328P"
  package let memories: [MachineMemory]
  package let i2cPorts: [I2CPort]
  package let serialPorts: [SerialPort]
  package let pins = PinBank(Pins.names)
  package private(set) var resetCause = ResetCause.powerOn

  /// Creates a part with erased memories; a reset begins its program.
  ///
  /// - Parameters:
  ///   - frequency: the clock's frequency in Hz, before any divider.
  ///   - fuses: the settings of a programmer.
  package init(frequency: UInt64 = 16_000_000, fuses: ATmega328PFuses = .init()) {
    space = IOSpace()
    let model = AvrCore.Model(
      flashWords: 0x4000, ramStart: 0x100, ramCount: 0x800, vectorWords: 2)
    let core = AvrCore(model, peripherals: space)
    chip = AvrChip(
      core: core, frequency: frequency, fuses: fuses,
      energy: EnergyLedger(Consumers.states(frequency: frequency)))
    chip.analog.supply = { _ in 5 }
    let flash = MachineMemory(
      "flash", .flash, base: 0, count: 0x8000, pageSize: UInt32(SelfProgramming.page),
      bytes: UnsafeMutableRawPointer(core.flash.baseAddress.unsafelyUnwrapped),
      forget: { [unowned core] in core.forget($0, count: max($1, 1)) })
    let ram = MachineMemory(
      "RAM", .ram, base: IOSpace.dataBase + 0x100, count: 0x800, erased: 0,
      bytes: core.ramBytes)
    let eepromBytes = UnsafeMutableRawPointer.allocate(
      byteCount: Eeprom.size, alignment: 8)
    eepromBytes.initializeMemory(as: UInt8.self, repeating: 0xFF, count: Eeprom.size)
    let eeprom = MachineMemory(
      "EEPROM", .eeprom, base: 0x81_0000, count: UInt32(Eeprom.size), bytes: eepromBytes)
    memories = [flash, ram, eeprom]
    i2cPorts = [I2CPort("TWI", "TWI0", "I2C0")]
    serialPorts = [SerialPort("USART0")]

    let timers = [
      TimerCounter(chip, .timer0), TimerCounter(chip, .timer1), TimerCounter(chip, .timer2),
    ]
    let watchdog = AvrWatchdog(chip)
    let adc = Adc(chip)
    let ports = Pins(chip, pins)
    let programming = SelfProgramming(chip, flash)
    power = SleepControl(chip, watchdog, timers) { [unowned space] in space.blocks }
    power.quietSleep = { [unowned adc] in adc.begin() }
    power.pullUps = { [unowned ports] in ports.setPullUps($0) }
    for timer in timers { space.add(timer) }
    space.add(TimerPrescaler(shared: [timers[0], timers[1]], own: timers[2]))
    space.add(Usart(chip, serialPorts[0]))
    space.add(Spi(chip))
    space.add(TwoWireMaster(chip, i2cPorts[0]))
    space.add(Eeprom(chip, eeprom))
    space.add(adc)
    space.add(ports)
    space.add(programming)
    space.add(watchdog)
    space.add(power)
    space.connect(chip.untouched, chip.polls, power, programming)
    runner = AvrRun(chip) { [unowned self] in reset($0) }
  }

  deinit {
    space.dismantle()
    chip.schedule.removeActions()
    memories[2].bytes.deallocate()
  }

  package var clock: MachineClock { chip.clock }
  package var core: any MachineCore { chip.core }
  package var breakpoints: Breakpoints { run.breakpoints }
  package var watchpoints: Watchpoints? { run.watchpoints }
  /// How often a register of a peripheral has been read.
  package var registerReads: Int { chip.polls.total }
  package var skipsIdleLoops: Bool {
    get { run.skipsIdleLoops }
    set { run.skipsIdleLoops = newValue }
  }
  package var analog: AnalogInputs { chip.analog }
  package var energy: EnergyLedger { chip.energy }
  package var untouched: RegisterLedger { chip.untouched }
  package var isOff: Bool { false }
  private var run: AvrRun { runner.unsafelyUnwrapped }

  package var nextEvent: UInt64? {
    chip.schedule.next == .max ? nil : chip.clock.nanoseconds(at: chip.schedule.next)
  }

  package var waitsForEver: Bool { run.waitsForEver }
  package var lastSleep: LastSleep? { power.lastSleep }

  package func run(until nanoseconds: UInt64) -> MachineStop { run.run(until: nanoseconds) }
  package var schedule: EventSchedule { chip.schedule }
  package func step() -> MachineStop { run.step() }

  /// Programs BOOTRST and BOOTSZ, where the address begins a boot section.
  package func setStart(_ address: UInt32) -> String? {
    guard let size = (0..<4 as Range<UInt8>).first(where: { address == 0x8000 - 512 << UInt32($0) })
    else { return nil }
    chip.fuses.high = chip.fuses.high & 0xF8 | (3 - size) << 1
    return "BOOTRST and BOOTSZ are programmed: the high fuse is 0x"
      + String(chip.fuses.high, radix: 16, uppercase: true)
  }

  package func reset(_ cause: ResetCause) {
    resetCause = cause
    chip.schedule.clearAll()
    power.note(cause)
    chip.core.reset(to: chip.fuses.startsInBoot ? chip.fuses.bootStart : 0)
    // The oscillator starts, 14 cycles and the delay that the fuses set pass, and then the program begins.
    let startUp = chip.fuses.startUpCycles + 14
    chip.core.cycles &+= startUp + chip.fuses.resetDelay * chip.clock.frequency / 1_000_000_000
    space.reset()
  }
}
