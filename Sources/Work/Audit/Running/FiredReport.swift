/// What `exec` says of a planned failure: `fault bit-flip on bus 1 fired 1 of 3 times`.
enum FiredReport {
  /// As often as there are transfers: it need not all happen.
  private static let endless = 1_000_000

  /// Whether a line tells of a failure that did not happen, or not as often as planned.
  static func isUnfired(_ line: String) -> Bool {
    guard let match = line.firstMatch(of: /\ fired ([0-9]+)(?: of ([0-9]+))? times/),
      let count = Int(match.1)
    else { return false }
    let planned = match.2.flatMap { Int($0) } ?? endless
    return planned >= endless ? count == 0 : count < planned
  }
}
