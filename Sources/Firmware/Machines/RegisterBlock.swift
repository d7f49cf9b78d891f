/// A page of peripheral registers, each of which keeps the value written unless a subclass implements it.
///
/// A subclass defines the registers that it models. An access to any other register is recorded as unmodelled.
open class RegisterBlock {
  /// The base address.
  package let base: UInt32
  private let unmodelledRegisters: UnmodelledRegisters
  private let polls: PollWatch
  private let words: UnsafeMutablePointer<UInt32>
  /// The writable bits of each register; 0 for an undefined register.
  private let masks: UnsafeMutablePointer<UInt32>
  private let defined: UnsafeMutablePointer<Bool>
  private let resets: UnsafeMutablePointer<UInt32>
  private let count: Int

  /// Creates a block without defined registers.
  package init(
    at base: UInt32, bytes: Int = 0x1000, unmodelledRegisters: UnmodelledRegisters, polls: PollWatch
  ) {
    self.base = base
    self.polls = polls
    self.unmodelledRegisters = unmodelledRegisters
    count = bytes / 4
    words = .allocate(capacity: count)
    words.initialize(repeating: 0, count: count)
    masks = .allocate(capacity: count)
    masks.initialize(repeating: 0xFFFF_FFFF, count: count)
    resets = .allocate(capacity: count)
    resets.initialize(repeating: 0, count: count)
    defined = .allocate(capacity: count)
    defined.initialize(repeating: false, count: count)
  }

  deinit {
    words.deallocate()
    masks.deallocate()
    resets.deallocate()
    defined.deallocate()
  }

  /// Defines a modelled register.
  ///
  /// - Parameters:
  ///   - offset: the offset from the base address.
  ///   - reset: the reset value.
  ///   - mask: the writable bits.
  package func define(_ offset: UInt32, reset: UInt32 = 0, mask: UInt32 = 0xFFFF_FFFF) {
    let index = Int(offset / 4)
    defined[index] = true
    masks[index] = mask
    resets[index] = reset
    words[index] = reset
  }

  /// Sets all registers to their reset values.
  package func resetWords() { words.update(from: resets, count: count) }

  /// The stored value of a register.
  package subscript(offset: UInt32) -> UInt32 {
    @inline(__always) get { words[Int(offset / 4)] }
    @inline(__always) set { words[Int(offset / 4)] = newValue }
  }

  /// Returns the value of a register if it differs from the stored one; otherwise `nil`.
  open func load(_ offset: UInt32) -> UInt32? { nil }

  /// Applies a write to a whole register.
  ///
  /// - Returns: `true` if the write was handled, in which case the value is not stored.
  open func store(_ offset: UInt32, _ value: UInt32) -> Bool { false }

  /// Reads a register, as the core's bus does.
  package func read(_ offset: UInt32, bytes: UInt32) -> UInt32? {
    let at = offset & ~3
    polls.didRead()
    let word: UInt32
    if let value = load(at) {
      word = value
    } else {
      if !defined[Int(at / 4)] { unmodelledRegisters.note(base + at, bytes: bytes, isWrite: false) }
      word = self[at]
    }
    return bytes == 4 ? word : word >> (offset & 3 * 8) & (1 << (bytes * 8) - 1)
  }

  /// Writes a register, as the core's bus does.
  package func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    let at = offset & ~3
    polls.didWrite()
    var word = value
    if bytes < 4 {
      let shift = offset & 3 * 8
      let lanes: UInt32 = (1 << (bytes * 8) - 1) << shift
      word = self[at] & ~lanes | value << shift & lanes
    }
    if store(at, word) { return true }
    let index = Int(at / 4)
    if !defined[index] { unmodelledRegisters.note(base + at, bytes: bytes, isWrite: true) }
    words[index] = words[index] & ~masks[index] | word & masks[index]
    return true
  }
}
