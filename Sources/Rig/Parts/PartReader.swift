package import I2C
package import Schema
package import Support

/// The context for reading the keys of a part: it collects errors and resolves the files that a rig
/// references.
package struct PartReader {
  /// The path of the rig.
  package let file: String
  /// Collects the errors in the rig.
  package var checker: Checker
  /// The files that the rig references, in the order of the references.
  package private(set) var namedFiles: [String] = []
  /// The failures to read files that the rig references.
  package private(set) var fileFailures: [Failure] = []

  /// Whether parts are harsh unless their keys say otherwise.
  ///
  /// Default: `false`.
  package var isHarsh = false

  /// `true` for a built-in rig, whose references are resolved to built-in files first.
  private let isBuiltIn: Bool

  /// Creates a reader of a rig.
  package init(file: String, checker: Checker, isBuiltIn: Bool = false) {
    self.file = file
    self.checker = checker
    self.isBuiltIn = isBuiltIn
  }

  /// Resolves the path of a file that the rig references, relative to the rig; the file need not exist.
  package mutating func named(_ path: String) -> String {
    let resolved = TextFile.resolve(path, relativeTo: file)
    namedFiles.append(resolved)
    return resolved
  }

  /// Resolves a reference in the rig: a file relative to the rig, else a built-in file of that name.
  ///
  /// - Parameters:
  ///   - word: the path or name.
  ///   - kind: the kind of file.
  ///   - position: the position of the reference in the rig.
  /// - Returns: the path for `NamedInput.open`, or `nil` if nothing was found; the failure has been noted.
  package mutating func named(
    _ word: String?, _ kind: BuiltInFile.Kind, at position: Position? = nil
  ) -> String? {
    let word = word ?? ""
    if isBuiltIn, let input = NamedInput(word, inBuiltIn: kind) { return input.path }
    let resolved = TextFile.resolve(word, relativeTo: file)
    do throws(Failure) {
      let input = try NamedInput(word, kind, at: resolved)
      if !input.isBuiltIn { namedFiles.append(input.path) }
      return input.path
    } catch {
      namedFiles.append(resolved)
      fail(error, at: position)
      return nil
    }
  }

  /// Notes the failure to read a referenced file, with the position of the reference.
  ///
  /// - Parameters:
  ///   - failure: the failure.
  ///   - position: the position of the reference in the rig.
  package mutating func fail(_ failure: Failure, at position: Position? = nil) {
    fileFailures.append(naming(failure, at: position))
  }

  /// Returns a failure with an additional finding, which has the position of the reference in the rig.
  private func naming(_ failure: Failure, at position: Position?) -> Failure {
    let location = Finding.Location(file: file, line: position?.line, column: position?.column)
    return Failure(
      failure.kind,
      failure.findings + [Finding(.error, "file", at: location, "the rig references this file")])
  }
}

extension KeyFormat<I2CAddress> {
  /// Any sensor address.
  package static let address = KeyFormat(.anyAddress, text: { "\($0)" }) {
    $0.integer.flatMap { I2CAddress(rawValue: UInt16($0)) }
  }
}
