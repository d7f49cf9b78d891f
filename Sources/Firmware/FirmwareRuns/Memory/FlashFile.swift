package import Files
import Glibc
package import Machines
import Text

/// A file that keeps what outlives the supply: flash, settings and EEPROM, one behind the other.
///
/// Each change of the program is written where it belongs as soon as it has happened, aligned to words and in one piece
/// for each page of the file, so that a kill in the middle leaves whole words, old or new. As long as it lives nobody
/// else has the file: `FlashLock`.
package final class FlashFile {
  private let path: String
  private let lock: FlashLock
  private let memories: [MachineMemory]
  /// The first failure to write.
  private var failure: Int32 = 0

  /// Takes what a file holds into a microcontroller, whose image is programmed afterwards; and creates the file where
  /// there is none.
  ///
  /// An empty file counts as none.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - machine: the microcontroller; from now on its changes go to the file.
  ///   - program: puts the image in, over what the file held.
  /// - Throws: `Failure` when the file is not one of this microcontroller, another run uses it, or it cannot be written.
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
          "\(path): it holds \("byte".counted(held.count)), and the memories of \(machine.name) are \(size): "
            + "it is not one that --flash has made for it")
      }
      var start = 0
      for memory in memories {
        memory.load(held[start..<start + Int(memory.count)], at: memory.base)
        start += Int(memory.count)
      }
    }
    try program()
    // The file is whole at any time: it takes the place of an older one at once.
    let file = try OutputFile(path)
    for memory in memories { file.write(memory.content) }
    try file.finish()
    older.keep()
    // The older file is held until the new one is, so that of two runs one goes on.
    lock = try withExtendedLifetime(older) { () throws(Failure) in try FlashLock(path) }
    var place = 0
    for memory in memories {
      let base = place
      memory.didChange = { [unowned self, unowned memory] offset, count in
        keep(memory, base, offset, count)
      }
      place += Int(memory.count)
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

  /// Throws where something could not be kept.
  ///
  /// - Throws: `Failure` of kind input and output.
  package func check() throws(Failure) {
    guard failure == 0 else {
      throw Failure(
        .inputOutput, "\(path): flash could not be kept: \(String(cString: strerror(failure)))")
    }
  }
}
