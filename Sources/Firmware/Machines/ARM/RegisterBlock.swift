/// A page of a peripheral's registers: words that hold what was written, and a subclass that gives some of them a meaning.
///
/// Whoever makes a subclass defines the registers that it models; what is not defined is told to the ledger, and holds
/// what was written.
open class RegisterBlock {
  /// The address of its first register.
  package let base: UInt32
  private let untouched: RegisterLedger
  private let polls: PollWatch
  private let words: UnsafeMutablePointer<UInt32>
  /// For each word the bits that a write can change; a word that is not defined has none known.
  private let masks: UnsafeMutablePointer<UInt32>
  private let defined: UnsafeMutablePointer<Bool>
  private let resets: UnsafeMutablePointer<UInt32>
  private let count: Int

  /// Creates a block of registers of which none is defined.
  package init(at base: UInt32, bytes: Int = 0x1000, untouched: RegisterLedger, polls: PollWatch) {
    self.base = base
    self.polls = polls
    self.untouched = untouched
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

  /// Defines a register that is modelled.
  ///
  /// - Parameters:
  ///   - offset: where it stands.
  ///   - reset: its value after a reset.
  ///   - mask: the bits that a program can write.
  package func define(_ offset: UInt32, reset: UInt32 = 0, mask: UInt32 = 0xFFFF_FFFF) {
    let index = Int(offset / 4)
    defined[index] = true
    masks[index] = mask
    resets[index] = reset
    words[index] = reset
  }

  /// Lets all registers have the values that they have after a reset.
  package func resetWords() { words.update(from: resets, count: count) }

  /// What a register holds.
  package subscript(offset: UInt32) -> UInt32 {
    @inline(__always) get { words[Int(offset / 4)] }
    @inline(__always) set { words[Int(offset / 4)] = newValue }
  }

  /// The value of a register that is not just what it holds; `nil` where it is.
  open func load(_ offset: UInt32) -> UInt32? { nil }

  /// Lets a write of a whole register have its effect.
  ///
  /// - Returns: whether it had one, and the register is not to hold what was written.
  open func store(_ offset: UInt32, _ value: UInt32) -> Bool { false }

  /// Reads a register, as a device on the bus of a core does.
  package func read(_ offset: UInt32, bytes: UInt32) -> UInt32? {
    let at = offset & ~3
    polls.didRead()
    let word: UInt32
    if let value = load(at) {
      word = value
    } else {
      if !defined[Int(at / 4)] { untouched.note(base + at, bytes: bytes, isWrite: false) }
      word = self[at]
    }
    return bytes == 4 ? word : word >> (offset & 3 * 8) & (1 << (bytes * 8) - 1)
  }

  /// Writes a register, as a device on the bus of a core does.
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
    if !defined[index] { untouched.note(base + at, bytes: bytes, isWrite: true) }
    words[index] = words[index] & ~masks[index] | word & masks[index]
    return true
  }
}
