/// GTCCR: lets the prescalers begin anew.
final class TimerPrescaler: IOBlock {
  private let shared: [TimerCounter]
  private let own: TimerCounter
  private var held: UInt8 = 0

  /// Creates it over the timers that share a prescaler, and the one that has its own.
  init(shared: [TimerCounter], own: TimerCounter) {
    self.shared = shared
    self.own = own
  }

  override var addresses: [UInt16] { [0x43] }
  override func reset() { held = 0 }
  override func read(_ address: UInt16) -> UInt8 { held }
  override func write(_ address: UInt16, _ value: UInt8) {
    if value & 1 != 0 { for timer in shared { timer.resetPrescaler() } }
    if value & 2 != 0 { own.resetPrescaler() }
    // TSM keeps the bits; that the timers stand meanwhile is not modelled, they begin anew when it is cleared.
    held = value & 0x80 != 0 ? value & 0x83 : 0
  }
}
