import Barometry

/// The history in flash: records with a checksum, appended across two alternating pages.
///
/// A record is a `HistoryRecord` in a slot of six words. A record whose write was interrupted has a wrong checksum;
/// its slot is not reused before the page is erased. A page is erased when the other one is full, so that each page is
/// erased once a week and the last two hours are never lost.
struct PressureStore {
  private static var slotWords: Int { 6 }
  private static var slots: Int { FlashPages.size / 4 / slotWords }

  private let pages = FlashPages()
  /// The position of the next record: a page, and a slot that may be one past the last.
  private var page = 0
  private var slot = 0

  /// Finds the latest record, and loads all records within the duration of a history.
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
    // The previous record is in the slot before, or at the end of the other page.
    for page in [1 - self.page, self.page] {
      for slot in 0..<Self.slots {
        guard let point = point(in: page, at: slot), youngest.time - point.time <= history.retention
        else { continue }
        try? history.append(point)
      }
    }
  }

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

/// The two pages at the end of flash, which NVMC writes by words and erases by pages.
struct FlashPages {
  /// The size of a page in bytes.
  static var size: Int { 4096 }
  /// The number of pages.
  static var count: Int { 2 }

  private static var base: UInt { 0x7E000 }

  private enum Register {
    static var ready: UInt { 0x400 }
    static var config: UInt { 0x504 }
    static var erasepage: UInt { 0x508 }
  }

  private let control = Registers(peripheral: 30)

  private enum Access {
    static var read: UInt32 { 0 }
    static var write: UInt32 { 1 }
    static var erase: UInt32 { 2 }
  }

  /// Returns a pointer to the words of a page.
  func words(of page: Int) -> UnsafePointer<UInt32> {
    UnsafePointer(bitPattern: Self.base + UInt(page * Self.size)).unsafelyUnwrapped
  }

  /// Erases a page, which sets all its bits.
  func erase(_ page: Int) {
    control[Register.config] = Access.erase
    control[Register.erasepage] = UInt32(Self.base + UInt(page * Self.size))
    waitUntilReady()
    control[Register.config] = Access.read
  }

  /// Writes words in order; a loss of power leaves each word either old or new.
  func write(_ words: Span<UInt32>, to page: Int, at index: Int) {
    control[Register.config] = Access.write
    let target = Registers(at: Self.base + UInt(page * Self.size + index * 4))
    for offset in words.indices {
      target[UInt(offset * 4)] = words[offset]
      waitUntilReady()
    }
    control[Register.config] = Access.read
  }

  private func waitUntilReady() { while control[Register.ready] & 1 == 0 {} }
}
