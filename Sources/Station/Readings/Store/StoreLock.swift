import Glibc

/// The right to write a store: one program has it at a time, until it ends in whatever way.
final class StoreLock: Sendable {
  private let descriptor: Int32

  /// Takes the right.
  ///
  /// - Parameter path: the store, which is created where there is none.
  /// - Throws: ``StoreError`` where another program has it, or the file cannot be opened.
  init(path: String) throws(StoreError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .unopened(errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let why = errno
      close(descriptor)
      throw why == EWOULDBLOCK ? .busy : .unusable(String(cString: strerror(why)))
    }
  }

  deinit { close(descriptor) }
}
