/// Which cycles are ticks of a timer: those of a prescaler that runs freely, or of a crystal of its own.
struct TickBase: Equatable {
  /// The cycle of tick 0.
  var origin: UInt64 = 0
  /// Ticks for each `divisor` cycles; 0 while the timer stands.
  var factor: UInt64 = 0
  var divisor: UInt64 = 1

  /// The ticks until a cycle.
  func ticks(at cycle: UInt64) -> UInt64 {
    let passed = cycle &- origin
    if factor == 1 { return passed / divisor }
    let product = passed.multipliedFullWidth(by: factor)
    return divisor.dividingFullWidth(product).quotient
  }

  /// The cycle at which a tick comes.
  func cycle(of tick: UInt64) -> UInt64 {
    if factor == 1 { return origin &+ tick &* divisor }
    let product = tick.multipliedFullWidth(by: divisor)
    let (whole, rest) = factor.dividingFullWidth(product)
    return origin &+ whole &+ (rest > 0 ? 1 : 0)
  }
}
