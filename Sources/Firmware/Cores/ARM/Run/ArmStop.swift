/// Why a core came back.
package enum ArmStop: Equatable, Sendable {
  /// The cycles have come where they should; the core may be asleep.
  case reached
  /// BKPT with a number, at which the core stands; 0xAB is semihosting.
  case breakpoint(UInt32)
  /// A debugger's breakpoint, before whose instruction the core stands.
  case halted
  /// A debugger's watchpoint, behind whose instruction the core stands.
  case watched(MemoryWatchHit)
  /// The main stack has grown below ``ArmCore/stackFloor``; the core stands behind what made it.
  case stackFloor
  /// The handler of a fault begins, where ``ArmCore/stopsAtFaults`` says so; the core stands at its first instruction.
  case faulted
  /// A fault while a fault was handled: nothing happens any more.
  case lockUp(ArmFault)
  /// The program asked for a reset (AIRCR.SYSRESETREQ).
  case reset
}
