import Machines

/// RNG: a byte after another, here of a seed.
final class RandomNumbers: TaskPeripheral {
  /// The time of a byte in microseconds, without and with bias correction (product specification v1.4, RNG: 30, 120).
  private static let times = [30.0, 120.0]
  private var isRunning = false
  private var state: UInt64
  private var byte: UInt32 = 0
  private lazy var slot = die.schedule.slot { [unowned self] in
    byte = next()
    raise(0, at: $0)
    if isRunning { plan(from: $0) }
  }

  init(_ die: Die) {
    state = die.seed
    super.init(13, events: [0], shorts: [Short(bit: 0, event: 0, task: 1)], die)
    define(0x504, mask: 1)
  }

  override func reset() {
    isRunning = false
    die.schedule.clear(slot)
    super.reset()
  }

  /// SplitMix64.
  private func next() -> UInt32 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return UInt32(truncatingIfNeeded: (word ^ word >> 31) & 0xFF)
  }

  private func plan(from cycle: UInt64) {
    die.schedule.set(slot, at: die.cycle(cycle, plus: Self.times[Int(self[0x504] & 1)]))
  }

  override func hasTask(_ index: Int) -> Bool { index < 2 }

  override func task(_ index: Int, at cycle: UInt64) {
    switch index {
    case 0:
      isRunning = true
      plan(from: cycle)
    case 1:
      isRunning = false
      die.schedule.clear(slot)
    default: break
    }
  }

  override func value(of offset: UInt32) -> UInt32? { offset == 0x508 ? byte : nil }
  override func set(_ offset: UInt32, _ value: UInt32) -> Bool { offset == 0x508 }
}
