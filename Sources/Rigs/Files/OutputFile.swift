import Glibc

/// A file that appears, or takes the place of an older one, only when it is whole.
package final class OutputFile {
  private let path: String
  private let draft: String
  private let descriptor: Int32
  private var failure: Int32 = 0
  private var isWhole = false

  /// Begins a file.
  ///
  /// - Throws: ``BenchFailure`` when it cannot be written there.
  package init(_ path: String) throws(BenchFailure) {
    self.path = path
    draft = "\(path).\(getpid()).part"
    descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.failure(path, errno) }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    if !isWhole { unlink(draft) }
  }

  /// Writes bytes; whether that went well shows at the end.
  package func write(_ bytes: [UInt8]) {
    if failure == 0 { failure = WholeWrite.write(bytes, to: descriptor) }
  }

  /// Ends the file and puts it in its place.
  ///
  /// - Throws: ``BenchFailure`` when not everything could be written.
  package func finish() throws(BenchFailure) {
    if failure == 0, rename(draft, path) != 0 { failure = errno }
    guard failure == 0 else { throw Self.failure(path, failure) }
    isWhole = true
  }

  /// Writes a whole text.
  ///
  /// - Throws: ``BenchFailure`` when it cannot be written there.
  package static func write(_ text: String, to path: String) throws(BenchFailure) {
    let file = try OutputFile(path)
    file.write(Array(text.utf8))
    try file.finish()
  }

  private static func failure(_ path: String, _ number: Int32) -> BenchFailure {
    BenchFailure(.inputOutput, "\(path): cannot be written: \(String(cString: strerror(number)))")
  }
}
