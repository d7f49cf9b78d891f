import Glibc
package import Support

/// The files of a new project: a rig, a test and a workflow.
package struct NewProject: Sendable {
  /// A file of the project.
  package struct File: Sendable {
    /// The path relative to the folder of the project.
    package let path: String
    /// The contents.
    package let text: String

    package init(path: String, text: String) {
      (self.path, self.text) = (path, text)
    }
  }

  /// The files, in the order in which they are reported.
  package let files: [File]

  /// Creates a project from the built-in files and additional ones.
  ///
  /// - Parameter others: the additional files.
  package init(with others: [File]) {
    files =
      BuiltInFile.all.filter { $0.kind == .beginning }.map { file in
        let name = file.path.split(separator: "/").last.map(String.init) ?? ""
        // GitHub and Forgejo read workflows from this folder.
        let folder = name.hasSuffix(".yml") ? ".github/workflows/" : ""
        return File(path: folder + name, text: file.text)
      } + others
  }

  /// The result for a file of the project.
  package enum Outcome: Hashable, Sendable {
    /// The file was missing and has been written.
    case wrote
    /// The file exists with the same text.
    case same
    /// The file exists with a different text and was not changed.
    case differs
  }

  /// Writes the missing files into a folder, which is created if necessary.
  ///
  /// Existing files are not changed.
  ///
  /// - Parameter folder: the folder; `.` or empty for the current one.
  /// - Returns: the result for each of `files`, in order.
  /// - Throws: `Failure` if a file cannot be written; the files written by this call are then removed.
  package func write(to folder: String) throws(Failure) -> [Outcome] {
    var written: [String] = []
    var outcomes: [Outcome] = []
    do throws(Failure) {
      for file in files {
        let path = Self.joined(folder, file.path)
        try Self.makeFolders(of: path)
        if try Self.create(path, file.text) {
          written.append(path)
          outcomes.append(.wrote)
        } else {
          let isSame = (try? TextFile.bytes(path)) == Array(file.text.utf8)
          outcomes.append(isSame ? .same : .differs)
        }
      }
    } catch {
      for path in written { unlink(path) }
      throw error
    }
    return outcomes
  }

  private static func joined(_ folder: String, _ path: String) -> String {
    folder == "." || folder.isEmpty
      ? path : folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
  }

  /// Creates the missing folders in the path of a file.
  private static func makeFolders(of path: String) throws(Failure) {
    var index = path.startIndex
    while let slash = path[index...].firstIndex(of: "/") {
      index = path.index(after: slash)
      let folder = String(path[..<slash])
      guard !folder.isEmpty, mkdir(folder, 0o777) != 0 else { continue }
      // Saved here, because the check below changes errno.
      let reason = errno
      guard TextFile.isFolder(folder) else {
        throw Failure(
          .inputOutput, "\(folder): cannot create the folder: \(String(cString: strerror(reason)))"
        )
      }
    }
  }

  /// Creates a file.
  ///
  /// - Returns: whether it was created; `false` if the path exists, even as a dangling link.
  private static func create(_ path: String, _ text: String) throws(Failure) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    var reason = descriptor < 0 ? errno : 0
    if reason == EEXIST { return false }
    if reason == 0 {
      reason = writeAll(Array(text.utf8), to: descriptor)
      if close(descriptor) != 0, reason == 0 { reason = errno }
      if reason != 0 { unlink(path) }
    }
    guard reason == 0 else {
      throw Failure(
        .inputOutput, "\(path): cannot write the file: \(String(cString: strerror(reason)))")
    }
    return true
  }
}
