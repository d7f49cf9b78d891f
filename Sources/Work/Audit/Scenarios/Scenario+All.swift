extension Scenario {
  /// All scenarios, the calm one first.
  package static let all = [calm] + parts + airs + codes + times + remains + buses + courses

  /// The scenario on which everybody should be right; it tells how a program shows its values.
  package static let calm = Scenario(
    "calm", "A real part in mild air: nothing is special",
    exposes: [
      "B04", "B07", "B08", "B10", "B13", "B14", "B16", "B18", "B19", "B21", "B24", "B29",
      "B33", "B34", "B38", "B39", "B40", "B41", "B45", "B49", "B53", "B57", "B58",
      "B59",
    ])
}
