import Dispatch
import Quantities

/// Finds values with another source, but gives up when that takes too long for a line.
///
/// An expression of a user can need more time than there is (`(a+)+$`). Nobody can stop it; it is left
/// behind on its own thread, and the audit ends.
final class BoundedSource: ValueSource {
  /// What is found in one line: written by the thread, read only when that has signalled.
  private final class Search: @unchecked Sendable {
    let source: any ValueSource
    let line: String
    let done = DispatchSemaphore(value: 0)
    var values: [ShownValue] = []

    init(_ source: any ValueSource, _ line: String) {
      self.source = source
      self.line = line
    }

    func run() {
      values = source.values(in: line)
      done.signal()
    }
  }

  private let source: any ValueSource
  private let seconds: Double
  private let name: String
  private let queue = DispatchQueue(label: "search")
  private(set) var mistake: OutputError?

  init(_ source: any ValueSource, seconds: Double, name: String) {
    self.source = source
    self.seconds = seconds
    self.name = name
  }

  var quantities: Set<Quantity> { source.quantities }

  func values(in line: String) -> [ShownValue] {
    guard mistake == nil else { return [] }
    let search = Search(source, line)
    queue.async { search.run() }
    guard search.done.wait(timeout: .now() + seconds) == .success else {
      mistake = OutputError(
        message:
          "--match '\(name)' is still trying after \(seconds) s to match '\(line.prefix(60))': "
          + "an expression within which the same text fits in many ways; name what stands between the values"
      )
      return []
    }
    return search.values
  }
}
