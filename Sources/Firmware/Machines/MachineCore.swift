/// A core as a debugger sees it: registers by number, bytes by address.
///
/// Addresses are those of the core's debugger. A core with one address space has its own; one with several places the
/// data behind the program as its debugger does (an AVR's data begin at 0x800000).
package protocol MachineCore: AnyObject {
  /// Whose instructions it runs.
  var architecture: CoreArchitecture { get }
  /// Cycles since it was created; they go on over resets.
  var cycles: UInt64 { get }
  /// Of those, the ones that passed asleep.
  var sleptCycles: UInt64 { get }
  /// Instructions since it was created.
  var instructions: UInt64 { get }
  /// Whether it waits for an interrupt or an event.
  var isAsleep: Bool { get }
  /// Where the next instruction stands, in bytes.
  var programCounter: UInt32 { get set }
  /// The stack pointer in use.
  var stackPointer: UInt32 { get }
  /// What its registers are, in the order in which GDB numbers them.
  var registers: [CoreRegister] { get }

  /// Where the usual C library of this core ends a program whose `main` has returned, by a loop with interrupts off; `nil`
  /// where none does.
  var libraryEnding: LibraryEnding? { get }

  /// Whether its interrupts are off when power comes, so that a program which needs none leaves them so.
  var beginsWithInterruptsOff: Bool { get }

  /// Reads a register by its place in ``registers``.
  func readRegister(_ number: Int) -> UInt64

  /// Writes a register by its place in ``registers``.
  func writeRegister(_ number: Int, _ value: UInt64)

  /// Stops the run when the main stack grows below an address: the first one behind the variables under it.
  ///
  /// What makes room on the stack is looked at, not what moves it elsewhere; a stack of an RTOS's task is not judged. A
  /// core without faults stops as well where a return or a pop reads the stack behind the end of its RAM.
  func setStackEnd(_ address: UInt32)

  /// Stops the run, from now on, whenever the handler of a fault begins.
  func stopAtFaults()

  /// Remembers from now on which instructions run, over resets too.
  func noteRun()

  /// Whether the instruction at an address has run.
  func hasRun(_ address: UInt32) -> Bool

  /// Reads a byte as the program would, registers of peripherals with their effects; `nil` where nothing is.
  func readByte(_ address: UInt32) -> UInt8?

  /// Writes a byte, into flash as well.
  ///
  /// - Returns: whether there is anything that takes it.
  func writeByte(_ address: UInt32, _ value: UInt8) -> Bool
}

extension MachineCore {
  package var libraryEnding: LibraryEnding? { nil }
  package var beginsWithInterruptsOff: Bool { false }
}

/// How a C library ends a program.
package struct LibraryEnding: Hashable, Sendable {
  /// The library's name.
  package let name: String
  /// The function that never returns, by its symbol.
  package let symbol: String

  /// Creates a description.
  package init(name: String, symbol: String) {
    (self.name, self.symbol) = (name, symbol)
  }
}

/// Whose instructions a core runs.
package enum CoreArchitecture: String, Hashable, Sendable {
  /// ARM, M profile.
  case arm
  /// AVR, 8 bits.
  case avr
}

/// A register as a debugger names it.
package struct CoreRegister: Hashable, Sendable {
  /// Its name for GDB.
  package let name: String
  /// Its width in bits.
  package let bits: Int

  /// Creates a register's description.
  package init(_ name: String, bits: Int = 32) {
    self.name = name
    self.bits = bits
  }
}

/// The addresses at which a run stops.
package final class Breakpoints {
  /// The addresses.
  package private(set) var addresses: Set<UInt32> = []
  /// Whether there are none, and nobody needs to look.
  package private(set) var isEmpty = true
  /// Is told of each that comes (`true`) or goes; the run of a core that stops by itself sets it.
  package var didChange: (UInt32, Bool) -> Void = { _, _ in }

  /// Creates none.
  package init() {}

  /// Stops at an address from now on.
  package func insert(_ address: UInt32) {
    addresses.insert(address)
    isEmpty = false
    didChange(address, true)
  }

  /// Stops there no more.
  package func remove(_ address: UInt32) {
    addresses.remove(address)
    isEmpty = addresses.isEmpty
    didChange(address, false)
  }

  /// Whether the run stops at an address.
  package func contains(_ address: UInt32) -> Bool { addresses.contains(address) }
}
