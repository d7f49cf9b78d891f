/// A reproducible random generator for property tests; its seed is printed.
///
/// `ANEROID_TEST_SEED=N` repeats a run with the seed that an earlier run printed.
public struct Seeded: RandomNumberGenerator {
  /// The seed of the run.
  public let seed: UInt64
  private var state: UInt64

  /// Creates a generator for a test and prints its seed.
  public init(_ purpose: String) {
    let given = TestVariable.text("ANEROID_TEST_SEED").flatMap { UInt64($0) }
    seed = given ?? UInt64.random(in: 0...UInt64.max)
    state = seed
    print("\(purpose): ANEROID_TEST_SEED=\(seed)")
  }

  /// Returns the next 64 bits (SplitMix64).
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
