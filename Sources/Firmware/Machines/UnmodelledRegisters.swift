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
