public import Quantities

/// A value of the air that the part's calibration cannot express.
public struct Saturation: Hashable, Sendable {
  /// When it was first met, in nanoseconds since the start of the run.
  public let time: UInt64
  /// What the air was, in C, Pa or %RH.
  public let asked: Double
  /// The nearest value that some code of the converter compensates to.
  public let nearest: Double
  /// How many conversions met one.
  public var count: Int

  /// Creates the first one.
  public init(time: UInt64, asked: Double, nearest: Double, count: Int = 1) {
    self.time = time
    self.asked = asked
    self.nearest = nearest
    self.count = count
  }
}

/// The values that a part could not express so far, in C, Pa and %RH; `nil` where it could express everything.
public typealias Saturations = PerQuantity<Saturation?>
