/// A linear scale between a 16-bit converter code and a physical quantity.
///
/// The conversion from a value to a code searches for the code whose computed value is nearest, so
/// both directions of conversion always agree.
public struct CodeScale: Hashable, Sendable {
  /// The value of the code 0, in the unit of the quantity.
  public let offset: Double
  /// The increase of the value over 65,536 codes, in the unit of the quantity; always positive.
  public let span: Double

  /// Creates a scale from its two constants.
  public init(offset: Double, span: Double) {
    precondition(span > 0, "a scale rises")
    self.offset = offset
    self.span = span
  }

  /// Returns the value of a code, in the unit of the quantity.
  public func value(of code: UInt16) -> Double { offset + span * Double(code) / 65_536 }

  /// Finds the code whose value is nearest to a wanted value, or the higher code if two are equally
  /// near.
  ///
  /// - Parameters:
  ///   - wanted: the value, in the unit of the quantity; clamped to the range of the scale.
  ///   - bits: the number of leading bits that the code uses, 1...16; the remaining bits are 0.
  /// - Returns: the code.
  public func code(nearestTo wanted: Double, bits: Int) -> UInt16 {
    let shift = UInt32(16 - bits)
    // The first index whose value is not below the wanted one.
    var (low, high) = (UInt32(0), UInt32(1) << UInt32(bits) - 1)
    while low < high {
      let middle = (low + high) / 2
      if value(of: UInt16(middle << shift)) < wanted { low = middle + 1 } else { high = middle }
    }
    let above = UInt16(low << shift)
    guard low > 0 else { return above }
    let below = UInt16((low - 1) << shift)
    return wanted - value(of: below) < value(of: above) - wanted ? below : above
  }
}
