/// Why a microcontroller came back from a run.
package enum MachineStop: Equatable, Sendable {
  /// The time has come.
  case reached
  /// The core stands before an instruction at which somebody wanted it to stop.
  case breakpoint(address: UInt32)
  /// The core stands behind an instruction that loaded or stored in one of ``Watchpoints``.
  case watchpoint(address: UInt32, isStore: Bool)
  /// The stack has grown into the variables below it (``MachineCore/setStackEnd(_:)``); the core stands behind what made
  /// it.
  case stackOverflow
  /// The stack has been read above its top, where there is no memory, by the instruction at an address; the core stands
  /// behind it.
  case stackUnderflow(at: UInt32)
  /// The core stands at an instruction that asks for a debugger, with its number: 0xAB is semihosting on an ARM core.
  case breakInstruction(number: UInt32)
  /// The handler of a fault begins (``MachineCore/stopAtFaults()``); the core stands at its first instruction.
  case fault
  /// Nothing can happen any more: a fault while a fault was handled. The text says what raised it, in words.
  case lockUp(String)
  /// The core stands at a word of flash that is no instruction.
  case noInstruction(UInt16)
  /// It has begun anew; the next run goes on from there.
  case reset(ResetCause)
  /// Its program switched it off; the next run lets time pass until something wakes it.
  case off
  /// Its program used a register that nobody models, and ``RegisterLedger/isStrict`` is set.
  case unmodelled(RegisterAccess)
}

/// What lets a microcontroller begin anew.
package enum ResetCause: String, Hashable, Sendable, CaseIterable {
  /// The supply came.
  case powerOn
  /// The supply sagged.
  case brownOut
  /// The reset pin.
  case pin
  /// A watchdog that was not fed.
  case watchdog
  /// The program asked for it.
  case software
  /// The core locked up and the part resets then.
  case lockUp
  /// Something woke it from being switched off.
  case wakeUp
}
