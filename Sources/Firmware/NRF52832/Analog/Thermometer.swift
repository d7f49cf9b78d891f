import Machines

/// TEMP: the temperature of the die in quarters of a degree.
final class Thermometer: TaskPeripheral {
  /// The time of a measurement in microseconds (product specification v1.4, TEMP: 36).
  private static let time = 36.0
  private var result: Int32 = 0
  private lazy var slot = die.schedule.slot { [unowned self] in
    result = Int32((die.analog.temperature(die.nanoseconds($0)) * 4).rounded())
    raise(0, at: $0)
  }

  init(_ die: Die) {
    super.init(12, events: [0], die)
    // Slopes, intercepts and borders of its linearization; a program may write them from FICR.
    for offset in stride(from: UInt32(0x520), through: 0x570, by: 4) { define(offset) }
  }

  override func reset() {
    die.schedule.clear(slot)
    super.reset()
  }

  override func hasTask(_ index: Int) -> Bool { index < 2 }

  override func task(_ index: Int, at cycle: UInt64) {
    switch index {
    case 0: die.schedule.set(slot, at: die.cycle(cycle, plus: Self.time))
    case 1: die.schedule.clear(slot)
    default: break
    }
  }

  override func value(of offset: UInt32) -> UInt32? {
    offset == 0x508 ? UInt32(bitPattern: result) : nil
  }
}
