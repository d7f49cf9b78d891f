import Glibc

/// A file or standard input, read in chunks.
package final class InputFile {
  /// The name of the input for messages, safe to display.
  package let name: String
  private var descriptor: Int32
  /// The content of an input that is not a file.
  private var memory: [UInt8] = []

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: `Failure` if the file is missing or cannot be opened.
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

  /// Creates an input from bytes in memory.
  package init(_ bytes: [UInt8], named name: String) {
    (self.name, descriptor, memory) = (name, Self.none, bytes)
  }

  /// The value of `descriptor` for an input in memory.
  private static let none: Int32 = -1

  deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

  /// Reads the whole text.
  ///
  /// - Throws: `Failure` if reading fails, or if the content is not UTF-8; it then names the
  ///   position.
  package func text() throws(Failure) -> String {
    var bytes: [UInt8] = []
    while let chunk = try chunk() { bytes += chunk }
    return try TextFile.text(bytes, of: name)
  }

  /// Ensures that `rewind()` is possible by copying a pipe to a temporary file.
  ///
  /// - Throws: `Failure` if copying fails.
  package func keep() throws(Failure) {
    guard lseek(descriptor, 0, SEEK_CUR) < 0 else { return }
    let copy = ScratchFile.open()
    guard copy >= 0 else {
      throw Failure(
        .inputOutput, "\(name): cannot be copied: \(String(cString: strerror(errno)))")
    }
    while let bytes = try chunk() {
      let failure = writeAll(bytes, to: copy)
      guard failure == 0 else {
        let reason = String(cString: strerror(failure))
        close(copy)
        throw Failure(.inputOutput, "\(name): cannot be copied to \(Folder.temporary): \(reason)")
      }
    }
    if descriptor > STDERR_FILENO { close(descriptor) }
    descriptor = copy
    try rewind()
  }

  /// Returns to the beginning of the input.
  ///
  /// - Throws: `Failure` if the input is not rewindable.
  package func rewind() throws(Failure) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw Failure(
        .inputOutput, "\(name): cannot be read twice: \(String(cString: strerror(errno)))")
    }
  }

  /// Returns the next bytes; `nil` at the end.
  ///
  /// - Throws: `Failure` if reading fails.
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

/// Functions that read whole files.
///
/// Their errors name the file.
package enum TextFile {
  /// Returns numbers that change whenever a regular file is replaced or written: its inode, its size and the time of its last
  /// change; empty for anything else.
  package static func stamp(_ path: String) -> [Int] {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
    return [
      Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
    ]
  }

  /// The longest accepted file, in bytes: 1 GiB.
  private static let longest = 1 << 30

  /// Reads the text of a file or pipe.
  ///
  /// - Parameters:
  ///   - path: the path of the file; `-` is standard input.
  ///   - longest: the longest accepted file, in bytes. Default: 1 GiB.
  /// - Throws: `Failure` if the file is missing, unreadable, too long, or not UTF-8.
  /// - Returns: the text.
  package static func read(
    _ path: String, longest: Int = longest
  ) throws(Failure) -> String {
    try read(InputFile(path), longest: longest)
  }

  /// Reads the text of an open file.
  ///
  /// - Throws: `Failure` if the file is unreadable, too long, or not UTF-8.
  package static func read(
    _ file: InputFile, longest: Int = longest
  ) throws(Failure) -> String {
    try text(bytes(file, longest: longest), of: file.name)
  }

  /// Reads the bytes of a file or pipe.
  ///
  /// - Throws: `Failure` if the file is missing, unreadable or too long.
  package static func bytes(_ path: String, longest: Int = longest) throws(Failure) -> [UInt8] {
    try bytes(InputFile(path), longest: longest)
  }

  /// Reads the bytes of an open file.
  ///
  /// - Throws: `Failure` if the file is unreadable or too long.
  package static func bytes(
    _ file: InputFile, longest: Int = longest
  ) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    while let chunk = try file.chunk() {
      bytes += chunk
      guard bytes.count <= longest else {
        throw Failure(.badContent, "\(file.name): the file is longer than \(longest) bytes")
      }
    }
    return bytes
  }

  /// Returns whether a path is a folder, or a link to one.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns whether a path exists, including as a broken link.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Resolves a path that is written in a file, relative to the folder of that file.
  package static func resolve(_ path: String, relativeTo file: String) -> String {
    path.hasPrefix("/") ? path : FilePath.joined(FilePath.folder(of: file), path)
  }
}

extension TextFile {
  /// Decodes the bytes of a file.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - name: the file's name for messages.
  /// - Returns: the text.
  /// - Throws: `Failure` of kind bad content with the position of the first byte that is not UTF-8.
  package static func text(_ bytes: [UInt8], of name: String) throws(Failure) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let words = UTF8Fault(in: bytes)?.words ?? "the file is not UTF-8 text"
    throw Failure(.badContent, "\(name): \(words)")
  }
}
