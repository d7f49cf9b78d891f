/// A reproducible pseudorandom number generator (SplitMix64: Steele, Lea and Flood 2014).
///
/// All randomness in a run comes from the run's seed through such generators. Each purpose has its
/// own stream, so adding one device does not change the noise of another.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator.
  ///
  /// Different streams of one seed are independent. Default: stream 0.
  public init(seed: UInt64, stream: UInt64 = 0) {
    state = Self.mixed(seed &+ Self.mixed(stream &+ Self.increment))
  }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mixed(state)
  }

  /// Returns a uniform number in 0..<1 with 53 random bits.
  public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Returns a normally distributed number with mean 0 and standard deviation 1.
  ///
  /// It uses Marsaglia's polar method in plain arithmetic, so the result is identical on every
  /// machine.
  public mutating func gaussian() -> Double {
    while true {
      let (x, y) = (2 * unit() - 1, 2 * unit() - 1)
      let square = x * x + y * y
      if square > 0, square < 1 {
        return x * (-2 * naturalLogarithm(square) / square).squareRoot()
      }
    }
  }

  private static var increment: UInt64 { 0x9E37_79B9_7F4A_7C15 }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

/// Returns the natural logarithm of a positive normal number, exact to about 1e-15.
///
/// It uses the series of the inverse hyperbolic tangent. Unlike the logarithm of a C library, the
/// result is identical on every machine.
func naturalLogarithm(_ value: Double) -> Double {
  var (exponent, fraction) = (Double(value.exponent), value.significand)
  if fraction > 1.414_213_562_373_095_1 {
    fraction /= 2
    exponent += 1
  }
  let ratio = (fraction - 1) / (fraction + 1)
  let square = ratio * ratio
  var sum = 0.0
  var divisor = 21.0
  while divisor >= 1 {
    sum = sum * square + 1 / divisor
    divisor -= 2
  }
  return 2 * ratio * sum + exponent * 0.693_147_180_559_945_3
}
