package import Rigs

/// When the cycles of a pipeline begin: those of its plan, and between them those that a user requests.
///
/// Times are in nanoseconds, all of one clock. A request within a running cycle is absorbed: the forecast of that cycle answers it.
package struct CycleSchedule: Hashable, Sendable {
  /// From the start of a planned cycle to the start of the next.
  private let cycle: Int64
  /// The requests that no cycle has answered yet.
  private var requests: ArraySlice<Int64>
  /// When the next planned cycle begins.
  private var planned: Int64

  /// Creates a schedule.
  ///
  /// - Parameters:
  ///   - cycle: the time from cycle to cycle.
  ///   - requests: the times at which a user requests a forecast, in order.
  ///   - first: when the first planned cycle begins.
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

  /// A cycle that begins.
  package struct Cycle: Hashable, Sendable {
    /// When it begins.
    package let start: Int64
    /// Whether a user requested it; else it is one of the plan.
    package let isRequested: Bool
  }

  /// The next cycle after one that ended.
  ///
  /// - Parameter end: when the last cycle ended; `nil` before the first.
  /// - Returns: the request that comes first if there is one before the next planned cycle, else that cycle.
  package mutating func next(after end: Int64?) -> Cycle {
    if let end { requests = requests.drop { $0 <= end } }
    if end != nil, let request = requests.first, request < planned {
      requests.removeFirst()
      return Cycle(start: request, isRequested: true)
    }
    defer { planned += cycle }
    return Cycle(start: planned, isRequested: false)
  }

  /// The start of the first planned cycle at a time or later, of those that have not begun.
  package func firstPlanned(atOrAfter time: Int64) -> Int64 {
    guard time > planned else { return planned }
    return planned + (time - planned + cycle - 1) / cycle * cycle
  }

  /// Skips the planned cycles and the requests that lie wholly before a time.
  ///
  /// - Parameters:
  ///   - time: now.
  ///   - length: how long a cycle takes.
  package mutating func skip(to time: Int64, length: Int64) {
    guard time - length > planned else { return }
    planned += (time - length - planned) / cycle * cycle
    requests = requests.drop { $0 < planned }
  }
}
