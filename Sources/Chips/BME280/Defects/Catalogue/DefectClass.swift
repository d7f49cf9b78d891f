/// A class of defects that shipped in public drivers.
package struct DefectClass: Hashable, Sendable {
  /// Its id, `B01` to `B66` and `B16b`.
  package let id: String
  /// What the programs did.
  package let title: String
  /// What their users saw.
  package let symptom: String
  /// On which parts and in which air it does not show; `nil` where it always does.
  package let hiddenBy: String?
  /// What to do instead.
  package let fix: String
  /// Where the datasheet says so (BST-BME280-DS001, section), if it does.
  package let datasheet: String?
  /// Where it shipped.
  package let evidence: String

  package init(
    _ id: String, _ title: String, symptom: String, hiddenBy: String? = nil, fix: String,
    datasheet: String? = nil, evidence: String
  ) {
    self.id = id
    self.title = title
    self.symptom = symptom
    self.hiddenBy = hiddenBy
    self.fix = fix
    self.datasheet = datasheet
    self.evidence = evidence
  }

  /// All classes, in the order of their ids.
  package static let all = calibration + arithmetic + protocols + bus + later + courses

  /// The class with an id.
  package static func named(_ id: String) -> DefectClass? { all.first { $0.id == id } }

  /// Classes that no wrong decoding, order or timing on a bench with one part expresses, and why.
  package static let inexpressible: [(id: String, reason: String)] = [
    (
      "B31",
      "what the first filtered value of a real part is, nobody knows; see the switch filter_start"
    ),
    (
      "B35",
      "a stale buffer after a failed read shows any earlier bytes; the failed read itself is told"
    ),
    ("B36", "the address of another device needs two parts whose readings cannot be told apart"),
    ("B46", "two settings exchanged are two settings that somebody may want"),
    (
      "B47",
      "what an earlier program has left is not in the conversation of this one; the scenario left-in-normal-mode shows it"
    ),
    (
      "B60", "a value that is shown again was decoded rightly; see failures-in-weather, unplugged"
    ),
    ("B61", "how numbers are printed is behind the decoding; see just-below-zero, small-fractions"),
    ("B62", "a wait that is right at one speed of the bus is wrong at another; see fast-bus"),
    ("B63", "a value that is kept was decoded rightly; see same-codes"),
    ("B64", "it takes a long run to see it; see long-run"),
    ("B65", "what a program holds is no matter of the conversation; see long-run"),
    ("B66", "a value that is kept was decoded rightly; see weather"),
    ("B55", "warmth is no matter of the conversation; the scenario self-heating shows it"),
    ("B56", "a look that is missing says nothing while the right chip answers; see wrong-chip"),
  ]
}
