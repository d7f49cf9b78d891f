import Glibc
import Synchronization

/// An output file of a command.
///
/// All outputs are written through this type.
///
/// A regular file appears, or replaces an older one, only when it is complete and on the disk. It
/// keeps the mode and owner of the file it replaces. A device, a FIFO, a socket or an open
/// descriptor is written directly. Symbolic links are followed.
package final class OutputFile {
  private let destination: OutputDestination
  private let descriptor: Int32
  /// The temporary file that is written first; `nil` after it has replaced the destination, or for
  /// a destination that is written directly.
  private var draft: Draft?
  private var failure: Int32 = 0
  private let isDurable: Bool
  /// Called with the failure when writing fails for the first time.
  ///
  /// Default: does nothing.
  package var onFailure: (Failure) -> Void = { _ in }

  /// Opens an output.
  ///
  /// - Parameters:
  ///   - destination: the destination.
  ///   - isDurable: `true` to sync the file to the disk before it replaces an older one. Default:
  ///     `true`.
  /// - Throws: `Failure` if the destination is not writable.
  package init(_ destination: OutputDestination, isDurable: Bool = true) throws(Failure) {
    self.destination = destination
    self.isDurable = isDurable
    switch destination.form {
    case .descriptor(let number): descriptor = fcntl(number, F_DUPFD_CLOEXEC, 3)
    case .through(let emptied):
      descriptor = open(
        destination.resolved, O_WRONLY | O_CLOEXEC | O_NOCTTY | (emptied ? O_TRUNC : 0))
    case .socket: descriptor = Self.connected(to: destination.resolved)
    case .draft(let older):
      let made = Draft.make(in: destination.folder, like: older)
      (descriptor, draft) = (made.descriptor, made.draft)
    }
    guard descriptor >= 0 else { throw OutputDestination.failure(destination.path, errno) }
  }

  /// Opens an output.
  ///
  /// - Throws: `Failure` if the destination is not writable.
  package convenience init(_ path: String) throws(Failure) {
    try self.init(OutputDestination(path))
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    draft?.remove()
  }

  /// Writes bytes.
  ///
  /// If writing fails, `onFailure` is called at once, and `finish()` throws the error.
  package func write(_ bytes: [UInt8]) {
    guard failure == 0 else { return }
    failure = writeAll(bytes, to: descriptor)
    if failure != 0 { onFailure(OutputDestination.failure(destination.path, failure)) }
  }

  /// Makes a file visible under its name before it is complete.
  ///
  /// What has been written then survives a crash, and later writes go to the visible file.
  package func appear() {
    guard failure == 0, let draft else { return }
    // Some file systems in user space cannot sync.
    if isDurable, fsync(descriptor) != 0, ![EINVAL, ENOSYS].contains(errno) {
      failure = errno
    } else if let reason = draft.put(descriptor, in: destination) {
      failure = reason
    } else {
      self.draft = nil
      if isDurable { Self.sync(folder: destination.folder) }
    }
  }

  /// Completes the file and makes it visible under its name.
  ///
  /// - Throws: `Failure` if not everything was written. An older file is then unchanged.
  package func finish() throws(Failure) {
    appear()
    guard failure == 0 else { throw OutputDestination.failure(destination.path, failure) }
  }

  /// Writes a text as a whole file.
  ///
  /// - Throws: `Failure` if the file is not writable.
  package static func write(
    _ text: String, to path: String, isDurable: Bool = true
  ) throws(Failure) {
    let file = try OutputFile(OutputDestination(path), isDurable: isDurable)
    file.write(Array(text.utf8))
    try file.finish()
  }

  // MARK: Writing

  /// Flushes the entries of a folder to the disk, if the file system supports this.
  package static func sync(folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Connects to a named socket; returns its descriptor, or a negative number on failure, with the
  /// reason in `errno`.
  private static func connected(to path: String) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard path.utf8.count <= room else {
      errno = ENAMETOOLONG
      return -1
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return -1 }
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status != 0 else { return descriptor }
    let reason = errno
    close(descriptor)
    errno = reason
    return -1
  }
}

/// A temporary file that replaces the destination when it is complete.
///
/// If the file system supports unnamed files, the draft has no name, so nothing is left after any
/// kind of exit. Otherwise it has a name in the same folder. `Drafts` removes it at every exit
/// except a kill, and `Leftovers` removes it after a kill.
enum Draft {
  case nameless
  case named(String)

  /// Creates a draft with the mode and owner of the file that it will replace.
  ///
  /// - Returns: the draft and its descriptor, which is negative on failure, with the reason in
  ///   `errno`.
  static func make(in folder: String, like older: stat?) -> (descriptor: Int32, draft: Draft) {
    // Other users must not read the draft of a private file.
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

  /// Moves the draft to its destination; returns the errno on failure.
  func put(_ descriptor: Int32, in destination: OutputDestination) -> Int32? {
    let reason = move(descriptor, to: destination)
    if reason == nil { Leftovers.release(descriptor) }
    return reason
  }

  private func move(_ descriptor: Int32, to destination: OutputDestination) -> Int32? {
    let path: String
    switch self {
    case .named(let name): path = name
    case .nameless:
      // If the name is free, link it in one step.
      if link(descriptor, destination.resolved) { return nil }
      Leftovers.sweep(destination.folder)
      path = Self.name(in: destination.folder)
      Drafts.add(path)
      guard link(descriptor, path) else {
        let reason = errno
        Drafts.unregister(path)
        return reason
      }
    }
    guard rename(path, destination.resolved) == 0 else {
      let reason = errno
      if case .nameless = self { Drafts.remove(path) }
      return reason
    }
    Drafts.unregister(path)
    return nil
  }

  /// Gives an open, nameless file a path that does not exist yet; returns whether this succeeded.
  private func link(_ descriptor: Int32, _ path: String) -> Bool {
    linkat(AT_FDCWD, Self.path(of: descriptor), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
  }

  /// Removes an incomplete draft.
  func remove() {
    if case .named(let path) = self { Drafts.remove(path) }
  }

  /// The bits of O_TMPFILE, which Glibc does not export.
  static let temporary: Int32 = 0x40_0000 | O_DIRECTORY

  /// The path in /proc of an open file, through which a nameless file can be given a path.
  private static func path(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

  private static func name(in folder: String) -> String {
    "\(folder)/\(Leftovers.name(.random(in: .min ... .max)))"
  }

  /// Copies the owner and the mode of an older file to a draft, as far as permissions allow.
  private static func take(modeOf older: stat, for draft: Int32) {
    var own = stat()
    fstat(draft, &own)
    var mode = older.st_mode & 0o7777
    if own.st_uid != older.st_uid || own.st_gid != older.st_gid,
      fchown(draft, older.st_uid, older.st_gid) != 0
    {
      // Do not grant permissions meant for another owner or group to the current one.
      let keepsGroup = own.st_gid == older.st_gid || fchown(draft, uid_t.max, older.st_gid) == 0
      mode &= keepsGroup ? 0o1777 : 0o1707
    }
    fchmod(draft, mode)
  }
}

/// The named drafts (temporary output files) that have not replaced their destinations yet.
///
/// They are removed when the program exits.
package enum Drafts {
  private static let paths = Mutex<Set<String>>([])

  /// Registers, once, the removal of all drafts at exit.
  private static let atExit: Void = { atexit { Drafts.removeAll() } }()

  package static func add(_ path: String) {
    _ = atExit
    paths.withLock { _ = $0.insert(path) }
  }

  /// Unregisters a draft that has replaced its destination.
  package static func unregister(_ path: String) {
    paths.withLock { _ = $0.remove(path) }
  }

  /// Removes an incomplete draft.
  package static func remove(_ path: String) {
    unlink(path)
    unregister(path)
  }

  /// Removes all drafts before the program exits.
  package static func removeAll() {
    paths.withLock {
      $0.forEach { unlink($0) }
      $0 = []
    }
  }
}

/// Writes all bytes to an open file, repeating partial writes.
///
/// - Parameters:
///   - bytes: the bytes.
///   - descriptor: the open file.
/// - Returns: 0, or the errno of the failed write.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  var offset = 0
  while offset < bytes.count {
    let written = bytes[offset...].withUnsafeBytes {
      write(descriptor, $0.baseAddress, $0.count)
    }
    if written < 0, errno == EINTR { continue }
    guard written >= 0 else { return errno }
    offset += written
  }
  return 0
}
