package import Files
import Glibc
package import Machines
import Text

/// A file that persists the non-volatile memories: flash, settings and EEPROM, concatenated.
///
/// Each change is written at its offset immediately, aligned to words and in one piece per page of the file, so that a
/// killed process leaves whole words, old or new. The file is locked while this object exists: `FlashLock`.
package final class FlashFile {
  private let path: String
  private let lock: FlashLock
  private let memories: [MachineMemory]
  /// The errno of the first failed write.
  private var failure: Int32 = 0

  /// Loads the memories of a microcontroller from a file, programs the image, and creates the file if it is missing.
  ///
  /// An empty file is treated as missing.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - machine: the microcontroller, whose changes are written to the file from then on.
  ///   - program: programs the image over the contents of the file.
  /// - Throws: `Failure` if the file is not for this microcontroller, is in use by another run, or cannot be written.
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
    // The file is replaced atomically, so that it is complete at any time.
    let file = try OutputFile(path)
    for memory in memories { file.write(memory.content) }
    try file.finish()
    older.keep()
    // The lock on the old file is held until the new one is locked, so that one of two runs succeeds.
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
  /// - Throws: `Failure` of kind input and output.
  package func check() throws(Failure) {
    guard failure == 0 else {
      throw Failure(
        .inputOutput, "\(path): cannot write flash: \(String(cString: strerror(failure)))")
    }
  }
}

/// An open file with an exclusive lock for the lifetime of this object.
///
/// It is an advisory kernel lock (flock), which the kernel releases when the process ends. A file system without locks
/// provides no exclusion.
final class FlashLock {
  /// The file descriptor, open for reading and writing.
  let descriptor: Int32
  /// The path of a newly created file until ``keep()`` is called.
  private var created: String?

  /// Opens and locks a file; a newly created file is removed again unless ``keep()`` is called.
  ///
  /// - Throws: `Failure` if another run has locked it, or if it cannot be opened.
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
    // The previous owner may have replaced the file.
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

  /// Keeps a newly created file, or its replacement.
  func keep() { created = nil }
}
