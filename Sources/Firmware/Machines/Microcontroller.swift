/// A part that executes firmware: a core with memory and peripherals.
///
/// It has no thread and reads no clock: it executes while ``run(until:)`` is called, on the caller's thread, and its
/// time follows the cycles of its core. All state can be read and changed between two runs. The available parts are
/// listed in a catalogue; this target names none.
///
///     let machine = …                           // from the catalogue, with erased flash and power off
///     machine.memory(at: 0)?.load(image, at: 0)
///     machine.i2cPorts[0].wire = adapter.anyWire(machine.clock)
///     machine.serialPorts[0].output = { byte, time in … }
///     machine.reset(.powerOn)
///     let stop = machine.run(until: 1_000_000_000)
package protocol Microcontroller: AnyObject {
  /// The manufacturer's name of the part.
  var name: String { get }
  /// The clock, which is also the clock of the bench.
  var clock: MachineClock { get }
  /// The core, for debuggers.
  var core: any MachineCore { get }
  /// Breakpoints.
  var breakpoints: Breakpoints { get }
  /// Watchpoints; `nil` if the core does not support them.
  var watchpoints: Watchpoints? { get }
  /// Flash, RAM and EEPROM.
  var memories: [MachineMemory] { get }
  /// The I2C controllers, by number.
  var i2cPorts: [I2CPort] { get }
  /// The serial ports, by number.
  var serialPorts: [SerialPort] { get }
  /// The GPIO pins.
  var pins: PinBank { get }
  /// The analog inputs, supply and die temperature.
  var analog: AnalogInputs { get }
  /// The scheduled events; devices on the pins may add their own.
  var schedule: EventSchedule { get }
  /// The durations of the power states.
  var energy: EnergyLedger { get }
  /// Accesses to unmodelled registers.
  var unmodelledRegisters: UnmodelledRegisters { get }
  /// The cause of the last reset.
  var resetCause: ResetCause { get }
  /// Whether the program has switched the part off, so that only a wake-up event starts it.
  var isOff: Bool { get }
  /// Whether polling loops are skipped; results do not depend on it.
  var skipsIdleLoops: Bool { get set }
  /// Whether only an outside event can change the state: no event is scheduled, and the core sleeps or repeats the same
  /// loop forever.
  var waitsForever: Bool { get }
  /// The kind of a sleep that only an external reset can end; `nil` while the core is awake or can wake.
  var lastSleep: LastSleep? { get }
  /// The time of the next event that does not depend on the core, in nanoseconds; `nil` if there is none.
  var nextEvent: UInt64? { get }

  /// Runs until a time, or until another stop.
  ///
  /// - Parameter nanoseconds: the end, in the time of ``clock``. An instruction that has started is completed.
  /// - Returns: the reason of the stop. After a reset or a breakpoint, the next call continues.
  func run(until nanoseconds: UInt64) -> MachineStop

  /// Executes one instruction, or advances to the next event while the core sleeps.
  func step() -> MachineStop

  /// Configures the part, as a programmer does, so that a reset starts the program at an address. By default a reset
  /// starts at the beginning of the flash.
  ///
  /// - Returns: a description of the configuration for a notice; `nil` if the part cannot start there.
  func setStart(_ address: UInt32) -> String?

  /// Resets the part; RAM and time are kept.
  func reset(_ cause: ResetCause)
}

extension Microcontroller {
  package var watchpoints: Watchpoints? { nil }
  package func setStart(_ address: UInt32) -> String? { nil }

  /// Returns the memory at an address, relative to the same origin as ``MachineMemory/base``.
  package func memory(at address: UInt32) -> MachineMemory? {
    memories.first { address &- $0.base < $0.count }
  }

  /// Returns the I2C controller with a name used in a rig.
  package func i2cPort(_ name: String) -> I2CPort? { i2cPorts.first { $0.names.contains(name) } }
}

/// The kind of a sleep that nothing ends: interrupts are masked, no enabled source can wake the core, and no watchdog
/// is running.
package enum LastSleep: Hashable, Sendable {
  /// A hang: the part has a power-off mode, so no program sleeps like this on purpose.
  case stuck
  /// The usual way to power off for a part without a power-off mode.
  case off
}
