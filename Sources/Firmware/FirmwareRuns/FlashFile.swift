import Glibc
package import Machines
package import Support

/// A file that persists the contents of the non-volatile memories, which are flash, settings and EEPROM, in this order.
///
/// Each change is written at its offset immediately, aligned to words and in one piece per page of the file. Each word
/// therefore has either its old or its new value if the process is killed. A `FlashLock` locks the file while this
/// object exists.
package final class FlashFile {
  private let path: String
  private let lock: FlashLock
  private let memories: [MachineMemory]
  /// The errno of the first failed write; 0 if no write has failed.
  private var failure: Int32 = 0

  /// Loads a microcontroller's memories from a file, programs the image over them, and creates the file if it is missing.
  ///
  /// An empty file is treated as missing.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - machine: the microcontroller, whose memory changes are written to the file from then on.
  ///   - program: a function that programs the image over the contents of the file.
  /// - Throws: `Failure` if the file is not for this microcontroller, another run uses it, or it cannot be written.
  package init(
    _ path: String, of machine: any Microcontroller, program: () throws(Failure) -> Void
  ) throws(Failure) {
    self.path = path
    memories = machine.memories.filter(\.isPersistent)
    let size = memories.reduce(0) { $0 + Int($1.count) }
    let older = try FlashLock(path)
    let held = try TextFile.bytes(path)
    if !held.isEmpty {
      guard held.count == size else {
        throw Failure(
          .badContent,
          "\(path): the file has \("byte".counted(held.count)), but the memories of \(machine.name) have \(size): "
            + "it was not created by --flash for this microcontroller")
      }
      var start = 0
      for memory in memories {
        memory.load(held[start..<start + Int(memory.count)], at: memory.base)
        start += Int(memory.count)
      }
    }
    try program()
    // The file is replaced atomically, so it is complete at any time.
    let file = try OutputFile(path)
    for memory in memories { file.write(memory.content) }
    try file.finish()
    older.keep()
    // Keep the lock on the old file until the new file is locked, so only one of two concurrent runs succeeds.
    lock = try withExtendedLifetime(older) { () throws(Failure) in try FlashLock(path) }
    var offset = 0
    for memory in memories {
      let base = offset
      memory.didChange = { [unowned self, unowned memory] offset, count in
        keep(memory, base, offset, count)
      }
      offset += Int(memory.count)
    }
  }

  deinit {
    for memory in memories { memory.didChange = nil }
  }

  private func keep(_ memory: MachineMemory, _ base: Int, _ offset: Int, _ count: Int) {
    let page = 4096
    var start = offset & ~3
    let end = min((offset + count + 3) & ~3, Int(memory.count))
    while start < end {
      let piece = min(end, (base + start) / page * page + page - base) - start
      let written = pwrite(lock.descriptor, memory.bytes + start, piece, off_t(base + start))
      if written != piece, failure == 0 { failure = written < 0 ? errno : ENOSPC }
      start += piece
    }
  }

  /// Checks that all changes were written.
  ///
  /// - Throws: `Failure` (input/output error) if a write has failed.
  package func check() throws(Failure) {
    guard failure == 0 else {
      throw Failure(
        .inputOutput, "\(path): cannot write flash: \(String(cString: strerror(failure)))")
    }
  }
}

/// An open file with an exclusive lock for the lifetime of this object.
///
/// The lock is an advisory lock (flock), which the kernel releases when the process ends. It has no effect on a file
/// system without locks.
final class FlashLock {
  /// The file descriptor, open for reading and writing.
  let descriptor: Int32
  /// The path of a newly created file, to remove unless `keep()` is called; otherwise `nil`.
  private var created: String?

  /// Opens and locks a file, and creates it if it is missing; a new file is removed again unless `keep()` is called.
  ///
  /// - Throws: `Failure` if another run has locked the file, or if it cannot be opened.
  init(_ path: String) throws(Failure) {
    let file = try OutputDestination(path).resolved
    let flags = O_RDWR | O_CLOEXEC | O_NOCTTY
    let made = open(file, flags | O_CREAT | O_EXCL, 0o666)
    descriptor = made < 0 && errno == EEXIST ? open(file, flags) : made
    guard descriptor >= 0 else { throw OutputDestination.failure(path, errno) }
    guard let identity = FileIdentity(descriptor: descriptor) else {
      throw Failure(.badContent, "\(path): not a regular file, which --flash needs")
    }
    let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    // The previous owner of the lock may have replaced the file at this path.
    guard !isTaken, FileIdentity(input: file) == identity else {
      throw Failure(
        .unavailable,
        "\(path): the flash file is in use by another run; wait for it to end, or choose another file"
      )
    }
    if made >= 0 { created = file }
  }

  deinit {
    if let created { unlink(created) }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Keeps a newly created file.
  func keep() { created = nil }
}
