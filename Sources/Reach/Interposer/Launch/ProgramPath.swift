import Glibc

/// Where a program lies, as a shell would find it.
enum ProgramPath {
  /// Finds a program by its path or, without a slash, in PATH.
  ///
  /// - Throws: ``InterposerError`` when there is none, or none that can be run.
  static func find(_ name: String) throws(InterposerError) -> String {
    guard !name.isEmpty else { throw .notFound(name) }
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    let candidates =
      name.contains("/")
      ? [name]
      : folders.split(separator: ":", omittingEmptySubsequences: false)
        .map { ($0.isEmpty ? "." : String($0)) + "/" + name }
    for path in candidates where !isDirectory(path) && access(path, X_OK) == 0 { return path }
    guard let found = candidates.first(where: { access($0, F_OK) == 0 }) else {
      throw .notFound(name)
    }
    throw .notRunnable(name, isDirectory(found) ? "it is a directory" : "permission denied")
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = Glibc.stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
