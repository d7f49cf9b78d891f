import Barometry

/// The history in flash: records with a checksum, one behind the other over two pages that take turns.
///
/// A record is one of ``HistoryRecord`` in a slot of six words. One whose writing was cut off has a wrong checksum; its
/// slot is not used again before the page is erased. A page is erased when the other is full, so that each is erased
/// once a week and what was measured in the last two hours is never lost.
struct PressureStore {
  private static var slotWords: Int { 6 }
  private static var slots: Int { FlashPages.size / 4 / slotWords }

  private let pages = FlashPages()
  /// Where the next record goes: a page, and a slot that may be the one behind its last.
  private var page = 0
  private var slot = 0

  /// Looks for the youngest record, and takes what is no older than a history keeps.
  mutating func restore(_ history: inout PressureHistory) {
    var youngest: PressurePoint?
    for page in 0..<FlashPages.count {
      for slot in 0..<Self.slots {
        guard let point = point(in: page, at: slot), point.time > youngest?.time ?? -1 else {
          continue
        }
        youngest = point
        (self.page, self.slot) = (page, slot + 1)
      }
    }
    guard let youngest else { return }
    // What goes before it lies in front of it, or at the end of the other page.
    for page in [1 - self.page, self.page] {
      for slot in 0..<Self.slots {
        guard let point = point(in: page, at: slot), youngest.time - point.time <= history.retention
        else { continue }
        try? history.append(point)
      }
    }
  }

  /// Keeps a point.
  mutating func append(_ point: PressurePoint) {
    while slot < Self.slots, !isErased(page, slot) { slot += 1 }
    if slot == Self.slots {
      (page, slot) = (1 - page, 0)
      pages.erase(page)
    }
    let record = HistoryRecord.encode(point)
    var words = InlineArray<6, UInt32>(repeating: 0xFFFF_FFFF)
    var bytes = words.mutableSpan
    bytes.withUnsafeMutableBytes { slot in
      record.span.withUnsafeBytes { slot.copyMemory(from: $0) }
    }
    pages.write(words.span, to: page, at: slot * Self.slotWords)
    slot += 1
  }

  private func point(in page: Int, at slot: Int) -> PressurePoint? {
    let words = pages.words(of: page) + slot * Self.slotWords
    // An erased slot has no length.
    guard words[0] & 0xFF == 16 else { return nil }
    let bytes = UnsafeRawBufferPointer(start: words, count: Self.slotWords * 4)
    return HistoryRecord.decode(bytes.bindMemory(to: UInt8.self).span, at: 0)
  }

  private func isErased(_ page: Int, _ slot: Int) -> Bool {
    let words = pages.words(of: page) + slot * Self.slotWords
    for index in 0..<Self.slotWords where words[index] != 0xFFFF_FFFF { return false }
    return true
  }
}
