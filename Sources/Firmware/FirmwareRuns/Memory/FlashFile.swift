package import Files
import Glibc
package import Machines

/// A file that keeps what outlives the supply: flash, settings and EEPROM, one behind the other.
///
/// Each change of the program is written where it belongs as soon as it has happened, aligned to words and in one piece
/// for each page of the file, so that a kill in the middle leaves whole words, old or new.
package final class FlashFile {
  private let path: String
  private let descriptor: Int32
  private let memories: [MachineMemory]
  /// The first failure to write.
  private var failure: Int32 = 0

  /// Takes what a file holds into a microcontroller, whose image is programmed afterwards; and creates the file where
  /// there is none.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - machine: the microcontroller; from now on its changes go to the file.
  ///   - program: puts the image in, over what the file held.
  /// - Throws: `Failure` when the file is not one of this microcontroller, or cannot be written.
  package init(
    _ path: String, of machine: any Microcontroller, program: () throws(Failure) -> Void
  ) throws(Failure) {
    self.path = path
    memories = machine.memories.filter(\.isPersistent)
    let size = memories.reduce(0) { $0 + Int($1.count) }
    if access(path, F_OK) == 0 {
      let held = try TextFile.bytes(path)
      guard held.count == size else {
        throw Failure(
          .badContent,
          "\(path): it holds \(held.count) bytes, and the memories of \(machine.name) are \(size): "
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
    descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Failure(.inputOutput, "\(path): \(String(cString: strerror(errno)))")
    }
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
    close(descriptor)
  }

  private func keep(_ memory: MachineMemory, _ base: Int, _ offset: Int, _ count: Int) {
    let page = 4096
    var start = offset & ~3
    let end = min((offset + count + 3) & ~3, Int(memory.count))
    while start < end {
      let piece = min(end, (base + start) / page * page + page - base) - start
      let written = pwrite(descriptor, memory.bytes + start, piece, off_t(base + start))
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
