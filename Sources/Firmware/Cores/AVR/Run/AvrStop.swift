/// Why a core came back.
package enum AvrStop: Equatable, Sendable {
  /// The cycles have come where they should; the core may be asleep.
  case reached
  /// BREAK, at which the core stands.
  case breakpoint
  /// A word that is no instruction, as in erased flash; the core stands there.
  case undefined(UInt16)
}
