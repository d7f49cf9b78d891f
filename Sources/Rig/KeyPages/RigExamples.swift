import Chips
import Parts
package import Schema
import Text

/// Examples for the reference of keys: the parts of a rig that show a group of keys.
///
/// Each is a rig once the keys that it lacks are added; a test checks all of them.
package enum RigExamples {
  /// What stands in a rig whose example leaves it out.
  private static let otherwise: [(key: String, text: String)] = [
    ("name", "name: example"),
    ("duration", "duration: 3h"),
    ("buses", "buses: [{number: 1, devices: [\(part)]}]"),
  ]

  /// The whole rig of an example.
  package static func rig(_ example: String) -> String {
    let lines = example.split(separator: "\n")
    let hasFleet = lines.contains { $0.hasPrefix("fleet:") }
    let given = otherwise.filter { other in
      !lines.contains { $0.hasPrefix("\(other.key):") } && !(other.key == "buses" && hasFleet)
    }
    return given.map { $0.text + "\n" }.joined() + example + "\n"
  }

  /// The example of a group of keys.
  ///
  /// - Parameters:
  ///   - title: its heading in the reference.
  ///   - section: the group.
  /// - Returns: the example, or `nil` where there is none.
  package static func example(_ title: String, _ section: Section) -> String? {
    if let text = texts[title] { return text }
    if let kind = title.behind("faults, kind: ") { return fault(kind) }
    if let rest = title.behind("buses: devices, model: ") { return device(rest, section) }
    return nil
  }

  private static let texts = [beginnings, air, cabin, reading, judging]
    .reduce(into: [:]) { $0.merge($1) { first, _ in first } }

  private static func fault(_ kind: String) -> String {
    let bridge = """
      buses:
        - number: 1
          bridge: automat
          devices: [\(part)]

      """
    return (kind.hasPrefix("bridge-") ? bridge : "")
      + "faults: [{at: 10min, kind: \(kind), \(faults[kind] ?? "count: 2")}]"
  }

  /// A device of a model, with a group of its keys where the heading names one.
  ///
  /// - Parameters:
  ///   - heading: the models, and the key of the group: `a, b: offset`.
  ///   - section: the group.
  /// - Returns: the device on its bus, or `nil` where there is no such model.
  private static func device(_ heading: String, _ section: Section) -> String? {
    let parts = heading.split(separator: ":", maxSplits: 1).map {
      $0.drop { $0 == " " }
    }
    let name = String(parts[0].prefix { $0 != "," })
    guard let address = Catalogue.model(named: name)?.addresses.first else { return nil }
    var keys = "address: \(address), model: \(name)"
    if parts.count > 1, let example = section.example {
      keys += ", \(parts[1]): \(example)"
    } else if parts.count > 1 {
      let values = section.fields.compactMap { field in
        value(field.shape).map { "\(field.name): \($0)" }
      }
      keys += ", \(parts[1]): {\(values.prefix(3).joined(separator: ", "))}"
    } else {
      keys += ", noise: datasheet, timing: drawn"
    }
    return "buses:\n  - number: 1\n    devices:\n      - {\(keys)}"
  }

  /// A value that fits a shape.
  private static func value(_ shape: Shape) -> String? {
    switch shape {
    case .word(let words): words.last
    case .integer(let range): "\(min(max(5, range.lowerBound), range.upperBound))"
    case .choice(let numbers): numbers.last.map { "\($0)" }
    case .boolean: "true"
    default: shape.example
    }
  }
}

extension String {
  /// What stands behind a beginning; `nil` where the text begins otherwise.
  fileprivate func behind(_ beginning: String) -> String? {
    hasPrefix(beginning) ? String(dropFirst(beginning.count)) : nil
  }
}
