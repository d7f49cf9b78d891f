/// One stored pressure: an average over some samples, and when the first of them was triggered.
public struct PressurePoint: Hashable, Sendable {
  /// Nanoseconds since 1970-01-01T00:00:00Z.
  public var time: Int64
  /// The pressure in Pa.
  public var pascals: Double

  /// Creates a point.
  @inlinable
  public init(time: Int64, pascals: Double) {
    self.time = time
    self.pascals = pascals
  }
}
