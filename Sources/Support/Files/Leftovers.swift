import Glibc

/// Drafts and scratch folders of programs that were killed before they could remove them.
///
/// Who makes one holds its lock, which the kernel gives back however the holder ends.
enum Leftovers {
  /// How old one must be, in seconds: a younger one may not have its lock yet.
  private static let age = 60

  /// Takes the lock of a draft, or of a folder.
  static func hold(_ descriptor: Int32) { flock(descriptor, LOCK_EX | LOCK_NB) }

  /// Gives the lock back: it is a leftover no more.
  static func release(_ descriptor: Int32) { flock(descriptor, LOCK_UN) }

  /// Removes the drafts in a folder that are this user's, and that nobody holds.
  ///
  /// - Parameters:
  ///   - folder: the folder.
  ///   - now: the time, in seconds since 1970.
  static func sweep(_ folder: String, at now: Int = Glibc.time(nil)) {
    for name in Folder.names(in: folder) ?? [] where isDraft(name) {
      let path = FilePath.joined(folder, name)
      if isStale(path, S_IFREG, at: now) { unlink(path) }
    }
  }

  /// The name of a draft.
  static func name(_ number: UInt64) -> String { ".aneroid-\(String(number, radix: 16)).part" }

  private static func isDraft(_ name: String) -> Bool {
    guard name.hasPrefix(".aneroid-"), name.hasSuffix(".part") else { return false }
    return UInt64(name.dropFirst(9).dropLast(5), radix: 16).map(self.name) == name
  }

  /// Whether a file, or a folder, is this user's, not quite young, and held by nobody.
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
