import Foundation
import TestSupport
import Testing

/// Hand-written defects of the readers in Tests/Peers/audit.
struct Mutant: CustomTestStringConvertible, Sendable {
  /// The class and the description.
  let title: String
  /// The reader with the defect.
  let source: String

  var classID: String { String(title.prefix { $0 != " " }) }
  var testDescription: String { title }
}

enum Mutants {
  /// An error in a list of mutants.
  struct Mistake: Error {
    let title: String, text: String
  }

  /// Returns the mutants of a reader.
  ///
  /// - Throws: `Mistake` if a replaced text does not occur exactly once.
  static func of(_ reader: String) throws -> [Mutant] {
    let source = try Fixtures.text("Tests/Peers/audit/\(reader)")
    let list = try Fixtures.text("Tests/Peers/audit/\(reader).mutants")
    return try list.split(separator: "\n@ ").dropFirst().map { block in
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
      let title = String(lines[0])
      var changed = source
      var (old, new): ([Substring], [Substring]) = ([], [])
      func apply() throws {
        guard !old.isEmpty else { return }
        let text = old.joined(separator: "\n")
        guard changed.components(separatedBy: text).count == 2 else {
          throw Mistake(title: title, text: text)
        }
        changed = changed.replacing(text, with: new.joined(separator: "\n"))
        (old, new) = ([], [])
      }
      for line in lines.dropFirst() {
        switch line.first {
        case "-":
          if !new.isEmpty { try apply() }
          old.append(line.dropFirst())
        case "+": new.append(line.dropFirst())
        default: try apply()
        }
      }
      try apply()
      return Mutant(title: title, source: changed)
    }
  }

  private static let folder: URL = {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "mutants-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }()

  /// Writes a program and returns its path.
  static func written(_ source: String, name: String) throws -> String {
    let path = folder.appending(path: name).path
    try source.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  /// Compiles a C program and returns its path.
  static func compiled(_ source: String, name: String) throws -> String {
    let path = try written(source, name: "\(name).c")
    let program = String(path.dropLast(2))
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/gcc"), ["-O1", "-w", path, "-o", program])
    try #require(result.status == 0, "\(result.errors)")
    return program
  }
}
