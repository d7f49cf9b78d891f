import BME280

/// What a part with some calibration reads in some air, without noise.
struct RawAir: Hashable {
  private let calibration: Calibration
  /// What each formula does as the code rises; those of every real part never turn.
  private let temperatureCourse, pressureCourse, humidityCourse: CodeSearch.Course

  /// The fine temperatures of -60, 22.5 and 105 C: what all have in common holds between them.
  private static let climates: [Int32] = [-307_200, 115_200, 537_600]

  init(calibration: Calibration) {
    self.calibration = calibration
    let wide = CodeSearch(range: 1 << 20, step: 16)
    let narrow = CodeSearch(range: 1 << 16)
    temperatureCourse = wide.course {
      Double(IntegerCompensation<Shifting>.fineTemperature($0, calibration))
    }
    pressureCourse = Self.inAllClimates { fine in
      wide.course { Self.pascals($0, fine, calibration) }
    }
    humidityCourse = Self.inAllClimates { fine in
      narrow.course { Self.percent($0, fine, calibration) }
    }
  }

  private static func inAllClimates(_ course: (Int32) -> CodeSearch.Course) -> CodeSearch.Course {
    let courses = climates.map(course)
    return courses.allSatisfy { $0 == courses[0] } ? courses[0] : .turning
  }

  /// The temperature code nearest to a temperature in C.
  func temperature(_ celsius: Double, step: Int32) -> CodeSearch.Result {
    var found = CodeSearch(range: 1 << 20, step: step, grain: 16).nearest(
      to: celsius * 5120, temperatureCourse,
      smooth: { DoubleCompensation.fineTemperature($0, calibration) },
      { Double(fineTemperature(of: $0)) })
    found.value /= 5120
    return found
  }

  /// The pressure code nearest to a pressure in Pa, at a fine temperature.
  func pressure(_ pascals: Double, fine: Int32, step: Int32) -> CodeSearch.Result {
    let (sensitivity, offset) = DoubleCompensation.pressureTerms(fine: fine, calibration)
    return CodeSearch(range: 1 << 20, step: step).nearest(
      to: pascals, pressureCourse,
      smooth: {
        DoubleCompensation.pressure($0, sensitivity: sensitivity, offset: offset, calibration)
      },
      { Self.pascals($0, fine, calibration) })
  }

  /// The humidity code nearest to a relative humidity in %, at a fine temperature.
  func humidity(_ percent: Double, fine: Int32) -> CodeSearch.Result {
    CodeSearch(range: 1 << 16).nearest(
      to: percent, humidityCourse,
      smooth: {
        DoubleCompensation.humidity($0, fine: fine, calibration, curvatureTwice: false)
      },
      { Self.percent($0, fine, calibration) })
  }

  /// The fine temperature of a temperature code.
  func fineTemperature(of code: Int32) -> Int32 {
    IntegerCompensation<Shifting>.fineTemperature(code, calibration)
  }

  @inline(__always)
  private static func pascals(_ code: Int32, _ fine: Int32, _ calibration: Calibration) -> Double {
    Double(IntegerCompensation<Shifting>.pressure64(code, fine: fine, calibration) ?? 0) / 256
  }

  @inline(__always)
  private static func percent(_ code: Int32, _ fine: Int32, _ calibration: Calibration) -> Double {
    Double(IntegerCompensation<Shifting>.humidity(code, fine: fine, calibration)) / 1024
  }
}
