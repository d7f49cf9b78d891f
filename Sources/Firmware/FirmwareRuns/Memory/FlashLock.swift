import Files
import Glibc

/// An open file that no other run has, for as long as this lives.
///
/// It is an advisory lock of the kernel (flock), which ends with the process that holds it, however that ends. A file
/// system without such locks keeps nobody out.
final class FlashLock {
  /// The open file, for reading and writing.
  let descriptor: Int32
  /// The file that was created, until somebody keeps it.
  private var created: String?

  /// Opens a file and takes it; one that is not there is created, and is removed again unless it is kept.
  ///
  /// - Throws: `Failure` when another run has it, or it cannot be opened.
  init(_ path: String) throws(Failure) {
    let file = try OutputPlace(path).resolved
    let flags = O_RDWR | O_CLOEXEC | O_NOCTTY
    let made = open(file, flags | O_CREAT | O_EXCL, 0o666)
    descriptor = made < 0 && errno == EEXIST ? open(file, flags) : made
    guard descriptor >= 0 else { throw OutputPlace.failure(path, errno) }
    guard let identity = FileIdentity(descriptor: descriptor) else {
      throw Failure(.badContent, "\(path): flash is kept in a regular file, which this is not")
    }
    let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    // Who had it may have put another file in its place before.
    guard !isTaken, FileIdentity(input: file) == identity else {
      throw Failure(
        .unavailable,
        "\(path): another run keeps its flash in this file; wait for its end, or choose another file"
      )
    }
    if made >= 0 { created = file }
  }

  deinit {
    if let created { unlink(created) }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Lets a file that was created stay, or what has taken its place.
  func keep() { created = nil }
}
