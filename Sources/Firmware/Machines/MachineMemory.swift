/// A memory of a microcontroller, for loading images and for persistence between runs.
package final class MachineMemory {
  /// The kind of a memory.
  package enum Kind: String, Hashable, Sendable {
    /// Non-volatile memory that is erased by pages.
    case flash
    /// Non-volatile settings that a programmer writes, such as fuses, option bytes or UICR.
    case settings
    /// Non-volatile memory that is written by bytes.
    case eeprom
    /// Volatile memory.
    case ram
  }

  /// The name of the memory in the datasheet.
  package let name: String
  /// The kind of the memory.
  package let kind: Kind
  /// The first address, in debugger addresses.
  package let base: UInt32
  /// The size in bytes.
  package let count: UInt32
  /// The size of an erase page in bytes; 1 if bytes can be written individually.
  package let pageSize: UInt32
  /// The value of an erased byte.
  package let erased: UInt8
  /// The contents, which exist as long as the machine.
  package let bytes: UnsafeMutableRawPointer
  /// A callback after each write by the program, with the offset and length of the change in bytes.
  ///
  /// It updates the flash file, for example.
  package var didChange: ((_ offset: Int, _ count: Int) -> Void)?
  /// Discards instructions that the core has decoded from a range, by offset and length in bytes.
  private let invalidate: (_ offset: Int, _ count: Int) -> Void

  /// Creates a description of memory that a machine owns.
  package init(
    _ name: String, _ kind: Kind, base: UInt32, count: UInt32, pageSize: UInt32 = 1,
    erased: UInt8 = 0xFF, bytes: UnsafeMutableRawPointer,
    invalidate: @escaping (_ offset: Int, _ count: Int) -> Void = { _, _ in }
  ) {
    self.name = name
    self.kind = kind
    self.base = base
    self.count = count
    self.pageSize = pageSize
    self.erased = erased
    self.bytes = bytes
    self.invalidate = invalidate
  }

  /// `true` if the contents survive a loss of power.
  package var isPersistent: Bool { kind != .ram }

  /// Loads bytes as a programmer does, without calling `didChange`.
  ///
  /// - Parameters:
  ///   - content: the bytes.
  ///   - address: the address, relative to the same origin as `base`.
  /// - Returns: `false` if the bytes do not fit, in which case no byte is written.
  @discardableResult
  package func load(_ content: some Collection<UInt8>, at address: UInt32) -> Bool {
    let offset = Int(address) - Int(base)
    guard offset >= 0, offset + content.count <= Int(count) else { return false }
    var pointer = bytes + offset
    for byte in content {
      pointer.storeBytes(of: byte, as: UInt8.self)
      pointer += 1
    }
    invalidate(offset, content.count)
    return true
  }

  package var content: [UInt8] {
    [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }
}
