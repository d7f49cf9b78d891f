/// A part that runs firmware: a core with memory and peripherals, seen from outside.
///
/// It has no thread and reads no clock: it runs while ``run(until:)`` is called, on the caller's thread, and its time is
/// the cycles of its core. Between two runs everything can be looked at and changed. Which parts there are, a
/// catalogue says; here none has a name.
///
///     let machine = …                           // of the catalogue, with flash erased and power off
///     machine.memory(at: 0)?.load(image, at: 0)
///     machine.i2cPorts[0].wire = adapter.anyWire(machine.clock)
///     machine.serialPorts[0].output = { byte, time in … }
///     machine.reset(.powerOn)
///     let stop = machine.run(until: 1_000_000_000)
package protocol Microcontroller: AnyObject {
  /// The name of the part, as its maker writes it.
  var name: String { get }
  /// Its time, which is the time of the bench around it.
  var clock: MachineClock { get }
  /// Its core, for whoever debugs.
  var core: any MachineCore { get }
  /// The addresses at which the run stops before the instruction there.
  var breakpoints: Breakpoints { get }
  /// The memory whose loads and stores stop the run; `nil` where its core cannot.
  var watchpoints: Watchpoints? { get }
  /// Its flash, RAM and EEPROM.
  var memories: [MachineMemory] { get }
  /// Its I2C controllers, in the order of their numbers.
  var i2cPorts: [I2CPort] { get }
  /// Its serial ports, in the order of their numbers.
  var serialPorts: [SerialPort] { get }
  /// Its pins.
  var pins: PinBank { get }
  /// What it can measure: the supply, its temperature, the voltage at its inputs.
  var analog: AnalogInputs { get }
  /// What happens on it by itself; what is tied to its pins may add to that.
  var schedule: EventSchedule { get }
  /// For how long it has been in which state.
  var energy: EnergyLedger { get }
  /// The registers that a program used and that nobody models.
  var untouched: RegisterLedger { get }
  /// Why it last began anew.
  var resetCause: ResetCause { get }
  /// Whether it is switched off by its program: nothing runs, and only what wakes it changes that.
  var isOff: Bool { get }
  /// Whether loops that only wait for a register are passed over; results do not depend on it.
  var skipsIdleLoops: Bool { get set }
  /// Whether nothing more is to come, unless from outside: nothing is due, and the core sleeps, or goes round in a loop
  /// that does the same for ever.
  var waitsForEver: Bool { get }
  /// How its core sleeps where nothing but a reset from outside will wake it; `nil` while it is awake, or may wake.
  var lastSleep: LastSleep? { get }
  /// When something happens next without the core, in nanoseconds; `nil` when nothing will.
  var nextEvent: UInt64? { get }

  /// Runs until the time has come, or something stops it.
  ///
  /// - Parameter nanoseconds: the time of ``clock``. An instruction that has begun is finished.
  /// - Returns: why it came back; after a reset or a breakpoint the next call goes on.
  func run(until nanoseconds: UInt64) -> MachineStop

  /// Runs one instruction, or lets the time pass to the next event while the core sleeps.
  func step() -> MachineStop

  /// Sets what a programmer sets so that a reset begins the program at an address; by itself a reset begins where the
  /// flash does.
  ///
  /// - Returns: how it is set, for a notice; `nil` if the part cannot start there.
  func setStart(_ address: UInt32) -> String?

  /// Begins anew, as that cause does: RAM is kept, time goes on.
  func reset(_ cause: ResetCause)
}

extension Microcontroller {
  package var watchpoints: Watchpoints? { nil }
  package func setStart(_ address: UInt32) -> String? { nil }

  /// The memory at an address, as ``MachineMemory/base`` counts.
  package func memory(at address: UInt32) -> MachineMemory? {
    memories.first { address &- $0.base < $0.count }
  }

  /// The I2C controller that a rig names.
  package func i2cPort(_ name: String) -> I2CPort? { i2cPorts.first { $0.names.contains(name) } }
}
