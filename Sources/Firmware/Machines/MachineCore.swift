package import Cores

/// Debugger access to a core: registers by number, memory by byte.
///
/// Addresses are those of GDB for the core. A core with several address spaces maps data after the program as GDB does
/// (AVR data begin at 0x800000).
package protocol MachineCore: AnyObject {
  /// The instruction set architecture.
  var architecture: CoreArchitecture { get }
  /// Cycles since the core was created; resets do not clear them.
  var cycles: UInt64 { get }
  /// Cycles spent asleep.
  var sleptCycles: UInt64 { get }
  /// Instructions executed since the core was created.
  var instructions: UInt64 { get }
  /// Whether the core sleeps.
  var isAsleep: Bool { get }
  /// The address of the next instruction, in bytes.
  var programCounter: UInt32 { get set }
  /// The active stack pointer.
  var stackPointer: UInt32 { get }
  /// The registers, in GDB's order.
  var registers: [CoreRegister] { get }

  /// The function in which this core's usual C library loops with interrupts off after `main` returns; `nil` if there
  /// is none.
  var libraryEnding: LibraryEnding? { get }

  /// Whether interrupts are disabled after a reset, so that a program may legitimately never enable them.
  var beginsWithInterruptsOff: Bool { get }

  /// Reads a register by its index in ``registers``.
  func readRegister(_ number: Int) -> UInt64

  /// Writes a register by its index in ``registers``.
  func writeRegister(_ number: Int, _ value: UInt64)

  /// Sets the lowest address that the main stack may use, which is the end of the variables below it; growth past it
  /// stops the run.
  ///
  /// Only instructions that allocate stack space are checked, not switches to another stack; the stacks of RTOS tasks
  /// are not checked. A core without fault exceptions also stops when a return or pop reads above the end of RAM.
  func setStackEnd(_ address: UInt32)

  /// Makes every run stop at the entry of a fault handler.
  func stopAtFaults()

  /// Starts recording executed instructions, across resets.
  func recordCoverage()

  /// Returns whether the instruction at an address has been executed.
  func hasRun(_ address: UInt32) -> Bool

  /// Reads a byte as the program would, with the side effects of register reads; `nil` if the address is unmapped.
  func readByte(_ address: UInt32) -> UInt8?

  /// Writes a byte, also to flash.
  ///
  /// - Returns: whether the address accepts writes.
  func writeByte(_ address: UInt32, _ value: UInt8) -> Bool
}

extension MachineCore {
  package var libraryEnding: LibraryEnding? { nil }
  package var beginsWithInterruptsOff: Bool { false }
}

/// The function in which a C library ends a program.
package struct LibraryEnding: Hashable, Sendable {
  /// The name of the library.
  package let name: String
  /// The symbol of the function that never returns.
  package let symbol: String

  /// Creates a description.
  package init(name: String, symbol: String) {
    (self.name, self.symbol) = (name, symbol)
  }
}

/// The instruction set architecture of a core.
package enum CoreArchitecture: String, Hashable, Sendable {
  /// ARM M profile.
  case arm
  /// 8-bit AVR.
  case avr
}

/// A register as a debugger names it.
package struct CoreRegister: Hashable, Sendable {
  /// The GDB name.
  package let name: String
  /// The width in bits.
  package let bits: Int

  /// Creates a register's description.
  package init(_ name: String, bits: Int = 32) {
    self.name = name
    self.bits = bits
  }
}

/// A set of addresses at which a run stops.
package final class Breakpoints {
  /// The addresses.
  package private(set) var addresses: Set<UInt32> = []
  /// Whether the set is empty.
  package private(set) var isEmpty = true
  /// A callback for insertions (`true`) and removals, for a core that implements breakpoints itself.
  package var didChange: (UInt32, Bool) -> Void = { _, _ in }

  /// Creates an empty set.
  package init() {}

  /// Adds an address.
  package func insert(_ address: UInt32) {
    addresses.insert(address)
    isEmpty = false
    didChange(address, true)
  }

  /// Removes an address.
  package func remove(_ address: UInt32) {
    addresses.remove(address)
    isEmpty = addresses.isEmpty
    didChange(address, false)
  }

  /// Returns whether an address is in the set.
  package func contains(_ address: UInt32) -> Bool { addresses.contains(address) }
}

/// The reason why a run of a microcontroller ended.
package enum MachineStop: Equatable, Sendable {
  /// The end time.
  case reached
  /// A breakpoint; PC is at its instruction.
  case breakpoint(address: UInt32)
  /// An access in ``Watchpoints``; PC is after the instruction.
  case watchpoint(address: UInt32, isStore: Bool)
  /// Growth of the stack into the variables below it (``MachineCore/setStackEnd(_:)``); PC is after the instruction.
  case stackOverflow
  /// A stack read above the top of RAM by the instruction at an address; PC is after it.
  case stackUnderflow(at: UInt32)
  /// A breakpoint instruction with its immediate; PC is at it. 0xAB is semihosting on an ARM core.
  case breakInstruction(number: UInt32)
  /// The entry of a fault handler (``MachineCore/stopAtFaults()``); PC is at its first instruction.
  case fault
  /// Lockup: a fault while a fault was handled; the value describes its cause.
  case lockUp(String)
  /// An undefined instruction in flash; PC is at it.
  case noInstruction(UInt16)
  /// A reset; the next run continues from it.
  case reset(ResetCause)
  /// The program has switched the part off; the next run advances time until a wake-up.
  case off
  /// An access to an unmodelled register while ``UnmodelledRegisters/isStrict`` is set.
  case unmodelled(RegisterAccess)
}

/// The cause of a reset.
package enum ResetCause: String, Hashable, Sendable, CaseIterable {
  /// Power on.
  case powerOn
  /// A brown-out.
  case brownOut
  /// The reset pin.
  case pin
  /// The watchdog.
  case watchdog
  /// A software reset.
  case software
  /// A lockup of the core.
  case lockUp
  /// A wake-up from power off.
  case wakeUp
}

/// A set of memory ranges whose loads or stores stop a run.
package final class Watchpoints {
  /// A range, in debugger addresses.
  package typealias Range = MemoryWatch

  /// The ranges.
  package private(set) var ranges: Set<Range> = []
  /// A callback for insertions (`true`) and removals, set by the core's execution loop.
  package var didChange: (Range, Bool) -> Void = { _, _ in }

  /// Creates an empty set.
  package init() {}

  /// Adds a range.
  package func insert(_ range: Range) {
    if ranges.insert(range).inserted { didChange(range, true) }
  }

  /// Removes a range.
  package func remove(_ range: Range) {
    if ranges.remove(range) != nil { didChange(range, false) }
  }
}
