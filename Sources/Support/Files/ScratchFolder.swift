import Glibc

/// A temporary folder for a command and the programs that it starts.
///
/// The folder is removed when the command ends. The command holds a lock on it, which the kernel
/// releases however the command ends. The folder of a killed command is therefore unlocked, and the
/// next command removes it.
package final class ScratchFolder {
  /// The path of the folder.
  package let path: String
  /// The open, locked folder.
  private let descriptor: Int32

  /// The beginning of the folder's name, before a dash and a random number.
  private static let prefix = "aneroid-scratch"

  /// Creates an empty folder that only this user can access.
  ///
  /// - Throws: `Failure` of kind `inputOutput`.
  package init() throws(Failure) {
    Self.sweep(Folder.temporary)
    path = Folder.temporaryPath(Self.prefix)
    guard mkdir(path, 0o700) == 0 else { throw OutputDestination.failure(path, errno) }
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor >= 0 { Leftovers.hold(descriptor) }
  }

  /// Removes the folder and its content before the command ends.
  package func remove() { Folder.remove(path) }

  deinit {
    remove()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Removes this user's scratch folders that are at least a minute old and not locked.
  ///
  /// - Parameters:
  ///   - folder: the folder to search.
  ///   - now: the time in seconds since 1970. Default: the current time.
  package static func sweep(_ folder: String, at now: Int = Glibc.time(nil)) {
    for name in Folder.names(in: folder) ?? [] where name.hasPrefix(prefix + "-") {
      let number = name.dropFirst(prefix.utf8.count + 1)
      guard UInt64(number, radix: 16).map({ String($0, radix: 16) }) == String(number) else {
        continue
      }
      let path = FilePath.joined(folder, name)
      guard Leftovers.isStale(path, S_IFDIR, at: now) else { continue }
      Folder.remove(path)
    }
  }
}

/// A temporary file for a command.
///
/// The file has no name, so nothing is left after any kind of exit.
package final class ScratchFile {
  /// The open file.
  private let descriptor: Int32

  /// A path to the file, valid in this process.
  package var path: String { "/proc/self/fd/\(descriptor)" }

  /// Creates an empty file.
  ///
  /// - Throws: `Failure` of kind `inputOutput`.
  package init() throws(Failure) {
    descriptor = Self.open()
    guard descriptor >= 0 else {
      throw Failure(
        .inputOutput,
        "\(Folder.temporary): no scratch file can be created: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  /// Opens an empty unnamed file for reading and writing.
  ///
  /// - Returns: the descriptor, which is closed on exec, or a negative number on failure, with the
  ///   reason in `errno`.
  package static func open() -> Int32 {
    let folder = Folder.temporary
    let nameless = Glibc.open(folder, Draft.temporary | O_RDWR | O_CLOEXEC, 0o600)
    guard nameless < 0 else { return nameless }
    // Some file systems do not support unnamed files.
    var path = Array("\(folder)/aneroid.XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { return descriptor }
    unlink(path)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }
}

/// Drafts and scratch folders left by programs that were killed before they could remove them.
///
/// The program that creates a draft or a folder holds a lock on it, which the kernel releases
/// however the program ends.
package enum Leftovers {
  /// The minimum age of a leftover in seconds.
  ///
  /// A newer file may not be locked yet.
  private static let age = 60

  /// Locks a draft or a folder.
  package static func hold(_ descriptor: Int32) { flock(descriptor, LOCK_EX | LOCK_NB) }

  /// Releases the lock on a published file, which is not a draft any more.
  static func release(_ descriptor: Int32) { flock(descriptor, LOCK_UN) }

  /// Removes this user's drafts in a folder that are at least a minute old and not locked.
  ///
  /// - Parameters:
  ///   - folder: the folder.
  ///   - now: the time in seconds since 1970. Default: the current time.
  package static func sweep(_ folder: String, at now: Int = Glibc.time(nil)) {
    for name in Folder.names(in: folder) ?? [] where isDraft(name) {
      let path = FilePath.joined(folder, name)
      if isStale(path, S_IFREG, at: now) { unlink(path) }
    }
  }

  /// Returns the name of a draft with a random number.
  static func name(_ number: UInt64) -> String { ".aneroid-\(String(number, radix: 16)).part" }

  private static func isDraft(_ name: String) -> Bool {
    guard name.hasPrefix(".aneroid-"), name.hasSuffix(".part") else { return false }
    return UInt64(name.dropFirst(9).dropLast(5), radix: 16).map(self.name) == name
  }

  /// Returns whether a file or folder belongs to this user, has the minimum age and is not locked.
  static func isStale(_ path: String, _ kind: mode_t, at now: Int) -> Bool {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == kind,
      kind == S_IFDIR || status.st_nlink == 1, status.st_uid == geteuid(),
      status.st_ctim.tv_sec < now - age
    else { return false }
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }
}
