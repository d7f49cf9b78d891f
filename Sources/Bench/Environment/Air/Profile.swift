/// The course of one quantity over time, given by points.
public struct Profile: Sendable {
  /// What the quantity does between two points.
  public enum Interpolation: Sendable {
    /// It goes in a straight line.
    case linear
    /// It stays until the next point.
    case held
  }

  /// One point of the course.
  public struct Point: Hashable, Sendable {
    /// Nanoseconds since the start of the run; may lie before it.
    public var time: Int64
    /// The value then.
    public var value: Double

    /// Creates a point.
    public init(time: Int64, value: Double) {
      self.time = time
      self.value = value
    }
  }

  /// The points in order of time, at least one.
  public let points: [Point]
  /// What the quantity does between two points.
  public let interpolation: Interpolation

  /// Creates a course; before the first point and after the last their values hold.
  public init(_ points: [Point], interpolation: Interpolation = .linear) {
    precondition(!points.isEmpty, "a track needs a point")
    self.points = points
    self.interpolation = interpolation
  }

  /// Creates a course that never changes.
  public init(constant value: Double) {
    self.init([Point(time: 0, value: value)])
  }

  /// The value at a time in nanoseconds since the start of the run.
  public func value(at time: Int64) -> Double {
    var (low, high) = (0, points.count)
    while low < high {
      let middle = (low + high) / 2
      if points[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return points[0].value }
    let before = points[low - 1]
    guard low < points.count, interpolation == .linear else { return before.value }
    let after = points[low]
    let share = Double(time - before.time) / Double(after.time - before.time)
    return before.value + (after.value - before.value) * share
  }
}
