package import Support

/// Register names from a CMSIS-SVD file.
///
/// Only the elements that affect names are read, namely peripherals with their base addresses, registers and clusters
/// with their offsets, arrays, and derived peripherals.
package struct RegisterNames: Sendable {
  /// The register names, by address.
  private var names: [UInt32: String] = [:]

  /// Reads an SVD file.
  ///
  /// - Throws: `Failure` if the file cannot be read or contains no peripheral.
  package init(path: String) throws(Failure) {
    try self.init(TextFile.read(path), path: path)
  }

  /// Parses the text of an SVD file; the path is used in error messages only.
  ///
  /// - Throws: `Failure` if the text is not well-formed XML or contains no peripheral.
  package init(_ text: String, path: String) throws(Failure) {
    guard let root = XMLElement(reading: text) else {
      throw Failure(.badContent, "\(path): the file is not well-formed XML")
    }
    let peripherals = root.all("peripherals").flatMap { $0.all("peripheral") }
    guard !peripherals.isEmpty else {
      throw Failure(.badContent, "\(path): the file is not CMSIS-SVD: it has no peripherals")
    }
    for peripheral in peripherals {
      guard let base = peripheral.number("baseAddress"), let name = peripheral.text("name") else {
        continue
      }
      var source = peripheral
      if let origin = peripheral.attributes["derivedFrom"], peripheral.first("registers") == nil {
        source = peripherals.first { $0.text("name") == origin } ?? peripheral
      }
      if let registers = source.first("registers") { add(registers, base, name + ".", depth: 0) }
    }
  }

  /// Returns the name of the register at an address, such as `UARTE0.PSEL.TXD`.
  package func name(at address: UInt32) -> String? {
    names[address] ?? names[address & ~3]
  }

  private mutating func add(_ list: XMLElement, _ base: UInt32, _ prefix: String, depth: Int) {
    guard depth < 4 else { return }
    for item in list.children where item.name == "register" || item.name == "cluster" {
      guard let offset = item.number("addressOffset"), let name = item.text("name") else {
        continue
      }
      let count = min(item.number("dim") ?? 1, 1024)
      let step = item.number("dimIncrement") ?? 0
      for index in 0..<count {
        let address = base &+ offset &+ index &* step
        let full = prefix + name.replacing("%s", with: "\(index)")
        if item.name == "cluster" {
          add(item, address, full + ".", depth: depth + 1)
        } else if names[address] == nil {
          names[address] = full.visible
        }
      }
    }
  }
}

extension XMLElement {
  /// Returns the number in a child element, which may be decimal, hexadecimal (0x) or binary (#).
  fileprivate func number(_ name: String) -> UInt32? {
    guard let text = text(name)?.lowercased() else { return nil }
    if text.hasPrefix("0x") { return UInt32(text.dropFirst(2), radix: 16) }
    if text.hasPrefix("#") { return UInt32(text.dropFirst(), radix: 2) }
    return UInt32(text)
  }
}

/// An XML element with its text and children; only the XML subset of SVD files is supported.
struct XMLElement {
  let name: String
  var attributes: [String: String] = [:]
  var text = ""
  /// The child elements.
  var children: [XMLElement] = []

  /// The maximum nesting depth.
  private static let deepest = 64

  init(name: String) { self.name = name }

  /// Parses the root element of a text; returns `nil` if the text is not well-formed XML.
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

  /// Returns the end of the comment, CDATA section, declaration or processing instruction with which a text starts.
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

  /// Returns the children with a name.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// Returns the first child with a name.
  func first(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// Returns the text of the first child with a name.
  func text(_ name: String) -> String? { first(name).map(\.text.trimmedLines) }
}
