import Glibc

/// Answers that wait until the bits of their transfer have gone over the wire.
///
/// A call to hardware blocks for as long as its bytes take. A simulated bus knows the outcome at once and tells
/// when it is free again; until then its caller is kept waiting.
struct HeldAnswers {
  private struct Entry {
    let moment: UInt64
    let give: (Listener) -> Void
  }

  /// In order of their moments.
  private var entries: [Entry] = []

  /// Whether nobody waits.
  var isEmpty: Bool { entries.isEmpty }

  /// Nanoseconds for which nobody needs to look whether an answer is due; `nil` when none waits.
  var longestWaitNanoseconds: UInt64? {
    guard let first = entries.first else { return nil }
    let end = Self.now + Self.longestWaking
    return first.moment > end ? first.moment - end : 0
  }

  /// How late a thread can be that sleeps until a moment, on a virtual machine too, in nanoseconds: the last part of
  /// a wait is spent awake, as a transfer would else last longer than its bits.
  private static let longestWaking: UInt64 = 50_000

  /// Keeps an answer until a moment of CLOCK_MONOTONIC, in nanoseconds.
  mutating func hold(_ answer: Answer, for id: UInt64, until moment: UInt64) {
    add(Entry(moment: moment) { $0.answer(id, answer) })
  }

  /// Does something at a moment of CLOCK_MONOTONIC, in nanoseconds.
  mutating func hold(until moment: UInt64, _ give: @escaping () -> Void) {
    add(Entry(moment: moment) { _ in give() })
  }

  private mutating func add(_ entry: Entry) {
    let place = entries.lastIndex { $0.moment <= entry.moment }.map { $0 + 1 } ?? 0
    entries.insert(entry, at: place)
  }

  /// Gives the answers that are due.
  mutating func release(to listener: Listener) {
    guard !entries.isEmpty else { return }
    let now = Self.now
    let due = entries.prefix { $0.moment <= now }
    for entry in due { entry.give(listener) }
    entries.removeFirst(due.count)
  }

  /// CLOCK_MONOTONIC in nanoseconds.
  static var now: UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}
