/// A stretch of plain memory: where it lies, what holds it, and whether programs may write there.
package struct MemoryRegion {
  /// Its first address, a multiple of a page.
  package let base: UInt32
  /// Its length in bytes, a multiple of a page.
  package let count: UInt32
  /// Whether a program's store changes it.
  package let isWritable: Bool
  /// Whether its bytes belong to another one.
  package var isAlias = false
  /// Its bytes; they live as long as the address space.
  package let bytes: UnsafeMutableRawPointer

  /// Whether an address lies in it.
  package func contains(_ address: UInt32) -> Bool { address &- base < count }
}
