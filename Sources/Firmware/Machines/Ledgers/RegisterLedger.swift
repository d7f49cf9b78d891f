/// An access to a register.
package struct RegisterAccess: Hashable, Sendable {
  /// Its address.
  package let address: UInt32
  /// How many bytes: 1, 2 or 4.
  package let bytes: UInt32
  /// Whether the program wrote.
  package let isWrite: Bool
  /// The function of the register that is not modelled, for example "input capture"; `nil` if the whole register is not.
  package let mode: String?

  /// Creates an access.
  package init(address: UInt32, bytes: UInt32, isWrite: Bool, mode: String? = nil) {
    self.address = address
    self.bytes = bytes
    self.isWrite = isWrite
    self.mode = mode
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
  /// Takes each hint that is new: a sentence about something that is modelled, but has nothing connected to it.
  package var tellHint: (String) -> Void = { _ in }
  /// Ends the run that is under way; the machine sets it.
  package var halt: () -> Void = {}
  /// The accesses, in the order in which they came first.
  package private(set) var accesses: [RegisterAccess] = []
  /// The access that stops a strict run, until somebody has taken it.
  package private(set) var offence: RegisterAccess? { didSet { hasOffence = offence != nil } }
  /// Whether there is one: asked between instructions, where a copy of the access would cost.
  @exclusivity(unchecked) package private(set) var hasOffence = false

  /// How many accesses there were in all, and the last of them.
  package private(set) var total = 0
  package private(set) var last: RegisterAccess?

  private var known: Set<RegisterAccess> = []
  private var hints: Set<String> = []

  /// Creates an empty ledger.
  package init() {}

  /// Notes an access.
  ///
  /// - Parameters:
  ///   - address: the register's address.
  ///   - bytes: the width of the access.
  ///   - isWrite: whether the program wrote.
  ///   - mode: the function of the register that is not modelled; `nil` if the whole register is not.
  package func note(_ address: UInt32, bytes: UInt32, isWrite: Bool, mode: String? = nil) {
    let access = RegisterAccess(address: address, bytes: bytes, isWrite: isWrite, mode: mode)
    total += 1
    last = access
    if isStrict, offence == nil {
      offence = access
      halt()
    }
    guard known.insert(access).inserted else { return }
    accesses.append(access)
    tell(access)
  }

  /// Reports a hint once; it stops no run.
  package func hint(_ text: String) {
    if hints.insert(text).inserted { tellHint(text) }
  }

  /// The access that stops a strict run; asked once.
  package func takeOffence() -> RegisterAccess? {
    guard hasOffence else { return nil }
    defer { offence = nil }
    return offence
  }
}
