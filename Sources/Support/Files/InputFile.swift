import Glibc
import Text

/// A file or standard input, read in chunks.
package final class InputFile {
  /// The name for messages, safe to show.
  package let name: String
  private var descriptor: Int32
  /// What is read where no file is.
  private var memory: [UInt8] = []

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: ``Failure`` when it is missing or cannot be opened.
  package init(_ path: String) throws(Failure) {
    guard path != "-" else {
      (name, descriptor) = ("standard input", STDIN_FILENO)
      return
    }
    name = path.visible
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw errno == ENOENT
        ? Failure(.missingInput, "\(path): no such file")
        : Failure(.inputOutput, "\(path): cannot be opened: \(reason)")
    }
  }

  /// Reads bytes as if they were a file.
  package init(_ bytes: [UInt8], named name: String) {
    (self.name, descriptor, memory) = (name, Self.none, bytes)
  }

  /// Stands for the descriptor where no file is.
  private static let none: Int32 = -1

  deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

  /// The whole text.
  ///
  /// - Throws: ``Failure`` when reading fails, or it is not UTF-8, with the place.
  package func text() throws(Failure) -> String {
    var bytes: [UInt8] = []
    while let chunk = try chunk() { bytes += chunk }
    return try TextFile.text(bytes, of: name)
  }

  /// Makes it possible to read once more: what comes through a pipe is first copied to a file of its own.
  ///
  /// - Throws: ``Failure`` when that fails.
  package func keep() throws(Failure) {
    guard lseek(descriptor, 0, SEEK_CUR) < 0 else { return }
    let copy = ScratchFile.open()
    guard copy >= 0 else {
      throw Failure(
        .inputOutput, "\(name): cannot be kept: \(String(cString: strerror(errno)))")
    }
    while let bytes = try chunk() {
      let failure = writeAll(bytes, to: copy)
      guard failure == 0 else {
        let reason = String(cString: strerror(failure))
        close(copy)
        throw Failure(.inputOutput, "\(name): cannot be kept in \(Folder.temporary): \(reason)")
      }
    }
    if descriptor > STDERR_FILENO { close(descriptor) }
    descriptor = copy
    try rewind()
  }

  /// Goes back to the beginning.
  ///
  /// - Throws: ``Failure`` when what is read cannot be read twice.
  package func rewind() throws(Failure) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw Failure(
        .inputOutput, "\(name): cannot be read twice: \(String(cString: strerror(errno)))")
    }
  }

  /// The next bytes, or `nil` at the end.
  ///
  /// - Throws: ``Failure`` when reading fails.
  package func chunk() throws(Failure) -> [UInt8]? {
    guard descriptor != Self.none else {
      defer { memory = [] }
      return memory.isEmpty ? nil : memory
    }
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 17) { buffer, initialized in
      repeat {
        count = read(descriptor, buffer.baseAddress, buffer.count)
      } while count < 0
        && errno == EINTR
      initialized = max(count, 0)
    }
    guard count >= 0 else {
      guard errno != EISDIR else {
        throw Failure(.inputOutput, "\(name): is a folder, not a file")
      }
      throw Failure(
        .inputOutput, "\(name): cannot be read: \(String(cString: strerror(errno)))")
    }
    return count == 0 ? nil : bytes
  }
}
