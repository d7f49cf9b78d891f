/// A quantity that a converter gives as a code of 16 bits, on a straight line.
///
/// The formula is written once, here; its inverse exists only as a search over its values.
public struct CodeScale: Hashable, Sendable {
  /// The value of the code 0, in the unit of the quantity.
  public let offset: Double
  /// By how much the value would rise over 65,536 codes, in the unit of the quantity; above zero.
  public let span: Double

  /// Creates a scale from its two constants.
  public init(offset: Double, span: Double) {
    precondition(span > 0, "a scale rises")
    self.offset = offset
    self.span = span
  }

  /// The value of a code, in the unit of the quantity.
  public func value(of code: UInt16) -> Double { offset + span * Double(code) / 65_536 }

  /// Finds the code whose value is nearest to a wanted one; of two that are, the higher.
  ///
  /// - Parameters:
  ///   - wanted: the value, in the unit of the quantity; beyond the ends the end stands.
  ///   - bits: how many leading bits of the code are used, 1...16; the others are 0.
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
