/// The noise on each result of a part.
public enum PartNoise: Hashable, Sendable {
  /// None.
  case off
  /// The figures of its data sheet.
  case datasheet
  /// The figures of its data sheet times a factor.
  case scaled(Double)

  /// The factor on the data sheet's figures.
  @inlinable public var factor: Double {
    switch self {
    case .off: 0
    case .datasheet: 1
    case .scaled(let factor): factor
    }
  }
}
