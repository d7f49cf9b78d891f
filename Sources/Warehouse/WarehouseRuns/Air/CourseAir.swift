import Environment

/// The air at a tag's place.
final class CourseAir: AirSource {
  private let course: WarehouseRig.Course
  private let warmer, wetter: Double
  /// The pressure, which no rig of a warehouse asks for, in Pa.
  private static let pressure = 101_325.0

  init(_ course: WarehouseRig.Course, warmer: Double, wetter: Double) {
    (self.course, self.warmer, self.wetter) = (course, warmer, wetter)
  }

  func air(at time: UInt64) -> Air {
    let time = Int64(clamping: time)
    return Air(
      pressure: Self.pressure, temperature: course.temperature.value(at: time) + warmer,
      humidity: min(max(course.humidity.value(at: time) + wetter, 0), 100))
  }
}
