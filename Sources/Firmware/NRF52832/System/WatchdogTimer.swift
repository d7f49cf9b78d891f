import Machines

/// WDT: resets the part unless each of its enabled registers is written in time.
final class WatchdogTimer: TaskPeripheral {
  private static let feed: UInt32 = 0x6E52_4635
  /// Whether it counts.
  private(set) var isRunning = false
  /// Which of the eight registers have been written since it last began.
  private var fed: UInt32 = 0
  private lazy var slot = die.schedule.slot { [unowned self] in
    raise(0, at: $0)
    // Two ticks of the low clock remain for the interrupt.
    die.schedule.set(end, at: $0 + 2 * 15625 / 8)
  }
  private lazy var end = die.schedule.slot { [unowned self] _ in die.run.requestReset(.watchdog) }

  init(_ die: Die) {
    super.init(16, events: [0], die)
    define(0x504, reset: 0xFFFF_FFFF)
    define(0x508, reset: 1, mask: 0xFF)
    define(0x50C, reset: 1, mask: 9)
  }

  override func reset() {
    isRunning = false
    die.schedule.clear(slot)
    die.schedule.clear(end)
    super.reset()
  }

  private var requests: UInt32 { self[0x508] & ~fed }

  override func hasTask(_ index: Int) -> Bool { index == 0 }

  override func task(_ index: Int, at cycle: UInt64) {
    guard index == 0, !isRunning else { return }
    isRunning = true
    begin(at: cycle)
  }

  private func begin(at cycle: UInt64) {
    fed = 0
    let ticks = UInt64(max(self[0x504], 15)) + 1
    die.schedule.set(slot, at: cycle + ticks * 15625 / 8)
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case 0x400: isRunning ? 1 : 0
    case 0x404: isRunning ? requests : 1
    case 0x600..<0x620: 0
    default: nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case 0x504, 0x508, 0x50C:
      // Its settings are locked while it runs.
      return isRunning
    case 0x600..<0x620:
      guard isRunning, value == Self.feed, die.schedule.cycle(of: end) == nil else { return true }
      fed |= 1 << ((offset - 0x600) / 4)
      if requests == 0 { begin(at: die.now) }
      return true
    default: return false
    }
  }
}
