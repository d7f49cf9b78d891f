import I2CTrace

/// The last transfers of a run, as they are shown with a failure.
final class LatestTransfers {
  private let count: Int
  /// How many there were in all.
  @exclusivity(unchecked) private(set) var total = 0
  @exclusivity(unchecked) private var kept: [TracedTransfer] = []
  /// Where the oldest stands, and the next one goes, once there are as many as are kept.
  @exclusivity(unchecked) private var oldest = 0

  /// Keeps none yet.
  ///
  /// - Parameter count: how many it keeps.
  init(count: Int) { self.count = count }

  /// Keeps one more, in the place of the oldest.
  func append(_ transfer: TracedTransfer) {
    total += 1
    guard kept.count == count else { return kept.append(transfer) }
    kept[oldest] = transfer
    oldest = (oldest + 1) % count
  }

  /// Those that are kept, the latest at the end.
  var transfers: [TracedTransfer] { Array(kept[oldest...] + kept[..<oldest]) }
}
