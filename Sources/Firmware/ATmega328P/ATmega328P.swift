import Cores
package import Machines

/// An ATmega328P, with an AVR core, 32 KiB of flash, 2 KiB of RAM, 1 KiB of EEPROM, and its peripherals.
package final class ATmega328P: Microcontroller {
  private let chip: Chip
  private let space: IOSpace
  private let power: PowerManagement
  private let timers: [TimerCounter]
  private var runner: AvrRun?

  package let name = "ATmega328P"
  package let memories: [MachineMemory]
  package let i2cPorts: [I2CPort]
  package let serialPorts: [SerialPort]
  package let pins = PinBank(PORT.names, aliases: PORT.aliases)
  package private(set) var resetCause = ResetCause.powerOn

  /// Creates a chip with erased memories; its program starts at the first reset.
  ///
  /// - Parameters:
  ///   - frequency: the frequency of the oscillator in Hz, before CLKPR. Default: 16 MHz.
  ///   - fuses: the fuse bytes.
  package init(frequency: UInt64 = 16_000_000, fuses: ATmega328PFuses = .init()) {
    space = IOSpace()
    let model = AvrCore.Model(
      flashWords: 0x4000, ramStart: 0x100, ramCount: 0x800, vectorWords: 2)
    let core = AvrCore(model, peripherals: space)
    chip = Chip(
      core: core, frequency: frequency, fuses: fuses,
      energy: EnergyLedger(EnergyTable.states(frequency: frequency)))
    chip.analog.supply = { _ in 5 }
    let flash = MachineMemory(
      "flash", .flash, base: 0, count: 0x8000, pageSize: UInt32(SPM.page),
      bytes: UnsafeMutableRawPointer(core.flash.baseAddress.unsafelyUnwrapped),
      invalidate: { [unowned core] in core.invalidate($0, count: max($1, 1)) })
    let ram = MachineMemory(
      "RAM", .ram, base: IOSpace.dataBase + 0x100, count: 0x800, erased: 0,
      bytes: core.ramBytes)
    let eepromBytes = UnsafeMutableRawPointer.allocate(
      byteCount: EEPROM.size, alignment: 8)
    eepromBytes.initializeMemory(as: UInt8.self, repeating: 0xFF, count: EEPROM.size)
    let eeprom = MachineMemory(
      "EEPROM", .eeprom, base: 0x81_0000, count: UInt32(EEPROM.size), bytes: eepromBytes)
    memories = [flash, ram, eeprom]
    i2cPorts = [I2CPort("TWI", "TWI0", "I2C0")]
    serialPorts = [SerialPort("USART0")]

    timers = [
      TimerCounter(chip, .timer0), TimerCounter(chip, .timer1), TimerCounter(chip, .timer2),
    ]
    let watchdog = WDT(chip)
    let adc = ADC(chip)
    let ports = PORT(chip, pins)
    let programming = SPM(chip, flash)
    power = PowerManagement(chip, watchdog, timers) { [unowned space] in space.blocks }
    power.noiseReductionDidBegin = { [unowned adc] in adc.begin() }
    power.pullUpsDidChange = { [unowned ports] in ports.setPullUps($0) }
    for timer in timers {
      timer.connect(ports)
      space.add(timer)
    }
    ports.timerInputDidChange = { [unowned self] input, isHigh in
      if input == .ICP1 {
        timers[1].captureInput(isHigh)
      } else {
        timers[input == .T0 ? 0 : 1].clockInput(isHigh)
      }
    }
    ports.pinsWillBeRead = { [unowned self] in for timer in timers { timer.syncOutputs() } }
    space.add(TimerPrescaler(shared: [timers[0], timers[1]], own: timers[2]))
    space.add(USART(chip, serialPorts[0]))
    space.add(SPI(chip))
    space.add(TWI(chip, i2cPorts[0]))
    space.add(EEPROM(chip, eeprom))
    space.add(adc)
    space.add(ports)
    space.add(programming)
    space.add(watchdog)
    space.add(power)
    space.connect(chip.unmodelledRegisters, chip.polls, power, programming)
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
  /// The number of reads of peripheral registers.
  package var registerReads: Int { chip.polls.total }
  package var skipsIdleLoops: Bool {
    get { run.skipsIdleLoops }
    set { run.skipsIdleLoops = newValue }
  }
  package var analog: AnalogInputs { chip.analog }
  package var energy: EnergyLedger { chip.energy }
  package var unmodelledRegisters: UnmodelledRegisters { chip.unmodelledRegisters }
  package var isOff: Bool { false }
  private var run: AvrRun { runner.unsafelyUnwrapped }

  package var nextEvent: UInt64? {
    chip.schedule.next == .max ? nil : chip.clock.nanoseconds(at: chip.schedule.next)
  }

  package var waitsForever: Bool { run.waitsForever }
  package var lastSleep: LastSleep? { power.lastSleep }

  package func run(until nanoseconds: UInt64) -> MachineStop { run.run(until: nanoseconds) }
  package var schedule: EventSchedule { chip.schedule }
  package func step() -> MachineStop { run.step() }

  /// Programs the fuses BOOTRST and BOOTSZ so that a reset starts the program at the given address.
  ///
  /// Returns a description of the change, or `nil` if no boot section can start at the address.
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
    // The program starts after the oscillator's start-up, 14 cycles and the delay set by the fuses.
    let startUp = chip.fuses.startUpCycles + 14
    chip.core.cycles &+= startUp + chip.fuses.resetDelay * chip.clock.frequency / 1_000_000_000
    space.reset()
  }
}
