/// The recent pressures of a station, oldest first.
///
/// Their age and number are limited.
public struct PressureHistory: Hashable, Sendable {
  /// The reasons for which a point is rejected.
  public enum AppendError: Error, Hashable, Sendable {
    /// The point is not newer than the last point.
    case outOfOrder
    /// The pressure is not a positive finite number.
    case notAPressure
    /// The time is further from 1970 than `latest`.
    case notATime
  }

  /// The maximum number of points, regardless of their age.
  public static var capacity: Int { 100_000 }

  /// The latest accepted time in nanoseconds since 1970; the earliest accepted time is the negative
  /// of this value.
  ///
  /// Differences of two accepted times fit in 64 bits.
  public static var latest: Int64 { Int64.max / 4 }

  /// The maximum age of a point, in nanoseconds.
  public let retention: Int64

  /// The points, oldest first.
  public private(set) var points: [PressurePoint] = []

  /// Creates an empty history.
  ///
  /// Default: points are kept for two hours, as in the thesis.
  public init(retention: Int64 = 2 * TimeSpan.hour) {
    self.retention = retention
  }

  /// Removes points older than the maximum age; a point of exactly that age is kept.
  public mutating func dropExpired(at now: Int64) {
    let expired = points.prefix { now - $0.time > retention }
    if !expired.isEmpty { points.removeFirst(expired.count) }
  }

  /// Appends a point.
  ///
  /// - Throws: `AppendError` if the point is rejected; the history is then unchanged.
  public mutating func append(_ point: PressurePoint) throws(AppendError) {
    guard point.pascals.isFinite, point.pascals > 0 else { throw .notAPressure }
    guard (-Self.latest...Self.latest).contains(point.time) else { throw .notATime }
    if let last = points.last, point.time <= last.time { throw .outOfOrder }
    if points.count == Self.capacity { points.removeFirst() }
    points.append(point)
  }

  /// Returns the newest points, back to the last gap longer than `gap` nanoseconds.
  public func latestRun(withoutGapsOver gap: Int64) -> ArraySlice<PressurePoint> {
    var start = points.endIndex
    while start > points.startIndex {
      if start < points.endIndex, points[start].time - points[start - 1].time > gap { break }
      start -= 1
    }
    return points[start...]
  }

  /// Returns the pressure at a time, by linear interpolation.
  ///
  /// - Parameters:
  ///   - time: the time in nanoseconds since 1970.
  ///   - gap: the longest gap over which to interpolate, in nanoseconds.
  /// - Returns: the pressure in Pa; `nil` if the time is outside the history or in a longer gap.
  public func pressure(at time: Int64, withoutGapsOver gap: Int64) -> Double? {
    var index = points.endIndex
    while index > points.startIndex, points[index - 1].time > time { index -= 1 }
    guard index > points.startIndex else { return nil }
    let before = points[index - 1]
    if before.time == time { return before.pascals }
    guard index < points.endIndex, points[index].time - before.time <= gap else { return nil }
    let share = Double(time - before.time) / Double(points[index].time - before.time)
    return before.pascals + (points[index].pascals - before.pascals) * share
  }
}

/// A stored pressure: the average of some samples, with the time at which the first of them was
/// triggered.
public struct PressurePoint: Hashable, Sendable {
  /// The time in nanoseconds since 1970-01-01T00:00:00Z.
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

/// Durations in nanoseconds, the unit of all clocks and histories.
public enum TimeSpan {
  /// One second.
  @inlinable public static var second: Int64 { 1_000_000_000 }
  /// One minute.
  @inlinable public static var minute: Int64 { 60 * second }
  /// One hour.
  @inlinable public static var hour: Int64 { 60 * minute }

  /// Converts a duration to hours.
  @inlinable
  public static func hours(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / Double(hour) }
}
