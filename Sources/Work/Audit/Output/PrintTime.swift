/// The virtual time at which something was printed, in seconds since power came on: between two marks.
struct PrintTime: Hashable, Sendable {
  /// The last mark before it.
  var start = 0.0
  /// The next mark after it; infinite while none has come.
  var end = Double.infinity

  /// Both together.
  func union(_ other: PrintTime) -> PrintTime {
    PrintTime(start: min(start, other.start), end: max(end, other.end))
  }
}
