import Foundation
import Rigs
import Schema
import Support
import TestSupport
import Testing

/// The reference of keys has an example under each heading, and each is a valid rig.
struct RigExampleTests {
  /// The headings of the page, each with its example if there is one.
  static let sections: [(title: String, example: String?)] = {
    var found: [(String, String?)] = []
    var example: [Substring]?
    for line in RigReference.page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("## ") {
        found.append((String(line.dropFirst(3)), nil))
      } else if line == "```yaml" {
        example = []
      } else if line == "```" {
        found[found.count - 1].1 = example?.joined(separator: "\n")
        example = nil
      } else {
        example?.append(line)
      }
    }
    return found.filter { $0.0 != "Overview" }
  }()

  @Test("the key reference has more than 70 headings")
  func count() {
    #expect(Self.sections.count > 70)
  }

  @Test(
    "the example under each heading is a valid rig and contains a key of the heading",
    arguments: sections)
  func example(_ title: String, _ example: String?) throws {
    let example = try #require(example, "\(title) has no example")
    let rig = try Rig(text: RigExamples.rig(example), file: "example.yaml")
    #expect(!rig.name.isEmpty)
    let words = title.split(separator: ": ").last?.split(separator: ", ") ?? []
    // A group of keys in the place of a word begins on a line of its own.
    let isGroup = words == [Section.anyGroup[...]] && example.contains("model:\n")
    #expect(isGroup || title == "A rig" || words.contains { example.contains($0) }, "\(title)")
  }

  @Test("each key has an example, and a rig with it is valid")
  func keys() {
    #expect(KeyExamples.all.count > 400)
    var wrong: [String] = []
    for example in KeyExamples.all {
      do {
        _ = try Rig(text: example.rig, file: "example.yaml")
      } catch {
        wrong.append("\(example.title)|\(example.key): \(error)\n    \(example.rig)")
      }
    }
    #expect(
      wrong.isEmpty, "\(wrong.count) of \(KeyExamples.all.count):\n\(wrong.joined(separator: "\n"))"
    )
  }
}
