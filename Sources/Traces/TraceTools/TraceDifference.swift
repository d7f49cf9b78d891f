package import Files
import I2C
import I2CTrace
import Text

/// Compares two traces, transfer by transfer, in constant memory.
///
/// Where they differ it looks for the next place where they agree again, so that a transfer too much on one
/// side is one difference and not many.
package struct TraceDifference {
  /// How far is looked for the next agreement, in transfers.
  package static let window = 64

  /// How many transfers both have alike.
  package private(set) var alike = 0
  /// How many stand only in the first trace, and only in the second.
  package private(set) var onlyFirst = 0, onlySecond = 0
  /// By how much the times of like transfers differ at most, in nanoseconds.
  package private(set) var timeDifference: UInt64 = 0

  /// How many transfers ask for the same and are answered otherwise, where answers are told apart.
  package private(set) var answeredOtherwise = 0

  private var first: Side
  private var second: Side
  private let tellsAnswersApart: Bool
  private let print: (String) -> Void
  private var hasShown = false

  /// One of the two traces, with what lies ahead.
  private struct Side {
    var input: TraceInput
    var ahead: [(line: Int, transfer: TracedTransfer)] = []
    var isOver = false

    /// Reads on until so many lie ahead, or the end.
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
  ///   - first: a trace.
  ///   - second: another one.
  ///   - tellsAnswersApart: whether transfers that ask for the same are one pair, whatever the answers.
  ///   - print: takes lines.
  package init(
    _ first: TraceInput, _ second: TraceInput, tellsAnswersApart: Bool = false,
    to print: @escaping (String) -> Void
  ) {
    self.first = Side(input: first)
    self.second = Side(input: second)
    self.tellsAnswersApart = tellsAnswersApart
    self.print = print
  }

  /// Compares; whether both say the same, times aside.
  ///
  /// - Throws: `Failure` when one of them is no trace.
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
          answeredOtherwise += 1
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
    return onlyFirst == 0 && onlySecond == 0 && answeredOtherwise == 0
  }

  /// Passes over what differs, up to the nearest place where both agree again.
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

  /// How many to pass over on each side, as few as possible; all that lie ahead where nothing agrees.
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
    tellsAnswersApart ? one.asksTheSame(as: other) : Self.isSame(one, other)
  }

  private static func isSame(_ one: TracedTransfer, _ other: TracedTransfer) -> Bool {
    one.messages == other.messages && one.bus == other.bus && one.error == other.error
  }

  /// Shows the first difference.
  private mutating func show(_ kind: String) {
    guard !hasShown else { return }
    hasShown = true
    print("first \(kind == "answer" ? "answer that differs" : kind):\n")
    for (side, mark) in [(first, "-"), (second, "+")] {
      let place = side.ahead.first.map { "\(side.input.name):\($0.line): \($0.transfer)" }
      print("\(mark) \(place ?? "\(side.input.name): the end")\n")
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
      answeredOtherwise > 0 ? " (\(answeredOtherwise) of them answered otherwise)" : ""
    print(
      "\(alike) transfers alike\(otherwise), \(onlyFirst) only in \(first.input.name), "
        + "\(onlySecond) only in \(second.input.name)\n")
  }
}
