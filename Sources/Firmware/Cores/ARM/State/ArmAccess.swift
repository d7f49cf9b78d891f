/// What an access asks for beside its number of bytes.
enum ArmAccess {
  /// The rights of an unprivileged program, whoever runs.
  static let asUser: UInt32 = 0x100
}
