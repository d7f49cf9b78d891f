import Machines

/// EGU0 to EGU5, and the software interrupts that share their IDs: TASKS_TRIGGER[n] raises EVENTS_TRIGGERED[n].
package final class EGU: TaskPeripheral {
  /// TASKS_TRIGGER[0], the first of 16.
  package static let TASKS_TRIGGER: UInt32 = 0x000
  /// EVENTS_TRIGGERED[0], the first of 16; they are raised by the tasks of the same index.
  package static let EVENTS_TRIGGERED: UInt32 = 0x100
  private static let channels: UInt32 = 16

  /// - Parameters:
  ///   - index: the instance, 0 to 5; its peripheral ID is 20 higher.
  ///   - chip: the shared resources of the chip.
  init(_ index: Int, _ chip: Chip) {
    super.init(
      20 + index, events: (0..<Self.channels).map { EGU.EVENTS_TRIGGERED + $0 * 4 }, chip)
  }

  override func hasTask(_ task: UInt32) -> Bool { task < EGU.TASKS_TRIGGER + Self.channels * 4 }

  override func task(_ task: UInt32, at cycle: UInt64) {
    guard hasTask(task) else { return }
    raise(EGU.EVENTS_TRIGGERED + task - EGU.TASKS_TRIGGER, at: cycle)
  }
}
