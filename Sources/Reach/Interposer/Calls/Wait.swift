/// One call that waits: for virtual time, for something to happen, or for its turn.
struct Wait {
  let call: Call
  /// When it waits no longer, in nanoseconds since the start; `UInt64.max` for never.
  var deadline: UInt64
  /// Its answer then; it writes what the call returns in memory.
  let end: () -> Answer
  /// Looks whether what it waits for has happened before.
  var look: (() -> Answer?)?
  /// Its answer when a signal is handled meanwhile; `nil` for one that only waits for its turn.
  var interruption: (() -> Answer)?
  /// The signals that are blocked while it waits, where the call says that, a bit for each.
  var mask: UInt64?
  /// The signals that it waits for, a bit for each.
  var wanted: UInt64 = 0
  /// The descriptors that it looks at, some of which may take signals.
  var descriptors: [Int32] = []
  /// Who traced the thread when its signals were first looked at.
  var tracer: Int32?
  /// Since when another tracer has been seen, in nanoseconds of the machine.
  var tracedSince: UInt64?

  /// Waits that are due at one moment are answered in the order of their threads.
  static func isEarlier(_ left: Wait, _ right: Wait) -> Bool {
    (left.deadline, left.call.thread) < (right.deadline, right.call.thread)
  }
}
