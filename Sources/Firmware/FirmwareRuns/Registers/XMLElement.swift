import Text

/// An element of XML with its text and its children: as much of XML as descriptions of registers use.
struct XMLElement {
  /// Its name.
  let name: String
  /// Its attributes.
  var attributes: [String: String] = [:]
  /// The text in it.
  var text = ""
  /// The elements in it.
  var children: [XMLElement] = []

  /// Elements deeper than this are no description of registers.
  private static let deepest = 64

  init(name: String) { self.name = name }

  /// Reads the only element of a text; `nil` where it is not well formed.
  init?(reading text: String) {
    var open = [XMLElement(name: "")]
    var rest = Substring(text)
    while let start = rest.firstIndex(of: "<") {
      open[open.count - 1].text += rest[..<start]
      rest = rest[start...]
      if let end = Self.skipped(rest) {
        rest = rest[end...]
        continue
      }
      guard let end = rest.firstIndex(of: ">") else { return nil }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        guard open.count > 1, let done = open.popLast(), tag.dropFirst().trimmed == done.name
        else { return nil }
        open[open.count - 1].children.append(done)
      } else {
        let element = Self.opened(tag)
        if tag.hasSuffix("/") {
          open[open.count - 1].children.append(element)
        } else {
          guard open.count < Self.deepest else { return nil }
          open.append(element)
        }
      }
    }
    guard open.count == 1, open[0].children.count == 1 else { return nil }
    self = open[0].children[0]
  }

  /// Where a comment, a declaration or an instruction ends, at which a text begins.
  private static func skipped(_ text: Substring) -> Substring.Index? {
    for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")]
    where text.hasPrefix(start) {
      return text.firstRange(of: end)?.upperBound
    }
    return nil
  }

  private static func opened(_ tag: Substring) -> XMLElement {
    let body = tag.hasSuffix("/") ? tag.dropLast() : tag
    let name = body.prefix { !$0.isWhitespace }
    var element = XMLElement(name: String(name))
    for match in body.dropFirst(name.count).matches(of: /(\w+)\s*=\s*["']([^"']*)["']/) {
      element.attributes[String(match.output.1)] = String(match.output.2)
    }
    return element
  }

  /// The children of a name.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// The first child of a name.
  func first(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// The text of the first child of a name.
  func text(_ name: String) -> String? { first(name).map(\.text.trimmedLines) }
}
