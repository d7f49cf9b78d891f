import Machines

/// EGU0 to EGU5, and the software interrupts that share their numbers: a task raises an event.
final class EventGenerator: TaskPeripheral {
  init(_ index: Int, _ die: Die) { super.init(20 + index, events: Array(0..<16), die) }

  override func hasTask(_ index: Int) -> Bool { index < 16 }

  override func task(_ index: Int, at cycle: UInt64) {
    if index < 16 { raise(index, at: cycle) }
  }
}
