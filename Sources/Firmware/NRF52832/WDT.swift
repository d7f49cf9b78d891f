import Machines

/// WDT, the watchdog, which resets the chip unless every enabled reload register is written in time.
package final class WDT: TaskPeripheral {
  package static let TASKS_START: UInt32 = 0x000
  package static let EVENTS_TIMEOUT: UInt32 = 0x100
  package static let RUNSTATUS: UInt32 = 0x400
  package static let REQSTATUS: UInt32 = 0x404
  package static let CRV: UInt32 = 0x504
  package static let RREN: UInt32 = 0x508
  package static let CONFIG: UInt32 = 0x50C
  /// RR[0], the first of eight.
  package static let RR: UInt32 = 0x600
  private static var allRR: Range<UInt32> { RR..<RR + 8 * 4 }
  /// The value that RR[n] accepts.
  private static let reload: UInt32 = 0x6E52_4635
  /// The peripheral ID.
  static let number = 16

  private(set) var isRunning = false
  /// The reload registers written since the last reload, a bit each.
  private var reloaded: UInt32 = 0
  private lazy var slot = chip.schedule.slot { [unowned self] in
    raise(WDT.EVENTS_TIMEOUT, at: $0)
    // The reset follows two ticks of the 32,768 Hz clock after the interrupt.
    chip.schedule.set(end, at: $0 + 2 * 15625 / 8)
  }
  private lazy var end = chip.schedule.slot { [unowned self] _ in
    chip.run.requestReset(.watchdog)
  }

  init(_ chip: Chip) {
    super.init(WDT.number, events: [WDT.EVENTS_TIMEOUT], chip)
    define(WDT.CRV, reset: 0xFFFF_FFFF)
    define(WDT.RREN, reset: 1, mask: 0xFF)
    define(WDT.CONFIG, reset: 1, mask: 9)
  }

  override func reset() {
    isRunning = false
    chip.schedule.clear(slot)
    chip.schedule.clear(end)
    super.reset()
  }

  private var requests: UInt32 { self[WDT.RREN] & ~reloaded }

  override func hasTask(_ task: UInt32) -> Bool { task == WDT.TASKS_START }

  override func task(_ task: UInt32, at cycle: UInt64) {
    guard task == WDT.TASKS_START, !isRunning else { return }
    isRunning = true
    begin(at: cycle)
  }

  private func begin(at cycle: UInt64) {
    reloaded = 0
    let ticks = UInt64(max(self[WDT.CRV], 15)) + 1
    chip.schedule.set(slot, at: cycle + ticks * 15625 / 8)
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case WDT.RUNSTATUS: isRunning ? 1 : 0
    case WDT.REQSTATUS: isRunning ? requests : 1
    case Self.allRR: 0
    default: nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case WDT.CRV, WDT.RREN, WDT.CONFIG:
      // The configuration is locked while the watchdog runs.
      return isRunning
    case Self.allRR:
      guard isRunning, value == Self.reload, chip.schedule.cycle(of: end) == nil else {
        return true
      }
      reloaded |= 1 << ((offset - WDT.RR) / 4)
      if requests == 0 { begin(at: chip.now) }
      return true
    default: return false
    }
  }
}
