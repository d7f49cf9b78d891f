import BME280

/// The calibration of a part that a scenario is about.
struct Part: Sendable {
  let calibration: Calibration

  /// A real part (published with the tests of periph.io's bmxx80 driver).
  static let real = Part(
    Calibration(
      t1: 28_176, t2: 26_220, t3: 50, p1: 38_237, p2: -10_824, p3: 3024, p4: 7799, p5: -99, p6: -7,
      p7: 9900, p8: -10_230, p9: 4285, h1: 75, h2: 366, h3: 0, h4: 309, h5: 0, h6: 30))
  /// H4 and H5 share 0xE5 with different nibbles, as 22 of 31 known parts.
  static let packed = Part { $0.h5 = 50 }
  static let negativeH4 = Part { ($0.h4, $0.h5) = (-29, 50) }
  static let negativeH5 = Part { $0.h5 = -431 }
  static let negativeH6 = Part { $0.h6 = -60 }
  static let largeH3 = Part { ($0.h3, $0.h6) = (255, 100) }
  static let largeH1 = Part { $0.h1 = 255 }
  static let negativeH2 = Part { ($0.h2, $0.h4) = (-366, 1000) }
  static let negativeT3 = Part { $0.t3 = -4000 }
  /// Every word of temperature and pressure has the sign, or the highest bit, that real parts do not have.
  static let signs = Part {
    $0.t1 = 33_000
    ($0.p2, $0.p3, $0.p4, $0.p5) = (10_000, -3024, -3000, 150)
    ($0.p6, $0.p7, $0.p8, $0.p9) = (200, -9900, 10_230, -4285)
  }

  init(_ calibration: Calibration) { self.calibration = calibration }

  /// The real part, some of its words changed.
  private init(_ change: (inout Calibration) -> Void) {
    var words = Self.real.calibration
    change(&words)
    calibration = words
  }
}
