/// NVMC: two pages at the end of flash, written a word at a time and erased a page at a time.
struct FlashPages {
  /// How many bytes a page has, and how many pages there are.
  static var size: Int { 4096 }
  static var count: Int { 2 }

  private static var base: UInt { 0x7E000 }
  private let control = Registers(peripheral: 30)

  private enum Access {
    static var read: UInt32 { 0 }
    static var write: UInt32 { 1 }
    static var erase: UInt32 { 2 }
  }

  /// The words of a page.
  func words(of page: Int) -> UnsafePointer<UInt32> {
    UnsafePointer(bitPattern: Self.base + UInt(page * Self.size)).unsafelyUnwrapped
  }

  /// Erases a page: all its bits become 1.
  func erase(_ page: Int) {
    control[0x504] = Access.erase
    control[0x508] = UInt32(Self.base + UInt(page * Self.size))
    waitUntilReady()
    control[0x504] = Access.read
  }

  /// Writes words from the first to the last; each is whole, old or new, when the supply goes.
  func write(_ words: Span<UInt32>, to page: Int, at index: Int) {
    control[0x504] = Access.write
    let place = Registers(at: Self.base + UInt(page * Self.size + index * 4))
    for offset in words.indices {
      place[UInt(offset * 4)] = words[offset]
      waitUntilReady()
    }
    control[0x504] = Access.read
  }

  private func waitUntilReady() { while control[0x400] & 1 == 0 {} }
}
