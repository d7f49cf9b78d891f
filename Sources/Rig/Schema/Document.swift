import Files
import Foundation
import Text
import Yams

/// Reads YAML files into checked values.
package enum Document {
  /// The longest file that is read, in bytes.
  package static let longest = 1 << 20

  /// Checks the text of a file against a section.
  ///
  /// The value holds what is right of it; the checker holds the mistakes.
  ///
  /// - Throws: `Mistake` when the text is no YAML at all, or not what it is meant to be; then nothing of it is told.
  package static func read(
    _ text: String, file: String, as section: Section, named name: String,
    kind: DocumentKind? = nil
  ) throws(Mistake) -> (value: CheckedValue, checker: Checker) {
    func foreign(_ kind: DocumentKind) -> Mistake {
      Mistake(
        file: file, position: Position(line: 1, column: 1), message: kind.refusal(section))
    }
    let node: Node
    do throws(Mistake) {
      node = try compose(text, file: file)
    } catch {
      if let kind, !kind.matches(text, section), !text.isEmpty { throw foreign(kind) }
      throw error
    }
    if let kind, !kind.matches(node, section) { throw foreign(kind) }
    var checker = Checker(file: file)
    return (checker.check(node, .section(section), named: name), checker)
  }

  private static func compose(_ text: String, file: String) throws(Mistake) -> Node {
    func mistake(_ position: Position, _ message: String) -> Mistake {
      Mistake(file: file, position: position, message: message)
    }
    let start = Position(line: 1, column: 1)
    guard text.utf8.count <= longest else {
      throw mistake(start, "the file is longer than \(longest) bytes")
    }
    // The parser descends as deep as the document nests.
    var result: Result<Node, any Error>?
    let wasRun = KnownStack.run { result = Result { try bounded(text) } }
    guard wasRun, let result else {
      throw mistake(start, "there is not enough memory to read the file")
    }
    do {
      return try result.get()
    } catch let error as DocumentSize.Excess {
      throw mistake(error.position, error.message)
    } catch let error as YamlError {
      throw mistake(error.position ?? start, error.problem)
    } catch {
      throw mistake(start, "\(error)")
    }
  }

  /// The document, if it is not empty and does not stand for more than it should.
  private static func bounded(_ text: String) throws -> Node {
    // Every scalar is taken by its text: what YAML would make of it is never asked.
    // A byte order mark, as some editors write it, is no part of the first key.
    let text = text.hasPrefix("\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
    let withoutAliases = Aliases.replaced(in: text)
    let parser = try Parser(yaml: withoutAliases ?? text, resolver: .basic)
    // Nodes know their anchors only as long as there is the parser.
    let root = try withExtendedLifetime(parser) {
      guard let root = try parser.singleRoot() else {
        throw DocumentSize.Excess(
          position: Position(line: 1, column: 1), message: "the file is empty")
      }
      try DocumentSize.check(root, hasAliases: withoutAliases != nil)
      return root
    }
    guard withoutAliases != nil else { return root }
    return try Yams.compose(yaml: text, .basic) ?? root
  }
}

extension YamlError {
  /// Where the parser stumbled.
  fileprivate var position: Position? {
    switch self {
    case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _):
      Position(line: mark.line, column: mark.column)
    case .duplicatedKeysInMapping(_, let context):
      Position(line: context.mark.line, column: context.mark.column)
    default: nil
    }
  }

  /// What the parser says, without the text around.
  fileprivate var problem: String {
    switch self {
    case .scanner(let context, let problem, _, _), .parser(let context, let problem, _, _),
      .composer(let context, let problem, _, _):
      context.map { "\(problem) (\($0.text))" } ?? problem
    case .duplicatedKeysInMapping(let duplicates, _):
      "key '\(duplicates.prefix(5).map(\.clipped).joined(separator: "', '"))' stands twice"
    case .reader(let problem, let offset, _, _):
      problem + (offset.map { " at byte \($0)" } ?? "")
    default: "not readable as YAML"
    }
  }
}
