/// The compensation arithmetic of a program, with possible defects.
///
/// The correct arithmetic is in the target BME280. This copy accepts words of any range and has a switch at each point
/// where real drivers are wrong. Tests verify that both agree on all test vectors if no defect is set.
package struct Formula: Hashable, Sendable {
  /// The formula of the datasheet that a program uses.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The program computes temperature and humidity in 32-bit integers, and pressure in 64-bit integers.
    case int64 = "datasheet-int64"
    /// The program computes all quantities in 32-bit integers.
    case int32 = "datasheet-int32"
    /// The program computes all quantities in double precision.
    case double = "datasheet-double"
  }

  package init() {}

  package var kind = Kind.int64
  package var isTemperatureUnsigned = false
  package var shift = WrappingArithmetic.Shift.arithmetic
  package var clampsHumidity = true
  /// `true` if the double precision humidity formula uses 16384.8 instead of 16384.
  package var hasWrongConstant = false
  /// `true` if the pressure is computed with `p > 13` instead of `p >> 13`.
  package var comparesInsteadOfShifting = false
  /// `true` if the 64-bit pressure is computed with 32-bit intermediate values.
  package var losesUpperBits = false
  /// `true` if the 64-bit pressure squares the distance from 25 C in 32 bits, which wraps beyond 9 C.
  package var squaresIn32Bits = false
  package var lacksSquare = false
  package var invertsH5 = false
  /// `true` if the double precision humidity formula applies the factor of H3 twice.
  package var appliesH3Twice = false
  /// `true` if the H3 and H6 terms of the humidity use an intermediate humidity value instead of the temperature,
  /// because the program has overwritten that variable.
  package var overwritesTemperature = false
  /// `true` if the pressure is clamped to 300...1100 hPa and the temperature to -40...85 C.
  package var clampsToRange = false

  /// The wrong constant in the pressure formula, if any.
  package var typo = Typo.none
  /// `true` if the program shifts T2 before the multiplication instead of shifting the product.
  package var shiftsBeforeMultiplying = false
  /// `true` if the term of P2 is shifted right instead of left.
  package var shiftsP2Down = false

  /// The wrong constants in the pressure formulas of public drivers.
  package enum Typo: Hashable, Sendable {
    case none
    /// The double precision formula contains 534288 instead of 524288.
    case sensitivity
    /// The double precision formula contains 4086 instead of 4096.
    case divisor
    /// The 64-bit integer formula contains 12800 instead of 128000.
    case reference
  }

  /// The representation of the fine temperature.
  package enum FineForm: Hashable, Sendable, CaseIterable {
    /// The fine temperature is an integer, computed with the integer formula.
    case whole
    /// The fine temperature is an integer, truncated from the result of the double precision formula.
    case cut
    /// The fine temperature is a double, computed with the double precision formula and not truncated.
    case exact
  }

  /// The representation of the fine temperature in this formula.
  package var fineForm: FineForm { kind == .double ? .cut : .whole }

  /// Returns the fine temperature, and `true` if the program would have crashed in a language that traps on overflow.
  package func fine(_ adc: Int64, _ form: FineForm, _ c: Words) -> (fine: Double, crashes: Bool) {
    if form != .whole {
      let base = Double(adc) / 131_072 - Double(c.t1) / 8192
      let first = (Double(adc) / 16384 - Double(c.t1) / 1024) * Double(c.t2)
      let second = (lacksSquare ? base : base * base) * Double(c.t3)
      // Truncation happens after the temperature, which remains exact.
      return (first + second, false)
    }
    var m = WrappingArithmetic(bits: 32, shift: isTemperatureUnsigned ? .logical : shift)
    let a = m.sub(m.right(adc, 3), m.left(c.t1, 1))
    let first =
      shiftsBeforeMultiplying ? m.mul(a, m.right(c.t2, 11)) : m.right(m.mul(a, c.t2), 11)
    let b = m.sub(m.right(adc, 4), c.t1)
    let second = m.right(m.mul(m.right(m.mul(b, b), 12), c.t3), 14)
    return (Double(m.add(first, second)), m.hasOverflowed)
  }

  /// Returns the temperature in C.
  package func temperature(
    fine: Double, _ form: FineForm, _ c: Words
  ) -> (value: Double, crashes: Bool) {
    if form != .whole { return (clamped(fine / 5120, -40, 85), false) }
    var m = WrappingArithmetic(bits: 32, shift: isTemperatureUnsigned ? .logical : shift)
    let value = m.right(m.add(m.mul(Int64(fine), 5), 128), 8)
    return (clamped(Double(value) / 100, -40, 85), m.hasOverflowed)
  }

  /// Returns the pressure in Pa.
  package func pressure(_ adc: Int64, fine: Double, _ c: Words) -> (value: Double, crashes: Bool) {
    var (value, crashes): (Double, Bool) =
      switch kind {
      case .int64: pressure64(adc, Int64(fine), c)
      case .int32: pressure32(adc, Int64(fine), c)
      case .double: (pressureDouble(Double(adc), fine, c), false)
      }
    // An unsigned type turns a negative pressure into a large one before it is clamped.
    if clampsToRange, value < 0 { value = 110_000 }
    return (clamped(value, 30_000, 110_000), crashes)
  }

  private func clamped(_ value: Double, _ low: Double, _ high: Double) -> Double {
    clampsToRange ? min(max(value, low), high) : value
  }

  private func pressure64(_ adc: Int64, _ fine: Int64, _ c: Words) -> (Double, Bool) {
    var m = WrappingArithmetic(bits: losesUpperBits ? 32 : 64, shift: shift)
    let x = m.sub(fine, typo == .reference ? 12_800 : 128_000)
    var squared = m.mul(x, x)
    if squaresIn32Bits { squared = Int64(Int32(truncatingIfNeeded: squared)) }
    var offset = m.mul(squared, c.p6)
    offset = m.add(offset, m.left(m.mul(x, c.p5), 17))
    offset = m.add(offset, m.left(c.p4, 35))
    var sensitivity = m.add(
      m.right(m.mul(squared, c.p3), 8),
      shiftsP2Down ? m.right(m.mul(x, c.p2), 12) : m.left(m.mul(x, c.p2), 12))
    sensitivity = m.right(m.mul(m.add(m.left(1, 47), sensitivity), c.p1), 33)
    guard sensitivity != 0 else { return (0, false) }
    var p = m.sub(1_048_576, adc)
    p = m.divide(m.mul(m.sub(m.left(p, 31), offset), 3125), by: sensitivity)
    let scaled = comparesInsteadOfShifting ? (p > 13 ? 1 : 0) : m.right(p, 13)
    let first = m.right(m.mul(m.mul(c.p9, scaled), scaled), 25)
    let second = m.right(m.mul(c.p8, p), 19)
    p = m.add(m.right(m.add(m.add(p, first), second), 8), m.left(c.p7, 4))
    return (Double(UInt32(truncatingIfNeeded: p)) / 256, m.hasOverflowed)
  }

  private func pressure32(_ adc: Int64, _ fine: Int64, _ c: Words) -> (Double, Bool) {
    var m = WrappingArithmetic(bits: 32, shift: shift)
    let x = m.sub(m.right(fine, 1), 64_000)
    let quarter = m.right(x, 2)
    let squared = m.mul(quarter, quarter)
    var offset = m.mul(m.right(squared, 11), c.p6)
    offset = m.add(offset, m.left(m.mul(x, c.p5), 1))
    offset = m.add(m.right(offset, 2), m.left(c.p4, 16))
    var sensitivity = m.add(
      m.right(m.mul(c.p3, m.right(squared, 13)), 3), m.right(m.mul(c.p2, x), 1))
    sensitivity = m.right(sensitivity, 18)
    sensitivity = m.right(m.mul(m.add(32_768, sensitivity), c.p1), 15)
    guard sensitivity != 0 else { return (0, false) }
    var u = UnsignedMachine()
    var p = u.mul(u.sub(1_048_576 - adc, m.right(offset, 12)), 3125)
    let divisor = Int64(UInt32(truncatingIfNeeded: sensitivity))
    p = p < 0x8000_0000 ? (p << 1) / divisor : (p / divisor) * 2
    let wrapped = sensitivity < 0
    let signed = Int64(Int32(truncatingIfNeeded: p))
    let eighth = comparesInsteadOfShifting ? (signed > 3 ? 1 : 0) : p >> 3
    // The datasheet squares an unsigned 32-bit number (DS 8.2).
    let first = m.right(m.mul(c.p9, u.mul(eighth, eighth) >> 13), 12)
    let second = m.right(m.mul(p >> 2, c.p8), 13)
    let sum = m.right(m.add(m.add(first, second), c.p7), 4)
    p = u.add(p, sum)
    return (
      Double(p), m.hasOverflowed || u.hasOverflowed || wrapped
    )
  }

  private func pressureDouble(_ adc: Double, _ fine: Double, _ c: Words) -> Double {
    var first = fine / 2 - 64_000
    var second = first * first * Double(c.p6) / 32_768
    second += first * Double(c.p5) * 2
    second = second / 4 + Double(c.p4) * 65_536
    let half = typo == .sensitivity ? 534_288.0 : 524_288
    first = (Double(c.p3) * first * first / half + Double(c.p2) * first) / half
    first = (1 + first / 32_768) * Double(c.p1)
    guard first != 0 else { return 0 }
    var p = 1_048_576 - adc
    p = (p - second / (typo == .divisor ? 4086 : 4096)) * 6250 / first
    first = Double(c.p9) * p * p / 2_147_483_648
    second = p * Double(c.p8) / 32_768
    return p + (first + second + Double(c.p7)) / 16
  }

  /// Returns the relative humidity in %.
  package func humidity(_ adc: Int64, fine: Double, _ c: Words) -> (value: Double, crashes: Bool) {
    let h5 = invertsH5 ? -c.h5 : c.h5
    if kind == .double { return (humidityDouble(Double(adc), fine, h5, c), false) }
    var m = WrappingArithmetic(bits: 32, shift: shift)
    let x = m.sub(Int64(fine), 76_800)
    var v = m.sub(m.sub(m.left(adc, 14), m.left(c.h4, 20)), m.mul(h5, x))
    v = m.right(m.add(v, 16_384), 15)
    let y = overwritesTemperature ? v : x
    var w = m.add(m.right(m.mul(y, c.h3), 11), 32_768)
    w = m.right(m.mul(m.right(m.mul(y, c.h6), 10), w), 10)
    w = m.right(m.add(m.mul(m.add(w, 2_097_152), c.h2), 8192), 14)
    v = m.mul(v, w)
    let upper = m.right(v, 15)
    v = m.sub(v, m.right(m.mul(m.right(m.mul(upper, upper), 7), c.h1), 4))
    if clampsHumidity {
      v = min(max(v, 0), 419_430_400)
    } else {
      // The result is returned in an unsigned type.
      v = Int64(UInt32(truncatingIfNeeded: v))
    }
    return (Double(v >> 12) / 1024, m.hasOverflowed)
  }

  private func humidityDouble(_ adc: Double, _ fine: Double, _ h5: Int64, _ c: Words) -> Double {
    let x = fine - 76_800
    let divisor = hasWrongConstant ? 16_384.8 : 16_384
    var v = adc - (Double(c.h4) * 64 + Double(h5) / divisor * x)
    let y = overwritesTemperature ? v : x
    let factor = 1 + Double(c.h3) / 67_108_864 * y
    v *= Double(c.h2) / 65_536 * (1 + Double(c.h6) / 67_108_864 * y * factor)
    if appliesH3Twice { v *= factor }
    v *= 1 - Double(c.h1) * v / 524_288
    return clampsHumidity ? min(max(v, 0), 100) : v
  }
}

/// Integer arithmetic of a fixed width, like that of a program's integer types.
///
/// Overflow wraps, and `hasOverflowed` records it, because in C it wraps or is undefined and in Swift it traps.
package struct WrappingArithmetic {
  /// The effect of a right shift on a negative number.
  package enum Shift: Hashable, Sendable {
    /// The sign is preserved, as the datasheet's code requires.
    case arithmetic
    /// Zeros are shifted in, as for unsigned types.
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

  /// Shifts left.
  ///
  /// A left shift does not trap in any language; bits are lost silently.
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

/// The unsigned 32-bit arithmetic in the datasheet's 32-bit pressure formula.
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
