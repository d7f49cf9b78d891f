import BME280

/// The calibration of a part that a scenario is about.
struct Part: Sendable {
  let calibration: Calibration

  /// A real part (published with the tests of periph.io's bmxx80 driver).
  static let real = Part(words())
  /// H4 and H5 share 0xE5 with different nibbles, as 22 of 31 known parts.
  static let packed = Part(words { $0.h5 = 50 })
  static let negativeH4 = Part(words { ($0.h4, $0.h5) = (-29, 50) })
  static let negativeH5 = Part(words { $0.h5 = -431 })
  static let negativeH6 = Part(words { $0.h6 = -60 })
  static let largeH3 = Part(words { ($0.h3, $0.h6) = (255, 100) })
  static let largeH1 = Part(words { $0.h1 = 255 })
  static let negativeH2 = Part(words { ($0.h2, $0.h4) = (-366, 1000) })
  static let negativeT3 = Part(words { $0.t3 = -4000 })
  /// Every word of temperature and pressure has the sign, or the highest bit, that real parts do not have.
  static let signs = Part(
    words {
      $0.t1 = 33_000
      ($0.p2, $0.p3, $0.p4, $0.p5) = (10_000, -3024, -3000, 150)
      ($0.p6, $0.p7, $0.p8, $0.p9) = (200, -9900, 10_230, -4285)
    })

  init(_ calibration: Calibration) { self.calibration = calibration }

  /// The words of a real part, some of them changed.
  private struct Words {
    var t1: UInt16 = 28_176, t2: Int16 = 26_220, t3: Int16 = 50
    var p1: UInt16 = 38_237, p2: Int16 = -10_824, p3: Int16 = 3024, p4: Int16 = 7799
    var p5: Int16 = -99, p6: Int16 = -7, p7: Int16 = 9900, p8: Int16 = -10_230, p9: Int16 = 4285
    var h1: UInt8 = 75, h2: Int16 = 366, h3: UInt8 = 0, h4: Int16 = 309, h5: Int16 = 0
    var h6: Int8 = 30
  }

  private static func words(_ change: (inout Words) -> Void = { _ in }) -> Calibration {
    var words = Words()
    change(&words)
    return Calibration(
      t1: words.t1, t2: words.t2, t3: words.t3, p1: words.p1, p2: words.p2, p3: words.p3,
      p4: words.p4, p5: words.p5, p6: words.p6, p7: words.p7, p8: words.p8, p9: words.p9,
      h1: words.h1, h2: words.h2, h3: words.h3, h4: words.h4, h5: words.h5, h6: words.h6)
  }

  /// The bytes of the registers 0x88 to 0xA1, then 0xE1 to 0xE7.
  var bytes: [UInt8] {
    let words = calibration
    let lower: [Int] = [
      Int(words.t1), Int(words.t2), Int(words.t3), Int(words.p1), Int(words.p2), Int(words.p3),
      Int(words.p4), Int(words.p5), Int(words.p6), Int(words.p7), Int(words.p8), Int(words.p9),
    ]
    func byte(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: value) }
    let (h2, h4, h5) = (Int(words.h2), Int(words.h4), Int(words.h5))
    return lower.flatMap { [byte($0), byte($0 >> 8)] } + [0, words.h1]
      + [
        byte(h2), byte(h2 >> 8), words.h3, byte(h4 >> 4), byte(h4 & 0xF | (h5 & 0xF) << 4),
        byte(h5 >> 4), byte(Int(words.h6)),
      ]
  }
}
