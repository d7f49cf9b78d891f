package import Cores

/// Debugger access to a core, whose registers are accessed by number and whose memory is accessed by byte.
///
/// Addresses are those that GDB uses for the core. If a core has several address spaces, the data addresses follow the
/// program addresses, as in GDB; AVR data begin at 0x800000.
package protocol MachineCore: AnyObject {
  /// The instruction set architecture.
  var architecture: CoreArchitecture { get }
  /// Cycles since the core was created; resets do not clear them.
  var cycles: UInt64 { get }
  /// Cycles spent asleep since the core was created.
  var sleptCycles: UInt64 { get }
  /// Instructions executed since the core was created.
  var instructions: UInt64 { get }
  /// `true` while the core sleeps.
  var isAsleep: Bool { get }
  /// The address of the next instruction, in bytes.
  var programCounter: UInt32 { get set }
  /// The active stack pointer.
  var stackPointer: UInt32 { get }
  /// The registers, in GDB's order.
  var registers: [CoreRegister] { get }

  /// The function in which the core's usual C library loops with interrupts disabled after `main` returns; `nil` if the
  /// library has no such function.
  var libraryEnding: LibraryEnding? { get }

  /// `true` if a reset disables interrupts, so a correct program may never enable them.
  var beginsWithInterruptsOff: Bool { get }

  /// Reads a register by its index in `registers`.
  func readRegister(_ number: Int) -> UInt64

  /// Writes a register by its index in `registers`.
  func writeRegister(_ number: Int, _ value: UInt64)

  /// Sets the lowest address that the main stack may use, which is the end of the variables below the stack.
  ///
  /// A run stops if the stack grows past this address. Only instructions that allocate stack space are checked, not
  /// switches to a different stack, nor the stacks of RTOS tasks. A core without fault exceptions also stops when a
  /// return or POP reads above the end of RAM.
  func setStackEnd(_ address: UInt32)

  /// Makes each run stop when the core enters a fault handler.
  func stopAtFaults()

  /// Starts recording executed instructions; resets do not clear the record.
  func recordCoverage()

  /// Returns whether the instruction at an address has been executed.
  func hasRun(_ address: UInt32) -> Bool

  /// Reads a byte as a load by the program does, including side effects; returns `nil` if the address is unmapped.
  func readByte(_ address: UInt32) -> UInt8?

  /// Writes a byte, even to flash.
  ///
  /// - Returns: `false` if the address does not accept writes.
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

  package init(_ name: String, bits: Int = 32) {
    self.name = name
    self.bits = bits
  }
}

/// A set of addresses at which a run stops.
package final class Breakpoints {
  package private(set) var addresses: Set<UInt32> = []
  /// `true` if the set is empty.
  package private(set) var isEmpty = true
  /// A callback for each address that is inserted (`true`) or removed (`false`), for a core that implements breakpoints
  /// itself.
  package var didChange: (UInt32, Bool) -> Void = { _, _ in }

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
  /// The run reached its end time.
  case reached
  /// The core reached a breakpoint; PC is at the instruction, which has not executed.
  case breakpoint(address: UInt32)
  /// An access hit one of the `Watchpoints`; PC is after the instruction.
  case watchpoint(address: UInt32, isStore: Bool)
  /// The stack grew past the address set by `MachineCore/setStackEnd(_:)`; PC is after the instruction.
  case stackOverflow
  /// The instruction at an address read the stack above the end of RAM.
  case stackUnderflow(at: UInt32)
  /// The core executed a breakpoint instruction; `number` is its immediate, and PC is at the instruction.
  ///
  /// On an ARM core, 0xAB is semihosting.
  case breakInstruction(number: UInt32)
  /// The core entered a fault handler after `MachineCore/stopAtFaults()`; PC is at the handler's first instruction.
  case fault
  /// A fault in a fault handler locked up the core; the value describes the cause.
  case lockUp(String)
  /// The core reached an undefined instruction, whose encoding is the value; PC is at the instruction.
  case noInstruction(UInt16)
  /// The microcontroller was reset; the next run starts the program.
  case reset(ResetCause)
  /// The program has switched the microcontroller off; the next run advances time until a wake-up.
  case off
  /// The program accessed an unmodelled register while `UnmodelledRegisters/isStrict` was set.
  case unmodelled(RegisterAccess)
}

package enum ResetCause: String, Hashable, Sendable, CaseIterable {
  case powerOn
  case brownOut
  /// The reset pin.
  case pin
  case watchdog
  /// A window watchdog, which also limits how early it is reloaded.
  case windowWatchdog
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

  package private(set) var ranges: Set<Range> = []
  /// A callback for each range that is inserted (`true`) or removed (`false`), set by the core's execution loop.
  package var didChange: (Range, Bool) -> Void = { _, _ in }

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
