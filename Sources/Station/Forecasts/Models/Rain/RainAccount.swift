/// The rain that has fallen up to moments, made of sums over spans of time.
package struct RainAccount: Sendable {
  /// The moments up to which it is known, in seconds since 1970, rising.
  package private(set) var times: [Int] = []
  /// mm, at each of them.
  package private(set) var fallen: [Double] = []
  /// How often the account was interrupted before each of them: between two with different numbers the rain is unknown.
  package private(set) var gaps: [Int32] = []

  /// An account without rain.
  init() {}

  /// Adds sums up.
  ///
  /// A sum that begins within an earlier one, as the sums of the last three hours at each hour do, is left out unless it
  /// begins where one has ended.
  ///
  /// - Parameters:
  ///   - spans: for each sum the time over which it counts, by their ends.
  ///   - amounts: mm, NaN for a missing one.
  init(_ spans: [RainSpan], _ amounts: [Double]) {
    var known: [Int: (sum: Double, gap: Int32)] = [:]
    for (span, amount) in zip(spans, amounts) where !amount.isNaN {
      if known[span.start] == nil {
        guard span.start > times.last ?? .min || known.isEmpty else { continue }
        let gap = known.isEmpty ? 0 : (gaps.last ?? 0) + 1
        known[span.start] = (fallen.last ?? 0, gap)
        if span.start != RainSpan.unknownStart {
          append(span.start, fallen.last ?? 0, gap)
        }
      }
      guard let before = known[span.start], span.end > times.last ?? .min else { continue }
      known[span.end] = (before.sum + max(0, amount), before.gap)
      append(span.end, before.sum + max(0, amount), before.gap)
    }
  }

  private mutating func append(_ time: Int, _ sum: Double, _ gap: Int32) {
    times.append(time)
    fallen.append(sum)
    gaps.append(gap)
  }
}
