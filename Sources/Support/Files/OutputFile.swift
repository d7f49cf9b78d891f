import Glibc

/// A file that a command writes: the only way in which one is made.
///
/// A regular file appears, or takes the place of an older one, only when it is whole and on the disk, and keeps the
/// older one's mode and owner. A device, a FIFO, a socket or an open descriptor is written through, and a link leads
/// to what is written.
package final class OutputFile {
  private let place: OutputPlace
  private let descriptor: Int32
  /// The draft, until it is put in its place.
  private var draft: Draft?
  private var failure: Int32 = 0
  private let isDurable: Bool

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - place: where it goes.
  ///   - isDurable: whether it must be on the disk before it takes the place of an older one.
  /// - Throws: ``Failure`` when it cannot be written there.
  package init(_ place: OutputPlace, isDurable: Bool = true) throws(Failure) {
    self.place = place
    self.isDurable = isDurable
    switch place.form {
    case .descriptor(let number): descriptor = fcntl(number, F_DUPFD_CLOEXEC, 3)
    case .through(let emptied):
      descriptor = open(place.resolved, O_WRONLY | O_CLOEXEC | O_NOCTTY | (emptied ? O_TRUNC : 0))
    case .socket: descriptor = Self.connected(to: place.resolved)
    case .draft(let older):
      let made = Draft.make(in: place.folder, like: older)
      (descriptor, draft) = (made.descriptor, made.draft)
    }
    guard descriptor >= 0 else { throw OutputPlace.failure(place.path, errno) }
  }

  /// Begins a file.
  ///
  /// - Throws: ``Failure`` when it cannot be written there.
  package convenience init(_ path: String) throws(Failure) {
    try self.init(OutputPlace(path))
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    draft?.remove()
  }

  /// Writes bytes; whether that went well shows at the end.
  package func write(_ bytes: [UInt8]) {
    if failure == 0 { failure = writeAll(bytes, to: descriptor) }
  }

  /// Puts a file that goes on growing in its place: whoever looks sees what there is, and a crash leaves it.
  package func appear() {
    guard failure == 0, let draft else { return }
    // Some file systems in user space cannot sync.
    if isDurable, fsync(descriptor) != 0, ![EINVAL, ENOSYS].contains(errno) {
      failure = errno
    } else if let reason = draft.put(descriptor, in: place) {
      failure = reason
    } else {
      self.draft = nil
      if isDurable { Self.sync(folder: place.folder) }
    }
  }

  /// Ends the file and puts it in its place.
  ///
  /// - Throws: ``Failure`` when not everything could be written; an older file stands as it was.
  package func finish() throws(Failure) {
    appear()
    guard failure == 0 else { throw OutputPlace.failure(place.path, failure) }
  }

  /// Writes a whole text.
  ///
  /// - Throws: ``Failure`` when it cannot be written there.
  package static func write(
    _ text: String, to path: String, isDurable: Bool = true
  ) throws(Failure) {
    let file = try OutputFile(OutputPlace(path), isDurable: isDurable)
    file.write(Array(text.utf8))
    try file.finish()
  }

  // MARK: The ways to write

  /// Forces a name in a folder to the disk, where the file system can.
  package static func sync(folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// A connection to a socket with a name; negative, with its reason in `errno`, where there is none.
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
