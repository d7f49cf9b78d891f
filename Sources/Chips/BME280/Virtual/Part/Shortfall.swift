/// A value of the air that the part's calibration cannot express.
public struct Shortfall: Hashable, Sendable {
  /// When it was first met, in nanoseconds since the start of the run.
  public let time: UInt64
  /// What the air was, in C, Pa or %RH.
  public let asked: Double
  /// The nearest value that some code of the converter compensates to.
  public let nearest: Double
  /// How many conversions met one.
  public internal(set) var count: Int
}

/// The values that a part could not express so far, by channel.
public struct Shortfalls: Hashable, Sendable {
  /// Of temperature, in C.
  public internal(set) var temperature: Shortfall?
  /// Of pressure, in Pa.
  public internal(set) var pressure: Shortfall?
  /// Of humidity, in %RH.
  public internal(set) var humidity: Shortfall?

  /// Makes the record of a part that could express everything so far.
  public init() {}
}

extension Shortfall {
  /// Adds what a search found that did not reach the wanted value.
  static func add(
    to shortfall: inout Shortfall?, _ result: CodeSearch.Result, wanted: Double, at time: UInt64
  ) {
    if shortfall != nil {
      shortfall?.count += 1
    } else {
      shortfall = Shortfall(time: time, asked: wanted, nearest: result.value, count: 1)
    }
  }
}
