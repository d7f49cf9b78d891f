/// The recent pressures of a station, oldest first, bounded in age and number.
public struct PressureHistory: Hashable, Sendable {
  /// Why a point was not taken.
  public enum AppendError: Error, Hashable, Sendable {
    /// It is not younger than the last point.
    case outOfOrder
    /// Its pressure is not a positive finite number.
    case notAPressure
    /// Its time is further from 1970 than ``latest``.
    case notATime
  }

  /// The most points that are kept, whatever their age.
  public static var capacity: Int { 100_000 }

  /// The latest time that is taken, in nanoseconds since 1970; the earliest is as long before.
  ///
  /// Two times are then never further apart than a number holds.
  public static var latest: Int64 { Int64.max / 4 }

  /// How old a point may become, in nanoseconds.
  public let retention: Int64

  /// The points, oldest first.
  public private(set) var points: [PressurePoint] = []

  /// Creates an empty history; the thesis keeps two hours.
  public init(retention: Int64 = 2 * TimeSpan.hour) {
    self.retention = retention
  }

  /// Drops what is older than the retention; a point exactly as old stays.
  public mutating func dropExpired(at now: Int64) {
    let expired = points.prefix { now - $0.time > retention }
    if !expired.isEmpty { points.removeFirst(expired.count) }
  }

  /// Takes one more point.
  ///
  /// - Throws: ``AppendError``; the history is then unchanged.
  public mutating func append(_ point: PressurePoint) throws(AppendError) {
    guard point.pascals.isFinite, point.pascals > 0 else { throw .notAPressure }
    guard (-Self.latest...Self.latest).contains(point.time) else { throw .notATime }
    if let last = points.last, point.time <= last.time { throw .outOfOrder }
    if points.count == Self.capacity { points.removeFirst() }
    points.append(point)
  }

  /// The youngest run of points in which no two neighbours are further apart than `gap`.
  public func latestRun(withoutGapsOver gap: Int64) -> ArraySlice<PressurePoint> {
    var start = points.endIndex
    while start > points.startIndex {
      if start < points.endIndex, points[start].time - points[start - 1].time > gap { break }
      start -= 1
    }
    return points[start...]
  }

  /// The pressure at a time, in a straight line between its neighbours.
  ///
  /// - Parameters:
  ///   - time: the time, in nanoseconds since 1970.
  ///   - gap: how far apart the neighbours may be.
  /// - Returns: Pa; nothing outside of the history or within a longer gap.
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
