/// One named defect: a change in an otherwise right program.
package struct Defect: Hashable, Sendable, CustomStringConvertible {
  /// What it changes.
  package enum Change: Sendable {
    /// The way from bytes to values.
    case decoding(@Sendable (inout Decoding) -> Void)
    /// What is done on the bus.
    case conduct(@Sendable (inout BusBehavior) -> Void)
  }

  /// The id of its class.
  package let classID: String
  /// Its name within the class; defects of one class differ by it.
  package let name: String
  /// In which formula it can be; any where `nil`.
  package let formula: Formula.Kind?
  package let change: Change

  /// The id and the name: `B06 low-byte-signed`.
  package var title: String { "\(classID) \(name)" }
  /// The title.
  package var description: String { title }
  /// The class.
  package var defectClass: DefectClass? { DefectClass.named(classID) }

  /// Whether two defects are the same.
  package static func == (one: Defect, other: Defect) -> Bool { one.title == other.title }
  /// Feeds the name.
  package func hash(into hasher: inout Hasher) { hasher.combine(title) }

  /// Whether its amount is found by comparing, and not by trying: a correction may be any.
  package var isFitted: Bool { classID == "B49" }

  /// Which quantities it can change.
  package var reach: QuantitySet {
    guard case .decoding(let change) = change else { return [] }
    var decoding = Decoding()
    change(&decoding)
    return decoding.reach
  }

  /// Whether it changes the way from bytes to values, and not what is done on the bus.
  package var isDecoding: Bool {
    if case .decoding = change { true } else { false }
  }

  package static func decoding(
    _ id: String, _ name: String, in formula: Formula.Kind? = nil,
    _ change: @escaping @Sendable (inout Decoding) -> Void
  ) -> Defect {
    Defect(classID: id, name: name, formula: formula, change: .decoding(change))
  }

  package static func conduct(
    _ id: String, _ name: String, _ change: @escaping @Sendable (inout BusBehavior) -> Void
  ) -> Defect {
    Defect(classID: id, name: name, formula: nil, change: .conduct(change))
  }

  /// The classes that are about what is done on the bus, and not about decoding its bytes alone.
  package static let classesOnTheBus: Set<String> = Set(DefectClass.all.map(\.id)).subtracting(
    decodings.map(\.classID)
  ).union(conducts.map(\.classID)).subtracting(["B34"])

  /// The classes that what a program does tells alone, whatever the part does: whoever is not heard doing it does not.
  package static let classesAlwaysHeard: Set<String> = ["B30", "B33", "B45"]

  /// All defects, in the order of their classes.
  package static let all = decodings + conducts
}
