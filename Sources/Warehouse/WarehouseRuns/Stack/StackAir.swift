import Environment

/// The air at a tag's place.
public struct StackAir: Sendable {
  let course: WarehouseRig.Course
  let warmer, wetter: Double

  /// The air at a time in nanoseconds since the start; before it, that of the start.
  ///
  /// - Returns: the temperature in °C and the relative humidity in %.
  public func at(_ time: Int64) -> (celsius: Double, percent: Double) {
    let time = max(time, 0)
    return (
      course.temperature.value(at: time) + warmer,
      min(max(course.humidity.value(at: time) + wetter, 0), 100)
    )
  }
}
