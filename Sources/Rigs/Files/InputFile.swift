import Glibc

/// A file or standard input, read in chunks.
public final class InputFile {
  /// The name for messages.
  public let name: String
  private let descriptor: Int32

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: ``BenchFailure`` when it is missing or cannot be opened.
  public init(_ path: String) throws(BenchFailure) {
    guard path != "-" else {
      (name, descriptor) = ("standard input", STDIN_FILENO)
      return
    }
    name = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw errno == ENOENT
        ? BenchFailure(.missingInput, "\(path): no such file")
        : BenchFailure(.inputOutput, "\(path): cannot be opened: \(reason)")
    }
  }

  deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

  /// The next bytes, or nothing at the end.
  ///
  /// - Throws: ``BenchFailure`` when reading fails.
  public func chunk() throws(BenchFailure) -> [UInt8]? {
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 17) { buffer, initialized in
      repeat {
        count = read(descriptor, buffer.baseAddress, buffer.count)
      } while count < 0
        && errno == EINTR
      initialized = max(count, 0)
    }
    guard count >= 0 else {
      throw BenchFailure(
        .inputOutput, "\(name): cannot be read: \(String(cString: strerror(errno)))")
    }
    return count == 0 ? nil : bytes
  }
}
