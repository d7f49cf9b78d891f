/// What distinguishes the three timers: addresses, vectors, prescaler.
struct TimerLayout {
  let isWide: Bool
  let controlA: UInt16, controlB: UInt16
  let count: UInt16, compareA: UInt16, compareB: UInt16
  let mask: UInt16, flags: UInt16
  let overflow: Vector, vectorA: Vector, vectorB: Vector
  /// What the clock select bits divide by; 0 stands still.
  let divisors: [UInt64]
  /// The bit of PRR that switches it off.
  let powerBit: UInt8

  /// The number in the names of its registers.
  var number: Int { isWide ? 1 : powerBit == 5 ? 0 : 2 }
  /// Whether it has a prescaler of its own, and no pin as a clock: timer 2.
  var hasOwnPrescaler: Bool { powerBit == 6 }

  static let timer0 = TimerLayout(
    isWide: false, controlA: 0x44, controlB: 0x45, count: 0x46, compareA: 0x47, compareB: 0x48,
    mask: 0x6E, flags: 0x35, overflow: .timer0Overflow, vectorA: .timer0CompareA,
    vectorB: .timer0CompareB, divisors: [0, 1, 8, 64, 256, 1024, 0, 0], powerBit: 5)
  static let timer1 = TimerLayout(
    isWide: true, controlA: 0x80, controlB: 0x81, count: 0x84, compareA: 0x88, compareB: 0x8A,
    mask: 0x6F, flags: 0x36, overflow: .timer1Overflow, vectorA: .timer1CompareA,
    vectorB: .timer1CompareB, divisors: [0, 1, 8, 64, 256, 1024, 0, 0], powerBit: 3)
  static let timer2 = TimerLayout(
    isWide: false, controlA: 0xB0, controlB: 0xB1, count: 0xB2, compareA: 0xB3, compareB: 0xB4,
    mask: 0x70, flags: 0x37, overflow: .timer2Overflow, vectorA: .timer2CompareA,
    vectorB: .timer2CompareB, divisors: [0, 1, 8, 32, 64, 128, 256, 1024], powerBit: 6)
}
