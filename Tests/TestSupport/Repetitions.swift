import Foundation

/// The number of repetitions of random tests: small by default, large with `Tests/run --long`.
public enum Repetitions {
  /// Whether this is a long run.
  public static let areMany = ProcessInfo.processInfo.environment["ANEROID_TEST_LONG"] == "1"

  /// Returns the number of repetitions.
  public static func count(_ few: Int, long many: Int) -> Int { areMany ? many : few }

  /// The number of mutations of each file format.
  public static let mutations = count(1000, long: 20_000)

  /// The number of programs killed in the middle of a write.
  public static let kills = count(4, long: 200)
}
