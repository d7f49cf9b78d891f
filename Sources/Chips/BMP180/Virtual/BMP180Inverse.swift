/// The codes that a BMP180's formulas turn into a temperature and a pressure, found with the formulas alone.
struct BMP180Inverse: Hashable {
  private let calibration: BMP180Calibration
  /// The least code of the temperature from which on the formula rises.
  private let leastTemperature: Int32

  /// Looks where the formula of a calibration rises.
  init(_ calibration: BMP180Calibration) {
    self.calibration = calibration
    // Below its pole the formula of the temperature has another branch.
    leastTemperature = Self.first(from: 0, to: 0xFFFF) { code in
      ((Int64(code) - Int64(calibration.ac6)) * Int64(calibration.ac5)) >> 15
        + Int64(calibration.md) > 0
    }
  }

  /// The code of the temperature whose value is nearest to one in °C.
  func temperature(_ celsius: Double) -> Int32 {
    nearest(to: celsius * 160, from: leastTemperature, to: 0xFFFF) {
      Double(calibration.fineTemperature($0) ?? .min)
    }
  }

  /// The code of the pressure whose value is nearest to one in Pa, at a temperature.
  func pressure(_ pascals: Double, _ oversampling: BMP180Oversampling, fine: Int32) -> Int32 {
    nearest(to: pascals, from: 0, to: 1 << Int32(oversampling.bits) - 1) {
      Double(calibration.pascals($0, oversampling, fine: fine) ?? .min)
    }
  }

  private func nearest(
    to wanted: Double, from least: Int32, to most: Int32, _ value: (Int32) -> Double
  ) -> Int32 {
    let above = Self.first(from: least, to: most) { value($0) >= wanted }
    guard above > least, wanted - value(above - 1) < abs(value(above) - wanted) else {
      return above
    }
    return above - 1
  }

  /// The first code of which something is true that stays true; the last where it is of none.
  private static func first(from least: Int32, to most: Int32, _ isTrue: (Int32) -> Bool) -> Int32 {
    var (low, high) = (least, most)
    while low < high {
      let middle = low + (high - low) / 2
      if isTrue(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
