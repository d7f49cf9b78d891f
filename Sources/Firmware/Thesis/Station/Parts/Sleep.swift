import Board

/// The core's sleep, from which a peripheral wakes it with an interrupt that is never taken.
enum Sleep {
  private static var system: Registers { Registers(at: 0xE000_E000) }

  /// Lets interrupts that become pending end a sleep although they are not enabled (SCR.SEVONPEND).
  static func prepare() { system[0xD10] = 1 << 4 }

  /// Forgets that an interrupt is pending, so that the next event of its peripheral wakes the core.
  ///
  /// The peripheral's events have been cleared before, or it is pending again at once.
  static func forget(_ interrupt: UInt32) {
    board_barrier()
    // NVIC_ICPR.
    system[UInt(0x280 + interrupt / 32 * 4)] = 1 << (interrupt % 32)
  }

  /// Sleeps until an event is there.
  ///
  /// It sleeps before it looks: what has come since the interrupt was forgotten ends that sleep at once.
  @inline(__always)
  static func until(_ isThere: () -> Bool) {
    repeat { board_wait_for_event() } while !isThere()
  }
}
