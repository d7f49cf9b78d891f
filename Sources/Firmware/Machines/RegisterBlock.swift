import Cores

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

/// The pages of peripherals without a model.
///
/// Each access is reported once, and a register keeps the value written.
package final class UnmodelledPages: BusDevice {
  private let base: UInt32
  private let ledger: UnmodelledRegisters
  private let silent: Set<UInt32>
  private var words: [UInt32: UInt32] = [:]

  /// Creates pages from a base address.
  ///
  /// - Parameters:
  ///   - base: the base address.
  ///   - ledger: the record of accesses.
  ///   - silent: the addresses of registers that are not reported. Default: none.
  package init(at base: UInt32, _ ledger: UnmodelledRegisters, silent: Set<UInt32> = []) {
    self.base = base
    self.ledger = ledger
    self.silent = silent
  }

  private func note(_ offset: UInt32, _ bytes: UInt32, isWrite: Bool) {
    let address = base + offset & ~3
    if !silent.contains(address) { ledger.note(address, bytes: bytes, isWrite: isWrite) }
  }

  /// Forgets all values written.
  package func reset() { words.removeAll(keepingCapacity: true) }

  /// Reads a register, as the core's bus does.
  package func read(_ offset: UInt32, bytes: UInt32) -> UInt32? {
    note(offset, bytes, isWrite: false)
    let word = words[offset & ~3] ?? 0
    return bytes == 4 ? word : word >> (offset & 3 * 8) & (1 << (bytes * 8) - 1)
  }

  /// Writes a register, as the core's bus does.
  package func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
    note(offset, bytes, isWrite: true)
    let shift = offset & 3 * 8
    let lanes: UInt32 = bytes == 4 ? .max : (1 << (bytes * 8) - 1) << shift
    words[offset & ~3] = (words[offset & ~3] ?? 0) & ~lanes | value << shift & lanes
    return true
  }
}

package struct RegisterAccess: Hashable, Sendable {
  package let address: UInt32
  /// The width in bytes: 1, 2 or 4.
  package let bytes: UInt32
  /// `true` for a write.
  package let isWrite: Bool
  /// The unmodelled function of the register, for example "input capture"; `nil` if the whole register is unmodelled.
  package let mode: String?

  package init(address: UInt32, bytes: UInt32, isWrite: Bool, mode: String? = nil) {
    self.address = address
    self.bytes = bytes
    self.isWrite = isWrite
    self.mode = mode
  }
}

/// Accesses to unmodelled registers, each reported once.
///
/// An unmodelled register keeps the value written, and has its reset value before the first write.
package final class UnmodelledRegisters {
  /// `true` if an access to an unmodelled register stops the run.
  ///
  /// Default: false.
  package var isStrict = false
  /// A callback for the first access of each kind.
  package var didAccess: (RegisterAccess) -> Void = { _ in }
  /// A callback for each new hint, which is a sentence about a modelled peripheral to which nothing is connected.
  package var didHint: (String) -> Void = { _ in }
  /// A callback that ends the current run, set by the machine.
  package var halt: () -> Void = {}
  /// The accesses, in order of first occurrence.
  package private(set) var accesses: [RegisterAccess] = []
  /// The access that stops a strict run; `nil` after `takeViolation()`.
  package private(set) var violation: RegisterAccess? { didSet { hasViolation = violation != nil } }
  /// `true` if `violation` is not `nil`; polled between instructions, where copying the access would be expensive.
  @exclusivity(unchecked) package private(set) var hasViolation = false

  /// The number of accesses so far, including repeated ones.
  package private(set) var total = 0
  /// The last access; `nil` before the first one.
  package private(set) var last: RegisterAccess?

  private var known: Set<RegisterAccess> = []
  private var hints: Set<String> = []

  package init() {}

  /// Records an access.
  ///
  /// - Parameters:
  ///   - address: the address of the register.
  ///   - bytes: the width of the access.
  ///   - isWrite: `true` if the access is a write.
  ///   - mode: the unmodelled function of the register; `nil` if the whole register is unmodelled.
  package func note(_ address: UInt32, bytes: UInt32, isWrite: Bool, mode: String? = nil) {
    let access = RegisterAccess(address: address, bytes: bytes, isWrite: isWrite, mode: mode)
    total += 1
    last = access
    if isStrict, violation == nil {
      violation = access
      halt()
    }
    guard known.insert(access).inserted else { return }
    accesses.append(access)
    didAccess(access)
  }

  /// Reports a hint once; it does not stop the run.
  package func hint(_ text: String) {
    if hints.insert(text).inserted { didHint(text) }
  }

  /// Returns the access that stops a strict run, and clears it.
  package func takeViolation() -> RegisterAccess? {
    guard hasViolation else { return nil }
    defer { violation = nil }
    return violation
  }
}
