/// Whole numbers of a fixed width, as a program's types have them: what does not fit wraps, and is noticed.
///
/// C wraps or is undefined, Swift ends the program: `hasOverflowed` says that one of both happened.
package struct WrappingArithmetic {
  /// What a shift to the right of a negative number does.
  package enum Shift: Hashable, Sendable {
    /// The sign is kept, as the datasheet's code needs it.
    case arithmetic
    /// Zeros come in, as in unsigned types.
    case logical
  }

  package let bits: Int
  package let shift: Shift
  private(set) var hasOverflowed = false

  package init(bits: Int, shift: Shift = .arithmetic) {
    self.bits = bits
    self.shift = shift
  }

  private mutating func fit(_ value: Int64, _ overflow: Bool) -> Int64 {
    guard bits < 64 else {
      if overflow { hasOverflowed = true }
      return value
    }
    let fitting = Int64(Int32(truncatingIfNeeded: value))
    if overflow || fitting != value { hasOverflowed = true }
    return fitting
  }

  package mutating func add(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return fit(sum, overflow)
  }

  package mutating func sub(_ a: Int64, _ b: Int64) -> Int64 {
    let (difference, overflow) = a.subtractingReportingOverflow(b)
    return fit(difference, overflow)
  }

  package mutating func mul(_ a: Int64, _ b: Int64) -> Int64 {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    return fit(product, overflow)
  }

  /// A shift to the left never ends a program, in no language: bits are lost without notice.
  package func left(_ a: Int64, _ count: Int) -> Int64 {
    guard bits < 64 else { return count >= 64 ? 0 : a << Int64(count) }
    return count >= 32 ? 0 : Int64(Int32(truncatingIfNeeded: a << Int64(count)))
  }

  package func right(_ a: Int64, _ count: Int) -> Int64 {
    guard shift == .logical, a < 0 else { return a >> Int64(count) }
    if bits == 64 { return Int64(bitPattern: UInt64(bitPattern: a) >> UInt64(count)) }
    return Int64(UInt32(truncatingIfNeeded: a) >> UInt32(count))
  }

  package mutating func divide(_ a: Int64, by b: Int64) -> Int64 {
    guard b != 0 else {
      hasOverflowed = true
      return 0
    }
    let (quotient, overflow) = a.dividedReportingOverflow(by: b)
    return fit(quotient, overflow)
  }
}

/// An unsigned number of 32 bits, of the datasheet's 32-bit pressure.
package struct UnsignedMachine {
  private(set) var hasOverflowed = false

  private mutating func fit(_ value: Int64) -> Int64 {
    let fitting = Int64(UInt32(truncatingIfNeeded: value))
    if fitting != value { hasOverflowed = true }
    return fitting
  }

  package mutating func sub(_ a: Int64, _ b: Int64) -> Int64 { fit(a &- b) }
  package mutating func mul(_ a: Int64, _ b: Int64) -> Int64 { fit(a &* b) }
  package mutating func add(_ a: Int64, _ b: Int64) -> Int64 { fit(a &+ b) }
}
