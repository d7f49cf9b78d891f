import BME280
import VirtualI2C
import VirtualParts

/// The oscillator of a part, from which all its times come.
struct Oscillator {
  /// Which times it makes.
  let timing: PartTiming
  /// By how much of themselves its times are longer than nominal, at most a quarter either way.
  let error: Double

  /// The typical error of the standby time, and the largest (DS 1.1).
  private static var typicalError: Double { 0.05 }
  private static var largestError: Double { 0.25 }

  /// Creates the oscillator of a part; a drawn one has the error of its seed.
  init(_ timing: PartTiming, seed: UInt64) {
    self.timing = timing
    switch timing {
    case .typical: error = 0
    case .maximum: error = Self.largestError
    case .drawn:
      var chance = SeededGenerator(seed: seed, stream: .max)
      let drawn = chance.gaussian() * Self.typicalError
      error = min(max(drawn, -Self.largestError), Self.largestError)
    }
  }

  /// The time of a conversion in nanoseconds; none takes longer than the longest (DS 9.1).
  func conversionTime(typical: UInt64, longest: UInt64) -> UInt64 {
    timing == .typical ? typical : min(scaled(typical), longest)
  }

  /// The time of a pause in nanoseconds.
  func standbyTime(nominal: UInt64) -> UInt64 {
    timing == .typical ? nominal : scaled(nominal)
  }

  private func scaled(_ time: UInt64) -> UInt64 { UInt64(Double(time) * (1 + error)) }
}
