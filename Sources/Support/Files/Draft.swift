import Glibc

/// What will take the place of a file once it is whole.
///
/// It has no name where the file system can do that, so that nothing is left of it however the program ends;
/// elsewhere it has one of its own in the same folder, which ``Drafts`` removes at any end but a kill, and
/// ``Leftovers`` after that.
enum Draft {
  case nameless
  case named(String)

  /// Creates a draft with the mode and owner of the file that it will replace.
  ///
  /// - Returns: a descriptor, negative with its reason in `errno` where there is none.
  static func make(in folder: String, like older: stat?) -> (descriptor: Int32, draft: Draft) {
    // Nobody else may read a draft whose older file is private.
    let mode: mode_t = older == nil ? 0o666 : 0o600
    var (descriptor, draft) = (open(folder, temporary | O_WRONLY | O_CLOEXEC, mode), Draft.nameless)
    if descriptor < 0 || access(path(of: descriptor), F_OK) != 0 {
      if descriptor >= 0 { close(descriptor) }
      var path = ""
      Leftovers.sweep(folder)
      repeat {
        path = name(in: folder)
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      } while descriptor < 0 && errno == EEXIST
      draft = .named(path)
      if descriptor >= 0 { Drafts.add(path) }
    }
    if descriptor >= 0 { Leftovers.hold(descriptor) }
    if descriptor >= 0, let older { take(modeOf: older, for: descriptor) }
    return (descriptor, draft)
  }

  /// Puts the draft in its place; the errno where that is not possible.
  func put(_ descriptor: Int32, in place: OutputPlace) -> Int32? {
    let reason = move(descriptor, to: place)
    if reason == nil { Leftovers.release(descriptor) }
    return reason
  }

  private func move(_ descriptor: Int32, to place: OutputPlace) -> Int32? {
    let path: String
    switch self {
    case .named(let name): path = name
    case .nameless:
      // Where there is nothing yet it gets its name in one step.
      if link(descriptor, place.resolved) { return nil }
      Leftovers.sweep(place.folder)
      path = Self.name(in: place.folder)
      Drafts.add(path)
      guard link(descriptor, path) else {
        let reason = errno
        Drafts.forget(path)
        return reason
      }
    }
    guard rename(path, place.resolved) == 0 else {
      let reason = errno
      if case .nameless = self { Drafts.remove(path) }
      return reason
    }
    Drafts.forget(path)
    return nil
  }

  /// Gives an open file a name that is free; whether that went well.
  private func link(_ descriptor: Int32, _ path: String) -> Bool {
    linkat(AT_FDCWD, Self.path(of: descriptor), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
  }

  /// Removes a draft that will never be whole.
  func remove() {
    if case .named(let path) = self { Drafts.remove(path) }
  }

  /// O_TMPFILE, whose bits Glibc hides.
  static let temporary: Int32 = 0x40_0000 | O_DIRECTORY

  /// The open file as a path that can be linked.
  private static func path(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

  private static func name(in folder: String) -> String {
    "\(folder)/\(Leftovers.name(.random(in: .min ... .max)))"
  }

  /// Gives a draft the owner and the mode of an older file, as far as that is allowed.
  private static func take(modeOf older: stat, for draft: Int32) {
    var own = stat()
    fstat(draft, &own)
    var mode = older.st_mode & 0o7777
    if own.st_uid != older.st_uid || own.st_gid != older.st_gid,
      fchown(draft, older.st_uid, older.st_gid) != 0
    {
      // What was meant for another owner or group is not given to ours.
      let keepsGroup = own.st_gid == older.st_gid || fchown(draft, uid_t.max, older.st_gid) == 0
      mode &= keepsGroup ? 0o1777 : 0o1707
    }
    fchmod(draft, mode)
  }
}
