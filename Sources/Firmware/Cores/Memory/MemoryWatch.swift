/// A stretch of addresses whose loads or stores stop a core, for a debugger or whoever looks on.
package struct MemoryWatch: Hashable, Sendable {
  /// The first address.
  package var address: UInt32
  /// How many bytes.
  package var count: UInt32
  /// Whether loads stop it, and whether stores do.
  package var onLoad: Bool
  package var onStore: Bool

  /// Creates a watchpoint.
  package init(address: UInt32, count: UInt32, onLoad: Bool, onStore: Bool) {
    self.address = address
    self.count = count
    self.onLoad = onLoad
    self.onStore = onStore
  }

  /// Whether an access of some bytes touches it.
  package func matches(_ start: UInt32, _ bytes: UInt32, isStore: Bool) -> Bool {
    guard isStore ? onStore : onLoad else { return false }
    return start &- address < count || address &- start < bytes
  }

  /// Whether it touches a page of memory.
  func touches(page: Int) -> Bool {
    let base = UInt32(page) << AddressSpace.pageBits
    return matches(base, AddressSpace.pageSize, isStore: onStore)
  }
}

/// An access that hit a watchpoint.
package struct MemoryWatchHit: Equatable, Sendable {
  /// The address of the access, and whether it was a store.
  package let address: UInt32
  package let isStore: Bool
  /// Which watchpoint it hit.
  package let watch: MemoryWatch

  /// Creates a hit.
  package init(address: UInt32, isStore: Bool, watch: MemoryWatch) {
    self.address = address
    self.isStore = isStore
    self.watch = watch
  }
}
