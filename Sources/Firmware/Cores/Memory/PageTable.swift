import Glibc

/// A table with a place for each page of plain memory, of which only the parts that are used take memory themselves.
enum PageTable {
  /// The places: one for each page below ``AddressSpace/plainLimit``.
  static let count = Int(AddressSpace.plainLimit >> AddressSpace.pageBits)

  /// Makes a table of places that hold nothing.
  ///
  /// Memory that the system maps anew is zero, and a pointer that is zero is `nil`: nothing needs to be written.
  static func make<Target>(of: Target.Type) -> UnsafeMutablePointer<Target?> {
    let bytes = zeroed(count * MemoryLayout<Target?>.stride)
    return bytes.bindMemory(to: Target?.self, capacity: count)
  }

  /// Lets go of a table.
  static func free<Target>(_ table: UnsafeMutablePointer<Target?>) {
    munmap(table, count * MemoryLayout<Target?>.stride)
  }

  /// Memory whose bytes are 0, in pages that exist once they are written.
  static func zeroed(_ count: Int) -> UnsafeMutableRawPointer {
    let (access, kind) = (PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
    guard let bytes = mmap(nil, count, access, kind, -1, 0), bytes != MAP_FAILED else {
      fatalError("the system has no room for a table of \(count) bytes")
    }
    return bytes
  }
}
