import Machines

/// TEMP: the die temperature in units of 0.25 °C.
package final class TEMP: TaskPeripheral {
  package static let TASKS_START: UInt32 = 0x000
  package static let TASKS_STOP: UInt32 = 0x004
  package static let EVENTS_DATARDY: UInt32 = 0x100
  package static let TEMP: UInt32 = 0x508
  /// A0, the first of the registers A0 to A5, B0 to B5 and T0 to T4.
  package static let A0: UInt32 = 0x520
  /// T4, the last of the registers A0 to A5, B0 to B5 and T0 to T4.
  package static let T4: UInt32 = 0x570

  /// The time of a measurement in microseconds (product specification v1.4, TEMP: 36).
  private static let time = 36.0
  private var result: Int32 = 0
  private lazy var slot = chip.schedule.slot { [unowned self] in
    result = Int32((chip.analog.temperature(chip.nanoseconds($0)) * 4).rounded())
    raise(Self.EVENTS_DATARDY, at: $0)
  }

  init(_ chip: Chip) {
    super.init(12, events: [Self.EVENTS_DATARDY], chip)
    // Slopes, intercepts and end points of the linearization; a program may copy them from FICR.
    for offset in stride(from: Self.A0, through: Self.T4, by: 4) { define(offset) }
  }

  override func reset() {
    chip.schedule.clear(slot)
    super.reset()
  }

  override func hasTask(_ task: UInt32) -> Bool {
    task == Self.TASKS_START || task == Self.TASKS_STOP
  }

  override func task(_ task: UInt32, at cycle: UInt64) {
    switch task {
    case Self.TASKS_START: chip.schedule.set(slot, at: chip.cycle(cycle, plus: Self.time))
    case Self.TASKS_STOP: chip.schedule.clear(slot)
    default: break
    }
  }

  override func value(of offset: UInt32) -> UInt32? {
    offset == Self.TEMP ? UInt32(bitPattern: result) : nil
  }
}
