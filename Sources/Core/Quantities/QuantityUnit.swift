/// A unit of a quantity: how it is written, and how its numbers become those that are kept.
public struct QuantityUnit: Sendable {
  /// How it is written behind a number: `hPa`.
  public let symbol: StaticString
  /// The number of this unit that is kept as 0.
  public let zero: Double
  /// What one of it is in the kept unit: a factor, and a divisor where that is the exact one of both.
  public let factor, divisor: Double

  /// Creates a unit whose number 0 is kept as 0 and whose number 1 as 1, unless given.
  @inlinable
  public init(
    _ symbol: StaticString, times factor: Double = 1, dividedBy divisor: Double = 1,
    from zero: Double = 0
  ) {
    self.symbol = symbol
    self.zero = zero
    self.factor = factor
    self.divisor = divisor
  }

  /// A number of this unit in the kept unit.
  @inlinable public func kept(_ number: Double) -> Double { (number - zero) * factor / divisor }

  /// A kept value as a number of this unit.
  @inlinable public func number(_ kept: Double) -> Double { kept * divisor / factor + zero }

  /// What one of it is in the kept unit.
  @inlinable public var size: Double { factor / divisor }

  /// The same unit for differences, which have no zero of their own.
  @inlinable
  public var ofDifferences: QuantityUnit { QuantityUnit(symbol, times: factor, dividedBy: divisor) }
}
