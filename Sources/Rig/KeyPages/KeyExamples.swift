import Rigs
import Schema
import Text

/// An example of each key of a rig: what stands at its place, and a whole rig with it.
///
/// Values follow from the shapes; `KeyExamples.values` and `KeyExamples.company` say what no shape can know.
package struct KeyExample: Sendable {
  /// The heading of the group in the reference.
  package let title: String
  /// The key.
  package let key: String
  /// The key with its value, on one line: `within: 20Pa`.
  package let text: String
  /// A rig in which it stands.
  package let rig: String
}

package enum KeyExamples {
  /// The examples of all keys, in the order of the reference.
  package static let all: [KeyExample] = {
    var all: [KeyExample] = []
    walk("A rig", RigSchema.rig, in: &all) { $0 }
    return all
  }()

  /// The examples by their headings and keys.
  private static let byKey = Dictionary(all.map { ("\($0.title)|\($0.key)", $0) }) { first, _ in
    first
  }

  /// The example of a key.
  static func example(_ title: String, _ key: String) -> KeyExample? { byKey["\(title)|\(key)"] }

  private static func walk(
    _ title: String, _ section: Section, in all: inout [KeyExample],
    _ wrap: @escaping (String) -> String
  ) {
    for field in section.fields {
      let others = title == "A rig" ? [] : company(title, section, field)
      let value = value(title, field, of: section)
      let text = "\(field.name): \(value)"
      all.append(
        KeyExample(
          title: title, key: field.name, text: text,
          rig: rig(title, field.name, wrap((others + [text]).joined(separator: ", ")))))
      guard field.describedAt == nil else { continue }
      let inner = title == "A rig" ? field.name : "\(title): \(field.name)"
      descend(inner, field.shape, in: &all) { content in
        wrap((others + ["\(field.name): \(content)"]).joined(separator: ", "))
      }
    }
  }

  /// A whole rig: what stands in it for a key, and what that needs at the top.
  private static func rig(_ title: String, _ key: String, _ content: String) -> String {
    let place = "\(title)|\(key)"
    let context = contexts.filter { place.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }
    let top = self.key(of: content)
    let isInCabin = place.hasPrefix("buses: devices, ") && key == "module"
    let needed = isInCabin ? inCabin : context?.value ?? usual
    let others = (["name: my-bench"] + needed).filter { self.key(of: $0) != top }
    return "{" + (others + [content]).joined(separator: ", ") + "}\n"
  }

  private static func descend(
    _ title: String, _ shape: Shape, in all: inout [KeyExample],
    _ wrap: @escaping (String) -> String
  ) {
    switch shape {
    case .section(let section): walk(title, section, in: &all) { wrap("{\($0)}") }
    case .list(let element), .listOrNone(let element):
      descend(title, element, in: &all) { wrap("[\($0)]") }
    case .either(let shapes): for shape in shapes { descend(title, shape, in: &all, wrap) }
    case .variants(let discriminator, let sections):
      for words in Section.alike(sections) {
        guard let section = sections[words[0]] else { continue }
        walk(
          "\(title), \(discriminator): \(words.joined(separator: ", "))",
          section.variant(words, of: discriminator), in: &all
        ) { wrap("{\($0)}") }
      }
    default: break
    }
  }

  /// What else must stand in the group where a key stands.
  private static func company(
    _ title: String, _ section: Section, _ field: Section.Field
  ) -> [String] {
    guard !section.isChoice else { return [] }
    let named =
      companions["\(title)|\(field.name)"] ?? companions["\(title)|"]
      ?? section.example.map(items) ?? []
    let others = named.filter { key(of: $0) != field.name }
    let given = Set(named.map(key) + [field.name])
    let isMissing = given.isDisjoint(with: section.alternatives)
    let alternative = isMissing ? section.alternatives.first : nil
    let required = section.fields.filter {
      ($0.isRequired || $0.name == alternative) && !given.contains($0.name)
    }
    return required.map { "\($0.name): \(value(title, $0, of: section))" } + others
  }

  private static func key(of item: String) -> String { String(item.prefix { $0 != ":" }) }

  /// The items of a group in braces.
  private static func items(_ group: String) -> [String] {
    var items = [""]
    var depth = 0
    for character in group.dropFirst().dropLast() {
      if "[{".contains(character) { depth += 1 }
      if "]}".contains(character) { depth -= 1 }
      if character == ",", depth == 0 {
        items.append("")
      } else if !(items[items.count - 1].isEmpty && character == " ") {
        items[items.count - 1].append(character)
      }
    }
    return items
  }

  /// The value of a key.
  private static func value(_ title: String, _ field: Section.Field, of section: Section) -> String
  {
    let kind = title.split(separator: ",").first.map(String.init) ?? title
    let named =
      values["\(title)|\(field.name)"] ?? values["\(kind)|\(field.name)"] ?? field.example
      ?? values[field.name]
    if let named { return named }
    let inGroup = section.example.map(items)?.first { key(of: $0) == field.name }
    if let inGroup { return String(inGroup.dropFirst(field.name.count + 2)) }
    return value(title, field.shape) ?? "?"
  }

  private static func value(_ title: String, _ shape: Shape) -> String? {
    switch shape {
    case .word(let words): return words.first
    case .integer(let range): return "\(min(max(2, range.lowerBound), range.upperBound))"
    case .number(let range):
      return Decimal.shortest(min(max(0.5, range.lowerBound), range.upperBound))
    case .choice(let numbers): return numbers.last.map { "\($0)" }
    case .address(let addresses):
      return addresses.first.map { "0x" + Hexadecimal.digits(UInt8($0)) }
    case .boolean: return "true"
    case .list(let element), .listOrNone(let element):
      return value(title, element).map { "[\($0)]" }
    case .section(let section):
      if let example = section.example { return example }
      let fields = section.fields.filter(\.isRequired)
      let shown = fields.isEmpty ? Array(section.fields.prefix(1)) : fields
      return "{"
        + shown.map { "\($0.name): \(value(title, $0, of: section))" }.joined(separator: ", ") + "}"
    case .variants(let discriminator, let sections):
      guard let word = sections.keys.min(), let section = sections[word] else { return nil }
      return value(title, .section(section.variant(word, of: discriminator)))
    case .either(let shapes): return shapes.lazy.compactMap { value(title, $0) }.first
    case .text, .path, .quantity, .moment, .hexadecimal: return shape.example
    }
  }
}
