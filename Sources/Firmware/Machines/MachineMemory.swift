/// A stretch of a microcontroller's memory, for images and for what must outlive a run.
package final class MachineMemory {
  /// What a memory is.
  package enum Kind: String, Hashable, Sendable {
    /// Holds its content without supply, erased by pages.
    case flash
    /// Settings that a programmer writes, in flash.
    case settings
    /// Holds its content without supply, byte by byte.
    case eeprom
    /// Loses its content without supply.
    case ram
  }

  /// Its name, as the data sheet calls it.
  package let name: String
  /// What it is.
  package let kind: Kind
  /// Its first address, as a debugger counts.
  package let base: UInt32
  /// Its bytes.
  package let count: UInt32
  /// The bytes that are erased together; 1 where each can be written alone.
  package let pageSize: UInt32
  /// What an erased byte reads.
  package let erased: UInt8
  /// Its content; it lives as long as the machine.
  package let bytes: UnsafeMutableRawPointer
  /// Is told of each change that a program made, once the write has ended: the offset and the number of bytes.
  ///
  /// Whoever keeps flash in a file writes that stretch there.
  package var didChange: ((_ offset: Int, _ count: Int) -> Void)?
  /// Lets the core forget what it has decoded of a stretch: the offset and the number of bytes.
  private let forget: (_ offset: Int, _ count: Int) -> Void

  /// Creates a description of memory that a machine owns.
  package init(
    _ name: String, _ kind: Kind, base: UInt32, count: UInt32, pageSize: UInt32 = 1,
    erased: UInt8 = 0xFF, bytes: UnsafeMutableRawPointer,
    forget: @escaping (_ offset: Int, _ count: Int) -> Void = { _, _ in }
  ) {
    self.name = name
    self.kind = kind
    self.base = base
    self.count = count
    self.pageSize = pageSize
    self.erased = erased
    self.bytes = bytes
    self.forget = forget
  }

  /// Whether its content outlives the supply.
  package var isPersistent: Bool { kind != .ram }

  /// Puts bytes in, as a programmer does; nobody is told of a change.
  ///
  /// - Parameters:
  ///   - content: the bytes.
  ///   - address: where, as ``base`` counts.
  /// - Returns: whether they fit; nothing is written where they do not.
  @discardableResult
  package func load(_ content: some Collection<UInt8>, at address: UInt32) -> Bool {
    let offset = Int(address) - Int(base)
    guard offset >= 0, offset + content.count <= Int(count) else { return false }
    var place = bytes + offset
    for byte in content {
      place.storeBytes(of: byte, as: UInt8.self)
      place += 1
    }
    forget(offset, content.count)
    return true
  }

  /// Its whole content.
  package var content: [UInt8] {
    [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }
}
