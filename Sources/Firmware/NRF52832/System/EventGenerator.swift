import Machines

/// EGU0 to EGU5, and the software interrupts that share their numbers: a task raises an event.
final class EventGenerator: Peripheral {
  init(_ index: Int, _ chip: Chip) { super.init(20 + index, events: Array(0..<16), chip) }

  override func hasTask(_ index: Int) -> Bool { index < 16 }

  override func task(_ index: Int, at cycle: UInt64) {
    if index < 16 { raise(index, at: cycle) }
  }
}
