/// A part that executes firmware: a core with memory and peripherals.
///
/// A microcontroller executes only during a call of `run(until:)`, on the caller's thread. Its time is derived from
/// the cycles of its core, not from the wall clock. Between two runs, the caller can read and change all state. The
/// list of available parts is `MicrocontrollerModel.all` in the `FirmwareRuns` target.
///
///     let machine = …                           // from MicrocontrollerModel.all
///     machine.memory(at: 0)?.load(image, at: 0)
///     machine.i2cPorts[0].wire = adapter.anyWire(machine.clock)
///     machine.serialPorts[0].output = { byte, time in … }
///     machine.reset(.powerOn)
///     let stop = machine.run(until: 1_000_000_000)
package protocol Microcontroller: AnyObject {
  /// The manufacturer's name of the part.
  var name: String { get }
  /// The clock, which is also the clock of the simulated circuit to which the part is connected.
  var clock: MachineClock { get }
  /// The core, for debuggers.
  var core: any MachineCore { get }
  var breakpoints: Breakpoints { get }
  /// Watchpoints; `nil` if the core does not support them.
  var watchpoints: Watchpoints? { get }
  /// The memories, such as flash, RAM and EEPROM.
  var memories: [MachineMemory] { get }
  /// The I2C controllers, by number.
  var i2cPorts: [I2CPort] { get }
  /// The serial ports, by number.
  var serialPorts: [SerialPort] { get }
  /// The GPIO pins.
  var pins: PinBank { get }
  /// The radio; `nil` if the part has none.
  var radio: RadioPort? { get }
  /// The analog inputs, the supply voltage and the die temperature.
  var analog: AnalogInputs { get }
  /// The scheduled events; devices on the pins may add their own.
  var schedule: EventSchedule { get }
  /// The durations of the power states.
  var energy: EnergyLedger { get }
  /// Accesses to unmodelled registers.
  var unmodelledRegisters: UnmodelledRegisters { get }
  /// The cause of the last reset.
  var resetCause: ResetCause { get }
  /// `true` if the program has switched the part off, so only a wake-up event can start it.
  var isOff: Bool { get }
  /// `true` to skip the iterations of polling loops, which does not change any result.
  var skipsIdleLoops: Bool { get set }
  /// `true` if only an event from outside can change the state.
  ///
  /// In that case no event is scheduled, and the core sleeps or repeats the same loop forever.
  var waitsForever: Bool { get }
  /// The kind of sleep if only an external reset can end it; `nil` while the core is awake or can wake.
  var lastSleep: LastSleep? { get }
  /// The time of the next scheduled peripheral event in nanoseconds; `nil` if no event is scheduled.
  var nextEvent: UInt64? { get }

  /// Runs until a time, or until another stop.
  ///
  /// - Parameter nanoseconds: the end, in the time of `clock`. An instruction that has started is completed.
  /// - Returns: the reason for the stop. After any stop, the next call continues the program.
  func run(until nanoseconds: UInt64) -> MachineStop

  /// Executes one instruction, or advances to the next event while the core sleeps.
  func step() -> MachineStop

  /// Configures the part, as a programmer does, to start the program at an address after a reset.
  ///
  /// Default: the beginning of the flash.
  ///
  /// - Returns: a description of the configuration for a notice; `nil` if the part cannot start there.
  func setStart(_ address: UInt32) -> String?

  /// Resets the part, without changing RAM or time.
  func reset(_ cause: ResetCause)
}

extension Microcontroller {
  package var watchpoints: Watchpoints? { nil }
  package var radio: RadioPort? { nil }
  package func setStart(_ address: UInt32) -> String? { nil }

  /// Returns the memory at an address, relative to the same origin as `MachineMemory/base`.
  package func memory(at address: UInt32) -> MachineMemory? {
    memories.first { address &- $0.base < $0.count }
  }

  /// Returns the I2C controller with a name used in a rig.
  package func i2cPort(_ name: String) -> I2CPort? { i2cPorts.first { $0.names.contains(name) } }
}

/// The kind of a sleep that never ends, because interrupts are masked, no enabled source can wake the core, and no
/// watchdog is running.
package enum LastSleep: Hashable, Sendable {
  /// The program hangs; it does not sleep on purpose, because the part has a power-off mode.
  case stuck
  /// The program has powered off, which is usually done this way on a part without a power-off mode.
  case off
}

/// A memory of a microcontroller, for loading images and for persistence between runs.
package final class MachineMemory {
  /// The kind of a memory.
  package enum Kind: String, Hashable, Sendable {
    /// Non-volatile memory that is erased by pages.
    case flash
    /// Non-volatile settings that a programmer writes, such as fuses, option bytes or UICR.
    case settings
    /// Non-volatile memory that is written by bytes.
    case eeprom
    /// Volatile memory.
    case ram
  }

  /// The name of the memory in the datasheet.
  package let name: String
  /// The kind of the memory.
  package let kind: Kind
  /// The first address, in debugger addresses.
  package let base: UInt32
  /// The size in bytes.
  package let count: UInt32
  /// The size of an erase page in bytes; 1 if bytes can be written individually.
  package let pageSize: UInt32
  /// The value of an erased byte.
  package let erased: UInt8
  /// The contents, which exist as long as the machine.
  package let bytes: UnsafeMutableRawPointer
  /// A callback after each write by the program, with the offset and length of the change in bytes.
  ///
  /// It updates the flash file, for example.
  package var didChange: ((_ offset: Int, _ count: Int) -> Void)?
  /// Discards instructions that the core has decoded from a range, by offset and length in bytes.
  private let invalidate: (_ offset: Int, _ count: Int) -> Void

  /// Creates a description of memory that a machine owns.
  package init(
    _ name: String, _ kind: Kind, base: UInt32, count: UInt32, pageSize: UInt32 = 1,
    erased: UInt8 = 0xFF, bytes: UnsafeMutableRawPointer,
    invalidate: @escaping (_ offset: Int, _ count: Int) -> Void = { _, _ in }
  ) {
    self.name = name
    self.kind = kind
    self.base = base
    self.count = count
    self.pageSize = pageSize
    self.erased = erased
    self.bytes = bytes
    self.invalidate = invalidate
  }

  /// `true` if the contents survive a loss of power.
  package var isPersistent: Bool { kind != .ram }

  /// Loads bytes as a programmer does, without calling `didChange`.
  ///
  /// - Parameters:
  ///   - content: the bytes.
  ///   - address: the address, relative to the same origin as `base`.
  /// - Returns: `false` if the bytes do not fit, in which case no byte is written.
  @discardableResult
  package func load(_ content: some Collection<UInt8>, at address: UInt32) -> Bool {
    let offset = Int(address) - Int(base)
    guard offset >= 0, offset + content.count <= Int(count) else { return false }
    var pointer = bytes + offset
    for byte in content {
      pointer.storeBytes(of: byte, as: UInt8.self)
      pointer += 1
    }
    invalidate(offset, content.count)
    return true
  }

  package var content: [UInt8] {
    [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }
}

/// The words that a random number generator delivers, derived from a seed (SplitMix64).
package struct RandomWords {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}

/// A power state of a microcontroller, with its current and the datasheet reference for the current.
package struct EnergyState: Hashable, Sendable {
  /// The name of the consumer in reports.
  package let name: String
  /// The current that the state adds, in microamperes.
  package let microamperes: Double
  /// The source of the current: document, table and condition.
  package let source: String

  package init(_ name: String, microamperes: Double, source: String) {
    self.name = name
    self.microamperes = microamperes
    self.source = source
  }
}

/// The durations of the power states of a microcontroller.
///
/// Several states can be active at once, in which case their currents add up.
package final class EnergyLedger {
  /// The states, in the order of the report.
  package let states: [EnergyState]
  @exclusivity(unchecked) private var totals: [UInt64]
  /// The charge that each state has drawn, minus the charge at its nominal current, in microcoulombs.
  @exclusivity(unchecked) private var excess: [Double]
  /// The time at which each active state started, in nanoseconds; `nil` for an inactive state.
  @exclusivity(unchecked) private var since: [UInt64?]

  /// Creates a ledger with all states inactive.
  package init(_ states: [EnergyState]) {
    self.states = states
    totals = Array(repeating: 0, count: states.count)
    excess = Array(repeating: 0, count: states.count)
    since = Array(repeating: nil, count: states.count)
  }

  /// Starts or ends a state at a time in nanoseconds.
  package func set(_ state: Int, _ isOn: Bool, at time: UInt64) {
    if isOn {
      if since[state] == nil { since[state] = time }
    } else if let start = since[state] {
      totals[state] &+= time > start ? time - start : 0
      since[state] = nil
    }
  }

  /// Adds an active duration in nanoseconds to a state.
  package func add(_ state: Int, nanoseconds: UInt64) { totals[state] &+= nanoseconds }

  /// Adds an active duration to a state whose current depends on a clock, at the given current instead of the nominal
  /// one.
  package func add(_ state: Int, nanoseconds: UInt64, microamperes: Double) {
    totals[state] &+= nanoseconds
    excess[state] += Double(nanoseconds) / 1e9 * (microamperes - states[state].microamperes)
  }

  /// Returns how long a state was active until a time, in nanoseconds.
  package func nanoseconds(of state: Int, at time: UInt64) -> UInt64 {
    guard let start = since[state] else { return totals[state] }
    return totals[state] &+ (time > start ? time - start : 0)
  }

  /// Returns the charge of a state until a time, in microcoulombs.
  package func charge(of state: Int, at time: UInt64) -> Double {
    Double(nanoseconds(of: state, at: time)) / 1e9 * states[state].microamperes + excess[state]
  }
}
