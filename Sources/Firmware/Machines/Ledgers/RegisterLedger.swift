/// An access to a register.
package struct RegisterAccess: Hashable, Sendable {
  /// Its address.
  package let address: UInt32
  /// How many bytes: 1, 2 or 4.
  package let bytes: UInt32
  /// Whether the program wrote.
  package let isWrite: Bool

  /// Creates an access.
  package init(address: UInt32, bytes: UInt32, isWrite: Bool) {
    self.address = address
    self.bytes = bytes
    self.isWrite = isWrite
  }
}

/// The registers that a program used and that nobody models; each is told once.
///
/// Such a register behaves as memory that holds what was written last, and before that its value after a reset.
package final class RegisterLedger {
  /// Whether such an access stops the run.
  package var isStrict = false
  /// Is told of each access that is new.
  package var tell: (RegisterAccess) -> Void = { _ in }
  /// Ends the run that is under way; the machine sets it.
  package var halt: () -> Void = {}
  /// The accesses, in the order in which they came first.
  package private(set) var accesses: [RegisterAccess] = []
  /// The access that stops a strict run, until somebody has taken it.
  package private(set) var offence: RegisterAccess? { didSet { hasOffence = offence != nil } }
  /// Whether there is one: asked between instructions, where a copy of the access would cost.
  @exclusivity(unchecked) package private(set) var hasOffence = false

  private var known: Set<RegisterAccess> = []

  /// Creates an empty ledger.
  package init() {}

  /// Notes an access.
  package func note(_ address: UInt32, bytes: UInt32, isWrite: Bool) {
    let access = RegisterAccess(address: address, bytes: bytes, isWrite: isWrite)
    if isStrict, offence == nil {
      offence = access
      halt()
    }
    guard known.insert(access).inserted else { return }
    accesses.append(access)
    tell(access)
  }

  /// The access that stops a strict run; asked once.
  package func takeOffence() -> RegisterAccess? {
    guard hasOffence else { return nil }
    defer { offence = nil }
    return offence
  }
}
