package import I2CTrace

/// Listens to a program and one part while they talk, in constant memory.
package struct LiveConversation {
  /// Classes that a real part punishes, with wrong or old data or with settings that are lost; the worst first.
  private static let punished = [
    "B24", "B25", "B26", "B09", "B21", "B29", "B22", "B23", "B30", "B37", "B33", "B34", "B27",
    "B32",
  ]

  private var checker: ProtocolChecker

  /// Creates a listener.
  ///
  /// - Parameter longestRead: how many bytes the adapter reads at once; 0 for any number.
  package init(longestRead: Int) {
    checker = ProtocolChecker(longestRead: longestRead, hasTimes: true)
  }

  /// Takes what has happened.
  package mutating func take(_ transfer: TracedTransfer) { checker.take(transfer) }

  /// The worst of what was wrong, with how often, and how many other kinds of mistakes there were.
  ///
  /// - Returns: `nil` where nothing was, or of a program that dumps all registers.
  package mutating func worst() -> (sentence: String, others: Int)? {
    guard !checker.isDump else { return nil }
    checker.finish()
    let heard = checker.findings.filter { $0.classID.map(Self.punished.contains) ?? false }
    let worst = Self.punished.lazy.compactMap { id in heard.first { $0.classID == id } }.first
    guard let worst else { return nil }
    let count = heard.filter { $0.kind == worst.kind && $0.classID == worst.classID }
      .reduce(0) { $0 + $1.count }
    let kinds = Set(heard.map { [$0.classID, $0.kind] })
    let times = count == 1 ? "once" : "\(count) times"
    return ("\(worst.sentence) (\(times))", kinds.count - 1)
  }
}
