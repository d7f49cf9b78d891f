/// Why a core came back.
package enum AvrStop: Equatable, Sendable {
  /// The cycles have come where they should; the core may be asleep.
  case reached
  /// BREAK, at which the core stands.
  case breakpoint
  /// A debugger's breakpoint, before whose instruction the core stands.
  case halted
  /// A debugger's watchpoint, behind whose instruction the core stands.
  case watched(MemoryWatchHit)
  /// The stack has grown over its end, ``AvrCore/stackFloor``; the core stands behind what made it.
  case stackFloor
  /// The stack has been read above its top, ``AvrCore/stackTop``, by the instruction at an address in bytes.
  case stackTop(at: UInt32)
  /// A word that is no instruction, as in erased flash; the core stands there.
  case undefined(UInt16)
}
