extension BoardModel {
  /// All kinds, the usual one first: the only list of boards.
  public static let all = [automat]
  /// The kind that a rig's bridge has unless it says another.
  public static let usual = automat
}
