/// FPSCR: how the FPU rounds, and what has happened.
struct FloatStatus {
  /// The word as VMRS reads it.
  var word: UInt32

  /// Flags that stay set: invalid operation, division by zero, overflow, underflow, inexact, denormal input.
  static let invalid: UInt32 = 1, division: UInt32 = 2, overflow: UInt32 = 4
  static let underflow: UInt32 = 8, inexact: UInt32 = 16, denormal: UInt32 = 128

  /// FZ: what is denormal counts as 0.
  var flushes: Bool { word >> 24 & 1 != 0 }
  /// DN: each NaN becomes the same.
  var hasDefaultNaN: Bool { word >> 25 & 1 != 0 }
  /// AHP: halves have no infinities.
  var hasAlternativeHalves: Bool { word >> 26 & 1 != 0 }
  /// RMode: 0 to nearest, 1 up, 2 down, 3 to zero.
  var rounding: UInt32 { word >> 22 & 3 }

  /// Sets flags.
  mutating func raise(_ flags: UInt32) { word |= flags }

  static let defaultNaN: UInt32 = 0x7FC0_0000

  static func isNaN(_ bits: UInt32) -> Bool { bits & 0x7FFF_FFFF > 0x7F80_0000 }
  static func isSignaling(_ bits: UInt32) -> Bool { isNaN(bits) && bits & 0x40_0000 == 0 }
  static func isInfinite(_ bits: UInt32) -> Bool { bits & 0x7FFF_FFFF == 0x7F80_0000 }
  static func isZero(_ bits: UInt32) -> Bool { bits & 0x7FFF_FFFF == 0 }

  /// An operand: 0 when it is denormal and FZ is set.
  mutating func operand(_ bits: UInt32) -> UInt32 {
    guard flushes, bits & 0x7F80_0000 == 0, bits & 0x7F_FFFF != 0 else { return bits }
    raise(Self.denormal)
    return bits & 0x8000_0000
  }

  /// The NaN that comes of one.
  mutating func quiet(_ bits: UInt32) -> UInt32 {
    if Self.isSignaling(bits) { raise(Self.invalid) }
    return hasDefaultNaN ? Self.defaultNaN : bits | 0x40_0000
  }

  /// The NaN that comes of operands, the first signaling one before the first quiet one; `nil` without any.
  mutating func nan(_ a: UInt32, _ b: UInt32) -> UInt32? {
    if Self.isSignaling(a) { return quiet(a) }
    if Self.isSignaling(b) { return quiet(b) }
    if Self.isNaN(a) { return quiet(a) }
    return Self.isNaN(b) ? quiet(b) : nil
  }

  /// The same for three operands.
  mutating func nan(_ a: UInt32, _ b: UInt32, _ c: UInt32) -> UInt32? {
    if Self.isSignaling(a) { return quiet(a) }
    if Self.isSignaling(b) { return quiet(b) }
    if Self.isSignaling(c) { return quiet(c) }
    if Self.isNaN(a) { return quiet(a) }
    return nan(b, c)
  }

  /// What an invalid operation gives.
  mutating func refuse() -> UInt32 {
    raise(Self.invalid)
    return Self.defaultNaN
  }
}
