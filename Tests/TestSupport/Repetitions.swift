import Glibc

/// The number of repetitions of random tests: small by default, large with `Tests/run --long`.
public enum Repetitions {
  /// Whether this is a long run.
  public static let areMany = TestVariable.text("ANEROID_TEST_LONG") == "1"

  /// Returns the number of repetitions.
  public static func count(_ few: Int, long many: Int) -> Int { areMany ? many : few }

  /// The number of mutations of each file format.
  public static let mutations = count(1000, long: 20_000)

  /// The number of programs killed in the middle of a write.
  public static let kills = count(4, long: 200)
}

/// The variables of the environment that control tests.
enum TestVariable {
  /// Returns the value of a variable; `nil` if it is not set.
  static func text(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
