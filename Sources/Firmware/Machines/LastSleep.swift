/// How a core sleeps that nothing will wake: its interrupts are off, none that could wake it can come, and no watchdog
/// counts that would reset it.
package enum LastSleep: Hashable, Sendable {
  /// Its part has other ways to be switched off: nobody sleeps like this on purpose.
  case stuck
  /// As programs of its part do for want of a switch, and where they end.
  case off
}
