import Machines

/// TEMP: the temperature of the die in quarters of a degree.
final class Thermometer: Peripheral {
  /// The time of a measurement in microseconds (product specification v1.4, TEMP: 36).
  private static let time = 36.0
  private var result: Int32 = 0
  private lazy var slot = chip.schedule.slot { [unowned self] in
    result = Int32((chip.analog.temperature(chip.nanoseconds($0)) * 4).rounded())
    raise(0, at: $0)
  }

  init(_ chip: Chip) {
    super.init(12, events: [0], chip)
    // Slopes, intercepts and borders of its linearization; a program may write them from FICR.
    for offset in stride(from: UInt32(0x520), through: 0x570, by: 4) { define(offset) }
  }

  override func reset() {
    chip.schedule.clear(slot)
    super.reset()
  }

  override func hasTask(_ index: Int) -> Bool { index < 2 }

  override func task(_ index: Int, at cycle: UInt64) {
    switch index {
    case 0: chip.schedule.set(slot, at: chip.cycle(cycle, plus: Self.time))
    case 1: chip.schedule.clear(slot)
    default: break
    }
  }

  override func value(of offset: UInt32) -> UInt32? {
    offset == 0x508 ? UInt32(bitPattern: result) : nil
  }
}
