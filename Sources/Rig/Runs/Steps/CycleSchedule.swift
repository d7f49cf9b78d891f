package import Rigs

/// The schedule of the cycles of a pipeline: regular cycles, and those that a user requests between them.
///
/// Times are in nanoseconds on one clock. A request during a cycle is answered by the forecast at
/// the end of that cycle.
package struct CycleSchedule: Hashable, Sendable {
  /// The interval between the starts of regular cycles.
  private let cycle: Int64
  /// The pending requests.
  private var requests: ArraySlice<Int64>
  /// The start of the next regular cycle.
  private var planned: Int64

  /// Creates a schedule.
  ///
  /// - Parameters:
  ///   - cycle: the interval between the starts of regular cycles.
  ///   - requests: the times at which a user requests a forecast, in order. Default: none.
  ///   - first: the start of the first regular cycle.
  package init(every cycle: UInt64, requests: [UInt64] = [], from first: Int64) {
    self.cycle = max(Int64(clamping: cycle), 1)
    self.requests = requests.map { Int64(clamping: $0) }[...]
    planned = first
  }

  /// Creates the schedule of a pipeline.
  package init(_ pipeline: Pipeline, from first: UInt64) {
    self.init(
      every: pipeline.cycle, requests: pipeline.requests, from: Int64(clamping: first))
  }

  package struct Cycle: Hashable, Sendable {
    /// The start of the cycle.
    package let start: Int64
    /// `true` if a user requested the cycle; `false` for a regular cycle.
    package let isRequested: Bool
  }

  /// Returns the cycle that follows one that has ended.
  ///
  /// - Parameter end: the end of the last cycle; `nil` before the first.
  /// - Returns: the first request if it is before the next regular cycle, otherwise the next
  ///   regular cycle.
  package mutating func next(after end: Int64?) -> Cycle {
    if let end { requests = requests.drop { $0 <= end } }
    if end != nil, let request = requests.first, request < planned {
      requests.removeFirst()
      return Cycle(start: request, isRequested: true)
    }
    defer { planned += cycle }
    return Cycle(start: planned, isRequested: false)
  }

  /// Returns the start of the first regular cycle that has not started yet and starts at a time or
  /// later.
  package func firstPlanned(atOrAfter time: Int64) -> Int64 {
    guard time > planned else { return planned }
    return planned + (time - planned + cycle - 1) / cycle * cycle
  }

  /// Skips the regular cycles and the requests that end before a time.
  ///
  /// - Parameters:
  ///   - time: the current time.
  ///   - length: the length of a cycle.
  package mutating func skip(to time: Int64, length: Int64) {
    guard time - length > planned else { return }
    planned += (time - length - planned) / cycle * cycle
    requests = requests.drop { $0 < planned }
  }
}
