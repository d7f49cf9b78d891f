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

  /// Creates a reader of a rig.
  package init(file: String, checker: Checker) {
    self.file = file
    self.checker = checker
  }

  /// The path of a file that the rig names, which is found next to it.
  package mutating func named(_ path: String?) -> String {
    let path = TextFile.resolve(path ?? "", beside: file)
    namedFiles.append(path)
    return path
  }

  /// Keeps the failure of a file that the rig names; it names the rig too.
  package mutating func fail(_ failure: Failure) {
    fileFailures.append(naming(failure))
  }

  /// The failure of a file that the rig names; it names the rig too.
  private func naming(_ failure: Failure) -> Failure {
    Failure(
      failure.kind,
      failure.findings + [
        Finding(.error, "file", at: Finding.Place(file: file), "the rig names this file")
      ])
  }
}
