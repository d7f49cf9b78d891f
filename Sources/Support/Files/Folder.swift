import Glibc

/// Folders: what lies in them, making them, removing them.
package enum Folder {
  /// The names in a folder, in no order, its own and its parent's left out; nothing where it cannot be looked into.
  package static func names(in path: String) -> [String]? {
    entries(in: Array(path.utf8)).map { $0.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// The bytes of the names in a folder, which need not be UTF-8.
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

  /// Makes a folder, and those above it that are missing; one that is there stays as it is.
  ///
  /// - Throws: ``Failure`` of kind input/output when that is not possible.
  package static func make(_ path: String) throws(Failure) {
    let reason = made(path)
    guard reason == 0 else {
      throw Failure(.inputOutput, "\(path): cannot be made: \(String(cString: strerror(reason)))")
    }
  }

  /// Makes a folder and those above it; 0, or the errno that stands against it.
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

  /// Removes a file, or a folder with all that lies in it, as far as that is allowed; links are removed, not followed.
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

  /// Where files go that do not stay: the folder that TMPDIR names, else /tmp.
  package static var temporary: String {
    ProgramEnvironment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  /// A path in ``temporary`` that nobody else uses.
  ///
  /// - Parameters:
  ///   - name: how its name begins; a dash and a random number follow.
  ///   - suffix: how it ends.
  /// - Returns: the path; nothing is made there.
  package static func temporaryPath(_ name: String, suffix: String = "") -> String {
    let number = String(UInt64.random(in: .min ... .max), radix: 16)
    return FilePath.joined(temporary, "\(name)-\(number)\(suffix)")
  }
}
