import Machines

/// PPI: links from events to tasks without the core, 20 that a program sets, 12 that are fixed, six groups.
final class PPI: TaskPeripheral {
  private static let programmable = 20
  private static let groups = 6
  /// Channels 20 to 31: the event's and the task's address.
  private static let fixed: [(UInt32, UInt32)] = [
    (0x4000_8140, 0x4000_1000), (0x4000_8140, 0x4000_1004), (0x4000_8144, 0x4000_1010),
    (0x4000_1128, 0x4000_F000), (0x4000_1100, 0x4000_F000), (0x4000_1104, 0x4000_F004),
    (0x4000_1104, 0x4000_8044), (0x4000_110C, 0x4000_8048), (0x4000_B140, 0x4000_1000),
    (0x4000_B140, 0x4000_1004), (0x4000_B140, 0x4000_800C), (0x4000_B140, 0x4000_8000),
  ]

  private var enabled: UInt32 = 0 { didSet { die.hasLinks = enabled != 0 } }

  init(_ die: Die) {
    super.init(31, events: [], die)
    for channel in 0..<UInt32(Self.programmable) {
      define(0x510 + channel * 8)
      define(0x514 + channel * 8)
    }
    for channel: UInt32 in 0..<32 { define(0x910 + channel * 4) }
    for group in 0..<UInt32(Self.groups) { define(0x800 + group * 4) }
    die.ppi = self
  }

  /// Whether any channel is on.
  var isInUse: Bool { enabled != 0 }

  override func reset() {
    enabled = 0
    super.reset()
  }

  override func hasTask(_ index: Int) -> Bool { index < Self.groups * 2 }

  /// CHG[n].EN and CHG[n].DIS.
  override func task(_ index: Int, at cycle: UInt64) {
    guard index < Self.groups * 2 else { return }
    let members = self[0x800 + UInt32(index / 2 * 4)]
    enabled = index & 1 == 0 ? enabled | members : enabled & ~members
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case 0x500, 0x504, 0x508: enabled
    default: nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case 0x500: enabled = value
    case 0x504: enabled |= value
    case 0x508: enabled &= ~value
    default: return false
    }
    return true
  }

  /// Triggers what is linked to an event.
  func signal(_ event: UInt32, at cycle: UInt64) {
    var rest = enabled
    while rest != 0 {
      let channel = rest.trailingZeroBitCount
      rest &= rest - 1
      let isProgrammable = channel < Self.programmable
      let end =
        isProgrammable
        ? self[0x510 + UInt32(channel * 8)] : Self.fixed[channel - Self.programmable].0
      guard end == event else { continue }
      let task =
        isProgrammable
        ? self[0x514 + UInt32(channel * 8)] : Self.fixed[channel - Self.programmable].1
      die.trigger(task, at: cycle)
      let fork = self[0x910 + UInt32(channel * 4)]
      if fork != 0 { die.trigger(fork, at: cycle) }
    }
  }
}
