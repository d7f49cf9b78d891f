import I2C
import I2CTrace
package import Support

/// A comparison of two traces, transfer by transfer, with constant memory use.
///
/// After a difference the comparison searches for the next transfer that is in both traces, so an
/// additional transfer counts as one difference.
package struct TraceDifference {
  /// The number of transfers that are searched for the next match after a difference.
  package static let window = 64

  /// The number of transfers that are equal in both traces.
  package private(set) var alike = 0
  /// The number of transfers that are only in the first trace, and only in the second trace.
  package private(set) var onlyFirst = 0, onlySecond = 0
  /// The largest difference between the times of matching transfers, in nanoseconds.
  package private(set) var timeDifference: UInt64 = 0

  /// The number of matching requests with different responses.
  ///
  /// It is 0 unless responses are compared separately from requests.
  package private(set) var differentResponses = 0

  private var first: Side
  private var second: Side
  private let separatesResponses: Bool
  private let print: (String) -> Void
  private var hasShown = false

  /// One of the two traces, with its buffered transfers.
  private struct Side {
    var input: TraceInput
    var ahead: [(line: Int, transfer: TracedTransfer)] = []
    var isOver = false

    /// Reads ahead until `count` transfers are buffered or the trace ends.
    mutating func fill(_ count: Int) throws(Failure) {
      while ahead.count < count, !isOver {
        do {
          guard let next = try input.next() else {
            isOver = true
            return
          }
          ahead.append(next)
        } catch let failure as Failure {
          throw failure
        } catch {
          isOver = true
        }
      }
    }
  }

  /// Prepares a comparison.
  ///
  /// - Parameters:
  ///   - first: the first trace.
  ///   - second: the second trace.
  ///   - separatesResponses: `true` if equal requests match whatever their responses. Default:
  ///     `false`.
  ///   - print: the closure called with each line of the result.
  package init(
    _ first: TraceInput, _ second: TraceInput, separatesResponses: Bool = false,
    to print: @escaping (String) -> Void
  ) {
    self.first = Side(input: first)
    self.second = Side(input: second)
    self.separatesResponses = separatesResponses
    self.print = print
  }

  /// Compares the traces; returns whether they are equal apart from their times.
  ///
  /// - Throws: `Failure` if one of the inputs is not a valid trace.
  package mutating func run() throws(Failure) -> Bool {
    while true {
      try first.fill(1)
      try second.fill(1)
      if first.ahead.isEmpty, second.ahead.isEmpty { break }
      if let one = first.ahead.first, let other = second.ahead.first,
        isAlike(one.transfer, other.transfer)
      {
        alike += 1
        if !Self.isSame(one.transfer, other.transfer) {
          differentResponses += 1
          show("answer")
        }
        let (a, b) = (one.transfer.time, other.transfer.time)
        timeDifference = max(timeDifference, a > b ? a - b : b - a)
        first.ahead.removeFirst()
        second.ahead.removeFirst()
      } else {
        try skip()
      }
    }
    summarize()
    return onlyFirst == 0 && onlySecond == 0 && differentResponses == 0
  }

  /// Skips the transfers that differ, up to the nearest match.
  private mutating func skip() throws(Failure) {
    show("difference")
    try first.fill(Self.window)
    try second.fill(Self.window)
    let (skippedFirst, skippedSecond) = nearestAgreement()
    onlyFirst += skippedFirst
    onlySecond += skippedSecond
    first.ahead.removeFirst(skippedFirst)
    second.ahead.removeFirst(skippedSecond)
  }

  /// Returns the smallest numbers of transfers to skip in the first and second trace before a
  /// match, or all buffered transfers if there is none.
  private func nearestAgreement() -> (Int, Int) {
    let (one, other) = (first.ahead, second.ahead)
    for sum in 1..<(one.count + other.count) {
      for i in max(0, sum - other.count + 1)..<(min(sum, one.count - 1) + 1)
      where isAlike(one[i].transfer, other[sum - i].transfer) {
        return (i, sum - i)
      }
    }
    return (one.count, other.count)
  }

  private func isAlike(_ one: TracedTransfer, _ other: TracedTransfer) -> Bool {
    separatesResponses ? one.hasSameRequest(as: other) : Self.isSame(one, other)
  }

  private static func isSame(_ one: TracedTransfer, _ other: TracedTransfer) -> Bool {
    one.messages == other.messages && one.bus == other.bus && one.error == other.error
  }

  /// Prints a difference if it is the first one.
  private mutating func show(_ kind: String) {
    guard !hasShown else { return }
    hasShown = true
    print("first \(kind == "answer" ? "response that differs" : kind):\n")
    for (side, mark) in [(first, "-"), (second, "+")] {
      let transfer = side.ahead.first.map { "\(side.input.name):\($0.line): \($0.transfer)" }
      print("\(mark) \(transfer ?? "\(side.input.name): the end")\n")
    }
  }

  private func summarize() {
    guard hasShown else {
      let times =
        timeDifference == 0
        ? "at the same times" : "times differ by \(Decimal.duration(timeDifference)) at most"
      return print("identical: \(alike) transfers, \(times)\n")
    }
    let otherwise =
      differentResponses > 0 ? " (\(differentResponses) of them with different responses)" : ""
    print(
      "\(alike) transfers alike\(otherwise), \(onlyFirst) only in \(first.input.name), "
        + "\(onlySecond) only in \(second.input.name)\n")
  }
}
