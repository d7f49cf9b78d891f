import Foundation

/// How often tests repeat what chance decides: a little always, a lot behind `Tests/run --long`.
public enum Repetitions {
  /// Whether much time may be taken.
  public static let areMany = ProcessInfo.processInfo.environment["ANEROID_TEST_LONG"] == "1"

  /// How often.
  public static func count(_ few: Int, long many: Int) -> Int { areMany ? many : few }

  /// Mutations of each form of file.
  public static let mutations = count(1000, long: 20_000)

  /// Programs killed in the middle of what they write.
  public static let kills = count(4, long: 200)
}
