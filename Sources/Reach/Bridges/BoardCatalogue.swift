extension BoardModel {
  /// All board kinds, the default first; the only list of boards.
  public static let all = [automat]
  /// The default board of a bridge in a rig.
  public static let usual = automat
}
