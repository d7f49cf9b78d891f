import Machines

/// PPI, which connects events to tasks without the core, through 20 programmable and 12 fixed channels in six groups.
package final class PPI: TaskPeripheral {
  /// TASKS_CHG[0].EN, which TASKS_CHG[0].DIS follows; the registers of the six groups are 8 bytes apart.
  package static let TASKS_CHG_EN: UInt32 = 0x000
  package static let TASKS_CHG_DIS: UInt32 = 0x004
  package static let CHEN: UInt32 = 0x500
  package static let CHENSET: UInt32 = 0x504
  package static let CHENCLR: UInt32 = 0x508
  /// CH[0].EEP, which CH[0].TEP follows; the registers of the channels are 8 bytes apart.
  package static let CH_EEP: UInt32 = 0x510
  package static let CH_TEP: UInt32 = 0x514
  /// CHG[0], the first of six.
  package static let CHG: UInt32 = 0x800
  /// FORK[0].TEP, the first of 32.
  package static let FORK_TEP: UInt32 = 0x910

  private static let programmable = 20
  private static let groups: UInt32 = 6

  private static let radio: UInt32 = 0x4000_1000
  private static let timer0: UInt32 = 0x4000_8000
  private static let rtc0: UInt32 = 0x4000_B000
  /// The base address that the peripherals AAR and CCM share.
  private static let security: UInt32 = 0x4000_F000
  private static let compare0 = timer0 + TIMER.EVENTS_COMPARE
  private static let rtcCompare0 = rtc0 + RTC.EVENTS_COMPARE

  /// Registers of the radio, of AAR and of CCM, which are not modelled.
  private enum Radio {
    static let TASKS_TXEN: UInt32 = 0x000
    static let TASKS_RXEN: UInt32 = 0x004
    static let TASKS_DISABLE: UInt32 = 0x010
    static let EVENTS_READY: UInt32 = 0x100
    static let EVENTS_ADDRESS: UInt32 = 0x104
    static let EVENTS_END: UInt32 = 0x10C
    static let EVENTS_BCMATCH: UInt32 = 0x128
  }
  private enum AAR { static let TASKS_START: UInt32 = 0x000 }
  private enum CCM {
    static let TASKS_KSGEN: UInt32 = 0x000
    static let TASKS_CRYPT: UInt32 = 0x004
  }

  /// The fixed channels 20 to 31, each as the address of its event and the address of its task.
  private static let fixed: [(UInt32, UInt32)] = [
    (compare0, radio + Radio.TASKS_TXEN),
    (compare0, radio + Radio.TASKS_RXEN),
    (compare0 + 4, radio + Radio.TASKS_DISABLE),
    (radio + Radio.EVENTS_BCMATCH, security + AAR.TASKS_START),
    (radio + Radio.EVENTS_READY, security + CCM.TASKS_KSGEN),
    (radio + Radio.EVENTS_ADDRESS, security + CCM.TASKS_CRYPT),
    (radio + Radio.EVENTS_ADDRESS, timer0 + TIMER.TASKS_CAPTURE + 4),
    (radio + Radio.EVENTS_END, timer0 + TIMER.TASKS_CAPTURE + 8),
    (rtcCompare0, radio + Radio.TASKS_TXEN),
    (rtcCompare0, radio + Radio.TASKS_RXEN),
    (rtcCompare0, timer0 + TIMER.TASKS_CLEAR),
    (rtcCompare0, timer0 + TIMER.TASKS_START),
  ]

  private var enabled: UInt32 = 0 { didSet { chip.hasLinks = enabled != 0 } }

  init(_ chip: Chip) {
    super.init(31, events: [], chip)
    for channel in 0..<UInt32(Self.programmable) {
      define(PPI.CH_EEP + channel * 8)
      define(PPI.CH_TEP + channel * 8)
    }
    for channel: UInt32 in 0..<32 { define(PPI.FORK_TEP + channel * 4) }
    for group in 0..<Self.groups { define(PPI.CHG + group * 4) }
    chip.ppi = self
  }

  /// `true` if any channel is enabled.
  var isInUse: Bool { enabled != 0 }

  override func reset() {
    enabled = 0
    super.reset()
  }

  override func hasTask(_ task: UInt32) -> Bool { task < PPI.TASKS_CHG_EN + Self.groups * 8 }

  override func task(_ task: UInt32, at cycle: UInt64) {
    guard hasTask(task) else { return }
    let members = self[PPI.CHG + task / 8 * 4]
    let enables = task % 8 == PPI.TASKS_CHG_EN
    enabled = enables ? enabled | members : enabled & ~members
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case PPI.CHEN, PPI.CHENSET, PPI.CHENCLR: enabled
    default: nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case PPI.CHEN: enabled = value
    case PPI.CHENSET: enabled |= value
    case PPI.CHENCLR: enabled &= ~value
    default: return false
    }
    return true
  }

  /// Triggers the tasks connected to the event at an address.
  func signal(_ event: UInt32, at cycle: UInt64) {
    var rest = enabled
    while rest != 0 {
      let channel = rest.trailingZeroBitCount
      rest &= rest - 1
      let isProgrammable = channel < Self.programmable
      let end =
        isProgrammable
        ? self[PPI.CH_EEP + UInt32(channel * 8)] : Self.fixed[channel - Self.programmable].0
      guard end == event else { continue }
      let task =
        isProgrammable
        ? self[PPI.CH_TEP + UInt32(channel * 8)] : Self.fixed[channel - Self.programmable].1
      chip.trigger(task, at: cycle)
      let fork = self[PPI.FORK_TEP + UInt32(channel * 4)]
      if fork != 0 { chip.trigger(fork, at: cycle) }
    }
  }
}

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
