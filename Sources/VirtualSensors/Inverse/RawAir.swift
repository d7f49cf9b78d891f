import BME280

/// What a part with some calibration reads in some air, without noise.
struct RawAir {
  let calibration: Calibration

  /// The temperature code nearest to a temperature in C, and the fine temperature of that code.
  func temperature(_ celsius: Double, step: Int32) -> CodeSearch.Result {
    CodeSearch(range: 1 << 20, step: step, grain: 16).nearest(to: celsius) { code in
      Double(IntegerCompensation<Shifting>.fineTemperature(code, calibration)) / 5120
    }
  }

  /// The pressure code nearest to a pressure in Pa, at a fine temperature.
  func pressure(_ pascals: Double, fine: Int32, step: Int32) -> CodeSearch.Result {
    CodeSearch(range: 1 << 20, step: step, grain: 1).nearest(to: pascals) { code in
      Double(IntegerCompensation<Shifting>.pressure64(code, fine: fine, calibration) ?? 0) / 256
    }
  }

  /// The humidity code nearest to a relative humidity in %, at a fine temperature.
  func humidity(_ percent: Double, fine: Int32) -> CodeSearch.Result {
    CodeSearch(range: 1 << 16, step: 1, grain: 1).nearest(to: percent) { code in
      Double(IntegerCompensation<Shifting>.humidity(code, fine: fine, calibration)) / 1024
    }
  }

  /// The fine temperature of a temperature code.
  func fineTemperature(of code: Int32) -> Int32 {
    IntegerCompensation<Shifting>.fineTemperature(code, calibration)
  }
}
