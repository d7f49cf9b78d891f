import Glibc

/// Functions that list, create and remove folders.
package enum Folder {
  /// Returns the names in a folder, unsorted and without `.` and `..`; `nil` if the folder is not
  /// readable.
  package static func names(in path: String) -> [String]? {
    entries(in: Array(path.utf8)).map { $0.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Returns the names in a folder as bytes, because they need not be UTF-8.
  private static func entries(in path: [UInt8]) -> [[UInt8]]? {
    let folder = (path + [0]).withUnsafeBytes {
      $0.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap(opendir) }
    }
    guard let folder else { return nil }
    defer { closedir(folder) }
    var entries: [[UInt8]] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != [0x2E], name != [0x2E, 0x2E] { entries.append(name) }
    }
    return entries
  }

  /// Creates a folder and its missing parents; an existing folder is unchanged.
  ///
  /// - Throws: `Failure` of kind `inputOutput`.
  package static func make(_ path: String) throws(Failure) {
    let reason = made(path)
    guard reason == 0 else {
      throw Failure(
        .inputOutput, "\(path): cannot be created: \(String(cString: strerror(reason)))")
    }
  }

  /// Creates a folder and its missing parents; returns 0 on success, otherwise the errno.
  private static func made(_ path: String) -> Int32 {
    guard mkdir(path, 0o777) != 0 else { return 0 }
    let reason = errno
    if TextFile.isFolder(path) { return 0 }
    let parent = FilePath.folder(of: path)
    guard reason == ENOENT, !parent.isEmpty, parent != path, made(parent) == 0 else {
      return reason
    }
    return mkdir(path, 0o777) == 0 || TextFile.isFolder(path) ? 0 : errno
  }

  /// Removes a file, or a folder with its content, as far as permissions allow.
  ///
  /// Symbolic links are removed, not followed.
  package static func remove(_ path: String) {
    remove(Array(path.utf8))
  }

  private static func remove(_ path: [UInt8]) {
    func removed() -> Int32 {
      (path + [0]).withUnsafeBytes {
        $0.withMemoryRebound(to: CChar.self) { $0.baseAddress.map(Glibc.remove) ?? 0 }
      }
    }
    guard removed() != 0, errno == ENOTEMPTY || errno == EEXIST else { return }
    for entry in entries(in: path) ?? [] { remove(path + [UInt8(ascii: "/")] + entry) }
    _ = removed()
  }

  /// The folder for temporary files: `TMPDIR`, or /tmp if it is not set.
  package static var temporary: String {
    ProgramEnvironment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  /// Returns an unused path in `temporary`, without creating a file.
  ///
  /// - Parameters:
  ///   - name: the beginning of the file name, to which a dash and a random number are appended.
  ///   - suffix: the end of the file name. Default: empty.
  /// - Returns: the path.
  package static func temporaryPath(_ name: String, suffix: String = "") -> String {
    let number = String(UInt64.random(in: .min ... .max), radix: 16)
    return FilePath.joined(temporary, "\(name)-\(number)\(suffix)")
  }
}

/// Operations on the text of a path, without following links.
///
/// Only `standardized(_:)` reads the working directory.
package enum FilePath {
  private static let slash = UInt8(ascii: "/")

  /// Returns the parent folder of a path: empty for a bare name, `/` for a file in the root.
  package static func folder(of path: String) -> String {
    let path = withoutTrailingSlashes(Array(path.utf8)[...])
    guard let end = path.lastIndex(of: slash) else { return "" }
    return String(decoding: withoutTrailingSlashes(path[...end]), as: UTF8.self)
  }

  /// Joins a folder and a path with one slash.
  package static func joined(_ folder: String, _ path: String) -> String {
    guard let last = folder.utf8.last else { return path }
    return last == slash ? folder + path : "\(folder)/\(path)"
  }

  /// Returns an absolute path without `.`, `..` and empty components.
  package static func standardized(_ path: String) -> String {
    let whole = path.utf8.first == slash ? path : joined(current, path)
    var parts: [Substring] = []
    for part in whole.utf8.split(separator: slash) {
      switch Substring(part) {
      case ".": break
      case "..": _ = parts.popLast()
      case let part: parts.append(part)
      }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// The current working directory.
  private static var current: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }

  /// Returns a path without trailing slashes; `/` is unchanged.
  private static func withoutTrailingSlashes(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let end = path.lastIndex { $0 != slash } ?? path.startIndex
    return path.isEmpty ? path : path[...end]
  }
}

/// The folders for a user's files, following the XDG Base Directory Specification.
package enum UserFolder {
  /// Returns the folder named by an environment variable, or a fallback in the home folder.
  ///
  /// - Parameters:
  ///   - variable: the name of the variable. An empty or relative value is ignored.
  ///   - fallback: the path of the fallback, relative to the home folder.
  ///   - environment: all environment variables.
  /// - Returns: the folder; `nil` if neither the variable nor `HOME` is set.
  package static func path(
    _ variable: String, otherwise fallback: String, _ environment: [String: String]
  ) -> String? {
    func absolute(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return absolute(variable) ?? absolute("HOME").map { "\($0)/\(fallback)" }
  }
}

/// The environment variables of this process.
package enum ProgramEnvironment {
  /// The variable by which this program starts others that end with it.
  package static let endsWithParent = "ANEROID_ENDS_WITH_PARENT"

  /// The value of a variable; `nil` if it is not set.
  package static subscript(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// All environment variables.
  ///
  /// If a name occurs several times, its first value is used, as in the C library.
  package static var variables: [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let parts = String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, variables[String(parts[0])] == nil {
        variables[String(parts[0])] = String(parts[1])
      }
      next += 1
    }
    return variables
  }

  /// The number of online processors on this machine.
  package static var processors: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }
}

/// The clocks of this machine.
package enum MachineTime {
  /// The wall-clock time in nanoseconds since 1970, limited to the range of `Int64`, which ends in
  /// the year 2262.
  package static var sinceEpoch: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let (nanoseconds, isTooMuch) = Int64(now.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooMuch else { return now.tv_sec < 0 ? .min : .max }
    return nanoseconds.addingReportingOverflow(Int64(now.tv_nsec)).partialValue
  }

  /// Returns the time since this machine started, in nanoseconds.
  package static func monotonic() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}
