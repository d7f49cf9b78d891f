import CMath
import Quantities

/// A fall from one sample to the next that no scatter explains: it proves a leak at once.
public struct SuddenFall: Hashable, Sendable {
  /// By how much the pressure fell, in Pa, and in how many seconds.
  public let fall: Double, time: Double
  /// How many seconds were left at most until the limit at its second sample: the hole may have opened just before that.
  ///
  /// The pressure falls on as fast as it did, or ever more slowly as the air that is left cools: whichever takes longer.
  public let most: Double
  /// When that sample was taken, in seconds.
  let moment: Double

  /// How many seconds are left at most at a moment in seconds.
  func left(at now: Double) -> Double { max(most - max(now - moment, 0), 0) }

  /// The least fall in Pa that proves anything: 3 mmHg, far more than any sensor scatters or a hatch opens against.
  static var least: Double { 3 * PressureUnit.millimetreOfMercury.pascals }
  /// How many standard deviations of a difference it must have.
  static let significance = 12.0
  /// How fast in Pa/s it must be at least, as for the shortest window.
  static let slowest = 2.2

  /// A sample without its filter, and its pressure at constant temperature.
  struct Level: Hashable, Sendable {
    /// When, in seconds.
    let time: Double
    /// In Pa.
    let pressure: Double, corrected: Double
  }

  /// Creates what lies between two samples.
  ///
  /// Both the pressure and the pressure at constant temperature must have fallen: a sensor that is warmed by a hand is no
  /// leak, and neither is a cabin that cools. It is `nil` where nothing is proven.
  ///
  /// - Parameters:
  ///   - before: the first sample.
  ///   - now: the second.
  ///   - deviation: the scatter of logarithms, as far as it is known.
  ///   - expected: which fall of the logarithm a second is known already.
  ///   - limit: the pressure in Pa at which the crew must leave.
  init?(
    from before: Level, to now: Level, deviation: Double?, expected: Double, limit: Double
  ) {
    let time = now.time - before.time
    let least = max(
      Self.least, Self.slowest * time,
      Self.significance * 1.4143 * (deviation ?? 0) * before.pressure)
    let fall = min(before.pressure - now.pressure, before.corrected - now.corrected)
    guard time > 0, fall - expected * time * before.pressure > least else { return nil }
    (self.fall, self.time, moment) = (before.pressure - now.pressure, time, now.time)
    // Air that takes up no heat falls ever more slowly, P = P0 (1 + t / 5 tau)^-7: on from the same curve, the slowest way.
    func root(_ ratio: Double) -> Double { exp(log(ratio) / 7) }
    let (fallen, left) = (root(before.pressure / now.pressure), root(now.pressure / limit))
    most = now.pressure > limit ? time * fallen * (left - 1) / (fallen - 1) : 0
  }

  /// Whether a sample shows that there was no fall: one wrong sample, and all is as before.
  static func isRefuted(_ before: Level, by now: Level) -> Bool {
    now.corrected > before.corrected - least / 2
  }
}
