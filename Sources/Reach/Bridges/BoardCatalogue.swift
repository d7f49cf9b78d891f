extension BoardModel {
  /// All kinds of bridge boards, the default kind first; there is no other list of boards.
  public static let all = [automat]
  /// The default board of a bridge in a rig.
  public static let usual = automat
}
