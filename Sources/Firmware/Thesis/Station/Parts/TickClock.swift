import I2C

/// Time: RTC1 on the crystal of 32,768 Hz, counted beyond its 24 bits.
///
/// The core sleeps while it waits.
final class TickClock: I2CClock {
  /// How many ticks a second has.
  static var frequency: Int64 { 32_768 }

  private static var interrupt: UInt32 { 17 }
  private let counter = Registers(peripheral: 17)
  /// The ticks at which the counter last was 0.
  private var turned: Int64 = 0

  private enum Offset {
    static var overflow: UInt { 0x104 }
    static var compare: UInt { 0x140 }
    static var now: UInt { 0x504 }
    static var target: UInt { 0x540 }
  }

  /// Starts the crystal and the counter, and waits a quarter of a second until both run.
  init() {
    let clock = Registers(peripheral: 0)
    // LFCLKSRC: the crystal; INTENSET: LFCLKSTARTED; TASKS_LFCLKSTART.
    clock[0x518] = 1
    clock[0x304] = 1 << 1
    clock[0x008] = 1
    Sleep.until { clock[0x104] != 0 }
    // Nothing more is asked of it.
    clock[0x308] = 1 << 1
    // INTENSET: OVRFLW and COMPARE0; TASKS_START.
    counter[0x304] = 1 << 1 | 1 << 16
    counter[0x000] = 1
  }

  /// The ticks since it was started.
  var ticks: Int64 {
    while true {
      if counter[Offset.overflow] != 0 {
        counter[Offset.overflow] = 0
        turned &+= 1 << 24
      }
      let low = counter[Offset.now]
      // It may have turned between the two looks.
      if low >= 1 << 23 || counter[Offset.overflow] == 0 { return turned &+ Int64(low) }
    }
  }

  /// A tick is 1953125/64 ns.
  var nanoseconds: UInt64 { (UInt64(ticks) &* 1_953_125) >> 6 }

  /// Waits at least as long.
  func wait(nanoseconds: UInt64) {
    // 2^40 / 30,517.578125, rounded up; lengths are below a minute.
    let now = ticks
    wait(until: now &+ Int64(truncatingIfNeeded: (nanoseconds &* 36_028_798) >> 40) &+ 1, from: now)
  }

  /// Waits for a tick.
  func wait(until target: Int64) { wait(until: target, from: ticks) }

  private func wait(until target: Int64, from start: Int64) {
    var now = start
    while target > now {
      // A compare fires for certain from the second tick on, and one may have passed since the look; a target that lies
      // further away than a turn waits for that.
      let isNear = target &- now < 1 << 24
      if isNear {
        counter[Offset.target] = UInt32(truncatingIfNeeded: max(target, now &+ 3)) & 0xFF_FFFF
      }
      counter[Offset.compare] = 0
      Sleep.forget(Self.interrupt)
      var hasCome = false
      Sleep.until {
        hasCome = counter[Offset.compare] != 0
        return hasCome || counter[Offset.overflow] != 0
      }
      if isNear, hasCome { return }
      now = ticks
    }
  }
}
