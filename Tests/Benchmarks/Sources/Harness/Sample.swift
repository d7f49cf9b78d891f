package import BME280

/// What is compensated: a part and some thousand register values.
package enum Sample {
  package static let calibration = Calibration(
    t1: 28_176, t2: 26_220, t3: 50, p1: 38_237, p2: -10_824, p3: 3024, p4: 7799, p5: -99, p6: -7,
    p7: 9900, p8: -10_230, p9: 4285, h1: 75, h2: 366, h3: 0, h4: 309, h5: 0, h6: 30)

  package static let count = 10_000

  package static let raws: [RawMeasurement] = {
    var generator = Steps()
    return (0..<count).map { _ in
      RawMeasurement(
        temperature: Int32.random(in: 400_000...600_000, using: &generator),
        pressure: Int32.random(in: 250_000...400_000, using: &generator),
        humidity: Int32.random(in: 20_000...40_000, using: &generator))
    }
  }()

  /// The register values as C takes them: temperature, pressure and humidity of each row.
  package static var triples: [Int32] {
    raws.flatMap { [$0.temperature, $0.pressure, $0.humidity] }
  }

  /// A reproducible source of randomness (SplitMix64).
  private struct Steps: RandomNumberGenerator {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
  }
}
