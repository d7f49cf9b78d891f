import Board
import I2C
import _Volatile

/// A clock on RTC1 and the 32,768 Hz crystal, extended beyond 24 bits.
///
/// The core sleeps while it waits.
final class TickClock: I2CClock {
  /// Ticks per second.
  static var frequency: Int64 { 32_768 }

  private static var interrupt: UInt32 { 17 }
  private let counter = Registers(peripheral: 17)
  /// The tick at which the 24-bit counter was last 0.
  private var overflowTicks: Int64 = 0

  /// Registers of RTC.
  private enum Register {
    static var tasksStart: UInt { 0x000 }
    static var eventsOvrflw: UInt { 0x104 }
    static var eventsCompare0: UInt { 0x140 }
    static var intenset: UInt { 0x304 }
    static var counter: UInt { 0x504 }
    static var cc0: UInt { 0x540 }
  }

  private enum ClockRegister {
    static var tasksLfclkstart: UInt { 0x008 }
    static var eventsLfclkstarted: UInt { 0x104 }
    static var intenset: UInt { 0x304 }
    static var intenclr: UInt { 0x308 }
    static var lfclksrc: UInt { 0x518 }
  }

  /// Starts the crystal and the counter, and waits a quarter of a second until both run.
  init() {
    let clock = Registers(peripheral: 0)
    clock[ClockRegister.lfclksrc] = 1  // Xtal
    clock[ClockRegister.intenset] = 1 << 1  // LFCLKSTARTED
    clock[ClockRegister.tasksLfclkstart] = 1
    Sleep.until { clock[ClockRegister.eventsLfclkstarted] != 0 }
    clock[ClockRegister.intenclr] = 1 << 1
    counter[Register.intenset] = 1 << 1 | 1 << 16  // OVRFLW, COMPARE0
    counter[Register.tasksStart] = 1
  }

  /// Ticks since the start.
  var ticks: Int64 {
    while true {
      if counter[Register.eventsOvrflw] != 0 {
        counter[Register.eventsOvrflw] = 0
        overflowTicks &+= 1 << 24
      }
      let low = counter[Register.counter]
      // The counter may have overflowed between the two reads.
      if low >= 1 << 23 || counter[Register.eventsOvrflw] == 0 {
        return overflowTicks &+ Int64(low)
      }
    }
  }

  /// The time since the start in nanoseconds; a tick is 1953125/64 ns.
  var nanoseconds: UInt64 { (UInt64(ticks) &* 1_953_125) >> 6 }

  /// Waits for at least a duration.
  func wait(nanoseconds: UInt64) {
    // 2^40 / 30,517.578125, rounded up; durations are below a minute.
    let now = ticks
    wait(until: now &+ Int64(truncatingIfNeeded: (nanoseconds &* 36_028_798) >> 40) &+ 1, from: now)
  }

  func wait(until target: Int64) { wait(until: target, from: ticks) }

  private func wait(until target: Int64, from start: Int64) {
    var now = start
    while target > now {
      // A compare event is only certain from the second tick on, and one tick may have passed since the read. A target
      // more than one counter period ahead waits for the overflow.
      let isNear = target &- now < 1 << 24
      if isNear {
        counter[Register.cc0] = UInt32(truncatingIfNeeded: max(target, now &+ 3)) & 0xFF_FFFF
      }
      counter[Register.eventsCompare0] = 0
      Sleep.clearPending(Self.interrupt)
      var hasFired = false
      Sleep.until {
        hasFired = counter[Register.eventsCompare0] != 0
        return hasFired || counter[Register.eventsOvrflw] != 0
      }
      if isNear, hasFired { return }
      now = ticks
    }
  }
}

/// Lets the core sleep until an event; the interrupts of the peripherals become pending but are never taken.
enum Sleep {
  private static var system: Registers { Registers(at: 0xE000_E000) }

  private enum Offset {
    static var icpr: UInt { 0x280 }
    static var scr: UInt { 0xD10 }
  }

  /// Makes pending interrupts wake the core although they are not enabled (SCR.SEVONPEND).
  static func prepare() { system[Offset.scr] = 1 << 4 }

  /// Clears a pending interrupt, so that the next event of its peripheral wakes the core.
  ///
  /// The peripheral's events must have been cleared before, or the interrupt is pending again immediately.
  static func clearPending(_ interrupt: UInt32) {
    board_barrier()
    system[Offset.icpr + UInt(interrupt / 32 * 4)] = 1 << (interrupt % 32)
  }

  /// Sleeps until a condition is true.
  ///
  /// It sleeps before the first check: an event since the interrupt was cleared ends that sleep immediately.
  @inline(__always)
  static func until(_ condition: () -> Bool) {
    repeat { board_wait_for_event() } while !condition()
  }
}

/// The registers of a peripheral, by their offset.
struct Registers {
  /// The base address.
  let base: UInt

  /// Creates the registers of a peripheral by its ID, which also is its interrupt number.
  init(peripheral: UInt) { base = 0x4000_0000 + peripheral << 12 }

  /// Creates registers at a base address.
  init(at base: UInt) { self.base = base }

  /// A register by its offset.
  subscript(offset: UInt) -> UInt32 {
    get { VolatileMappedRegister<UInt32>(unsafeBitPattern: base + offset).load() }
    nonmutating set {
      VolatileMappedRegister<UInt32>(unsafeBitPattern: base + offset).store(newValue)
    }
  }
}
