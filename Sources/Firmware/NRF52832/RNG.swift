import Machines

/// RNG, the random number generator, whose bytes are derived from the chip's seed.
package final class RNG: TaskPeripheral {
  package static let TASKS_START: UInt32 = 0x000
  package static let TASKS_STOP: UInt32 = 0x004
  package static let EVENTS_VALRDY: UInt32 = 0x100
  package static let CONFIG: UInt32 = 0x504
  package static let VALUE: UInt32 = 0x508

  /// The time per byte in microseconds, without and with bias correction (product specification v1.4, RNG).
  private static let times = [30.0, 120.0]
  private var isRunning = false
  private var words: RandomWords
  private var byte: UInt32 = 0
  private lazy var slot = chip.schedule.slot { [unowned self] in
    byte = UInt32(words.next() & 0xFF)
    raise(RNG.EVENTS_VALRDY, at: $0)
    if isRunning { schedule(from: $0) }
  }

  init(_ chip: Chip) {
    words = RandomWords(seed: chip.seed)
    super.init(
      13, events: [RNG.EVENTS_VALRDY],
      shorts: [Short(bit: 0, event: RNG.EVENTS_VALRDY, task: RNG.TASKS_STOP)], chip)
    define(RNG.CONFIG, mask: 1)
  }

  override func reset() {
    isRunning = false
    chip.schedule.clear(slot)
    super.reset()
  }

  /// Schedules the next byte.
  private func schedule(from cycle: UInt64) {
    let time = Self.times[Int(self[RNG.CONFIG] & 1)]
    chip.schedule.set(slot, at: chip.cycle(cycle, plus: time))
  }

  override func hasTask(_ task: UInt32) -> Bool {
    task == RNG.TASKS_START || task == RNG.TASKS_STOP
  }

  override func task(_ task: UInt32, at cycle: UInt64) {
    switch task {
    case RNG.TASKS_START:
      isRunning = true
      schedule(from: cycle)
    case RNG.TASKS_STOP:
      isRunning = false
      chip.schedule.clear(slot)
    default: break
    }
  }

  override func value(of offset: UInt32) -> UInt32? { offset == RNG.VALUE ? byte : nil }
  override func set(_ offset: UInt32, _ value: UInt32) -> Bool { offset == RNG.VALUE }
}
