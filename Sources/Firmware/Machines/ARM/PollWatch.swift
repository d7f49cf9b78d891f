/// Notices that a program only looks at registers of peripherals, again and again: it may be waiting for one.
package final class PollWatch {
  private static let first = 8
  private static let last = 4096

  /// How many reads without a write in between make it look whether the program waits.
  private var threshold = PollWatch.first
  private var reads = 0
  /// How many reads there have been in all.
  package private(set) var total = 0
  /// Whether it should be looked now; asked between two instructions.
  package private(set) var isSuspicious = false
  /// Until which cycle what has been read stays as it is, without an event.
  package var stableUntil = UInt64.max
  /// Lets the core come back soon.
  package var halt: () -> Void = {}

  /// Creates a watch that has seen nothing.
  package init() {}

  /// A register of a peripheral was read.
  package func didRead() {
    reads += 1
    total += 1
    guard reads >= threshold else { return }
    reads = 0
    isSuspicious = true
    halt()
  }

  /// A register of a peripheral was written.
  package func didWrite() { reads = 0 }

  /// What was just read changes by itself at a cycle.
  package func changes(at cycle: UInt64) { stableUntil = min(stableUntil, cycle) }

  /// Something happened for which a program may have waited.
  package func didHappen() { reads = 0 }

  /// It has been looked; where the program did not wait, it is looked less often.
  package func conclude(found: Bool) {
    isSuspicious = false
    threshold = found ? Self.first : min(threshold * 2, Self.last)
  }
}
