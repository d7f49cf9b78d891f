import BME280

/// What a part with some calibration reads in some air, without noise.
struct RawAir: Hashable {
  private let calibration: Calibration
  /// Whether each formula rises or falls throughout, as that of every real part does.
  private let isTemperatureMonotonic: Bool
  private let isPressureMonotonic: Bool
  private let isHumidityMonotonic: Bool

  /// The fine temperatures of -60, 22.5 and 105 C, between which a turning point shows.
  private static let climates: [Int32] = [-307_200, 115_200, 537_600]

  init(calibration: Calibration) {
    self.calibration = calibration
    let (wide, narrow) = (
      CodeSearch(range: 1 << 20, step: 16, grain: 16), CodeSearch(range: 1 << 16, step: 1, grain: 1)
    )
    isTemperatureMonotonic = wide.isMonotonic { Self.celsius($0, calibration) }
    isPressureMonotonic = Self.climates.allSatisfy { fine in
      wide.isMonotonic { Self.pascals($0, fine, calibration) }
    }
    isHumidityMonotonic = Self.climates.allSatisfy { fine in
      narrow.isMonotonic { Self.percent($0, fine, calibration) }
    }
  }

  /// The temperature code nearest to a temperature in C.
  func temperature(_ celsius: Double, step: Int32) -> CodeSearch.Result {
    CodeSearch(range: 1 << 20, step: step, grain: 16)
      .nearest(to: celsius, isMonotonic: isTemperatureMonotonic) { Self.celsius($0, calibration) }
  }

  /// The pressure code nearest to a pressure in Pa, at a fine temperature.
  func pressure(_ pascals: Double, fine: Int32, step: Int32) -> CodeSearch.Result {
    CodeSearch(range: 1 << 20, step: step, grain: 1)
      .nearest(to: pascals, isMonotonic: isPressureMonotonic) {
        Self.pascals($0, fine, calibration)
      }
  }

  /// The humidity code nearest to a relative humidity in %, at a fine temperature.
  func humidity(_ percent: Double, fine: Int32) -> CodeSearch.Result {
    CodeSearch(range: 1 << 16, step: 1, grain: 1)
      .nearest(to: percent, isMonotonic: isHumidityMonotonic) {
        Self.percent($0, fine, calibration)
      }
  }

  /// The fine temperature of a temperature code.
  func fineTemperature(of code: Int32) -> Int32 {
    IntegerCompensation<Shifting>.fineTemperature(code, calibration)
  }

  @inline(__always)
  private static func celsius(_ code: Int32, _ calibration: Calibration) -> Double {
    Double(IntegerCompensation<Shifting>.fineTemperature(code, calibration)) / 5120
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
