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

  /// What is not there when the kernel has found no file: the program, or what it is run by.
  static func absence(of name: String) -> InterposerError {
    guard let path = try? find(name) else { return .notFound(name) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    // The kernel looks no further for an interpreter.
    let start = [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, 256))
    }
    if start.starts(with: "#!".utf8) {
      let line = start.dropFirst(2).prefix { $0 != 0x0A }
      let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 })
      if let first = words.first {
        return .noInterpreter(name, String(decoding: first, as: UTF8.self))
      }
    }
    let isELF = start.starts(with: [0x7F, 0x45, 0x4C, 0x46])
    return isELF ? .noInterpreter(name, "a loader of shared libraries") : .notFound(name)
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = Glibc.stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
