import BME280
import TestSupport

/// Calibrations and data registers for tests.
enum Part {
  /// Returns a realistic part: each word in the range of real parts.
  static func random(_ generator: inout Seeded) -> Calibration {
    let isOlder = Bool.random(using: &generator)
    return Calibration(
      t1: .random(in: 27600...29000, using: &generator),
      t2: .random(in: 25900...27250, using: &generator), t3: 50,
      p1: .random(in: 35300...38250, using: &generator),
      p2: .random(in: -10970 ... -10430, using: &generator), p3: 3024,
      p4: .random(in: 5290...11350, using: &generator),
      p5: .random(in: -300...190, using: &generator), p6: -7,
      p7: isOlder ? 9900 : 12300, p8: isOlder ? -10230 : -12000, p9: isOlder ? 4285 : 5000,
      h1: 75, h2: .random(in: 330...395, using: &generator), h3: 0,
      h4: .random(in: 245...400, using: &generator), h5: Bool.random(using: &generator) ? 50 : 0,
      h6: 30)
  }

  /// A part that reveals all defects: negative H4, H5 and T3, non-zero H3, low bytes of both kinds, negative P9 and
  /// H6.
  static let adversarial = Calibration(
    t1: 28009, t2: 25654, t3: -1000, p1: 39145, p2: -10750, p3: 3024, p4: 5667, p5: -120, p6: -7,
    p7: 15500, p8: -14600, p9: -6000, h1: 75, h2: 370, h3: 221, h4: -29, h5: -431, h6: -30)

  /// Returns a BMP280 with some words.
  static func words(t: [Int], p: [Int]) -> Calibration {
    Calibration(
      t1: UInt16(t[0]), t2: Int16(t[1]), t3: Int16(t[2]), p1: UInt16(p[0]), p2: Int16(p[1]),
      p3: Int16(p[2]), p4: Int16(p[3]), p5: Int16(p[4]), p6: Int16(p[5]), p7: Int16(p[6]),
      p8: Int16(p[7]), p9: Int16(p[8]), h1: 0, h2: 0, h3: 0, h4: 0, h5: 0, h6: 0)
  }

  /// Returns the registers 0xF7 to 0xFE with some raw values.
  static func bytes(_ raw: RawMeasurement) -> [UInt8] {
    func three(_ code: Int32) -> [UInt8] {
      [UInt8(code >> 12), UInt8(code >> 4 & 0xFF), UInt8((code & 0xF) << 4)]
    }
    return three(raw.pressure) + three(raw.temperature)
      + [UInt8(raw.humidity >> 8), UInt8(raw.humidity & 0xFF)]
  }
}
