package import BuiltIn
package import Files
import Findings
package import Schema

/// What a part needs to read its keys: where mistakes go, and the files that the rig names.
package struct PartReader {
  /// The rig's path.
  package let file: String
  /// Takes what is wrong.
  package var checker: Checker
  /// The files that the rig names and that are read, in its order.
  package private(set) var namedFiles: [String] = []
  /// The failures of files that the rig names.
  package private(set) var fileFailures: [Failure] = []

  /// Whether the rig is built in: then what it names is too.
  private let isBuiltIn: Bool

  /// Creates a reader of a rig.
  package init(file: String, checker: Checker, isBuiltIn: Bool = false) {
    self.file = file
    self.checker = checker
    self.isBuiltIn = isBuiltIn
  }

  /// The path of a file that the rig names and keeps, found next to it; it need not be there.
  package mutating func named(_ path: String) -> String {
    let place = TextFile.resolve(path, beside: file)
    namedFiles.append(place)
    return place
  }

  /// The path of what the rig names: a file next to it, else what is built in under that name.
  ///
  /// - Parameters:
  ///   - word: the name.
  ///   - kind: what it names.
  ///   - position: where the rig names it.
  /// - Returns: the path for `NamedInput.open`, or `nil` where there is nothing; the failure has been noted.
  package mutating func named(
    _ word: String?, _ kind: BuiltInFile.Kind, at position: Position? = nil
  ) -> String? {
    let word = word ?? ""
    if isBuiltIn, let input = NamedInput(word, inBuiltIn: kind) { return input.path }
    let place = TextFile.resolve(word, beside: file)
    do throws(Failure) {
      let input = try NamedInput(word, kind, at: place)
      if !input.isBuiltIn { namedFiles.append(input.path) }
      return input.path
    } catch {
      namedFiles.append(place)
      fail(error, at: position)
      return nil
    }
  }

  /// Keeps the failure of a file that the rig names; it names the rig too.
  ///
  /// - Parameters:
  ///   - failure: the failure.
  ///   - position: where the rig names the file.
  package mutating func fail(_ failure: Failure, at position: Position? = nil) {
    fileFailures.append(naming(failure, at: position))
  }

  /// The failure of a file that the rig names; it names the rig too.
  private func naming(_ failure: Failure, at position: Position?) -> Failure {
    let place = Finding.Place(file: file, line: position?.line, column: position?.column)
    return Failure(
      failure.kind,
      failure.findings + [Finding(.error, "file", at: place, "the rig names this file")])
  }
}
