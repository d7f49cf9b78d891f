import Foundation
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// One table defines each event and its fields; the documentation page is generated from it.
struct EventTableTests {
  /// The keys of an object in the order of their lines.
  static func keys(_ json: JSONValue) -> [String] {
    guard case .object(let fields) = json else { return [] }
    return fields.map(\.key)
  }

  @Test(
    "each event of every rig has only the documented fields of its kind, in the documented order",
    arguments: SameEventsTests.rigs)
  func fields(_ name: String) throws {
    let rig = try Rig(path: Fixtures.root.appending(path: "rigs/\(name)").path)
    var wrong: Set<String> = []
    try RigRun(rig).run { event in
      let keys = Self.keys(event.json)
      let known = ["event"] + event.kind.fields.map(\.name)
      if known.filter(keys.contains) != keys { wrong.insert("\(event.kind): \(keys)") }
    }
    #expect(wrong == [])
  }

  @Test("each kind of event is documented with its occasion and the meaning of each field")
  func kinds() {
    for kind in RunEvent.Kind.allCases {
      let names = kind.fields.map(\.name)
      #expect(!names.isEmpty && Set(names).count == names.count, "\(kind)")
      #expect(kind.fields.allSatisfy { !$0.meaning.isEmpty } && !kind.occasion.isEmpty)
      #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "_" || $0.isNumber } })
    }
    let arrays = RunEvent.Kind.allCases.compactMap(\.array)
    #expect(Set(arrays).count == arrays.count)
  }

  @Test("the documentation page equals the one generated from the table")
  func page() throws {
    let kept = try Fixtures.text("Sources/Rig/Runs/Runs.docc/Events.md")
    #expect(
      kept == EventPage.text,
      "aneroid rig reference --events > Sources/Rig/Runs/Runs.docc/Events.md")
  }
}
