import Quantities
import Text
import Warehouse

extension WarehouseJudge {
  /// Which tags the published code would have heard, and until when.
  func hears(_ tags: Int, _ until: Int64?, _ within: Int64) -> Answer {
    let published = record.published
    let last = published.last ?? 0
    return Answer(
      title: "the article hears \(tags) of \("tag".counted(rig.tags.count))"
        + (until.map { " until \(elapsed($0))" } ?? ""),
      passed: published.tags.count == tags && (until.map { abs($0 - last) <= within } ?? true),
      detail: "\(published.tags.count), the last time at \(elapsed(last))")
  }
}
