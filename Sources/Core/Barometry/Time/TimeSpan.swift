/// Lengths of time in nanoseconds, the unit of every clock and history here.
public enum TimeSpan {
  /// One second.
  @inlinable public static var second: Int64 { 1_000_000_000 }
  /// One minute.
  @inlinable public static var minute: Int64 { 60 * second }
  /// One hour.
  @inlinable public static var hour: Int64 { 60 * minute }

  /// A length of time in hours.
  @inlinable
  public static func hours(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / Double(hour) }
}
