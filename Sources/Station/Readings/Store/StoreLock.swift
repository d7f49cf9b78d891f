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

/// The files `-wal` and `-shm` that SQLite makes beside a database, even if it only reads.
struct FilesBeside {
  private let missing: [String]

  /// Notes which of them are missing.
  init(_ path: String) {
    missing = ["-wal", "-shm"].map { path + $0 }.filter { Self.size($0) == nil }
  }

  /// Removes those that were missing before, if nothing was written ahead.
  func remove() {
    guard missing.count == 2, Self.size(missing[0]) ?? 0 == 0 else { return }
    for file in missing { unlink(file) }
  }

  private static func size(_ path: String) -> Int? {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : nil
  }
}
