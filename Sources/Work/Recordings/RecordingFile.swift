package import Files
package import Glibc

/// The open file of a recording, held by one program at a time.
package final class RecordingFile {
  package let path: String
  package let descriptor: Int32

  /// Opens a recording and holds it.
  ///
  /// - Parameters:
  ///   - path: its file.
  ///   - isMade: whether it is made where there is none.
  /// - Throws: `Failure`: missing input; unavailable while another program holds it; input/output.
  package init(_ path: String, isMade: Bool) throws(Failure) {
    self.path = path
    let flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | (isMade ? O_CREAT : 0)
    while true {
      let descriptor = open(path, flags, 0o644)
      guard descriptor >= 0 else { throw Self.failure(path) }
      var failure: Failure?
      var status = stat()
      if fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFREG {
        failure = Failure(.badContent, "\(path): this is no recording, but no file at all")
      } else if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        failure =
          errno == EWOULDBLOCK
          ? Failure(
            .unavailable, "\(path): another program is recording or exporting; end that one first")
          : Self.failure(path)
      }
      if let failure {
        close(descriptor)
        throw failure
      }
      // Between opening and holding another program may have ended this recording.
      if Self.isNamed(status, path) {
        self.descriptor = descriptor
        return
      }
      close(descriptor)
    }
  }

  deinit { close(descriptor) }

  /// Reads all that is there.
  ///
  /// - Throws: `Failure` when that fails.
  package func bytes() throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(length))
    var offset = 0
    while offset < bytes.count {
      let count = bytes[offset...].withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure(path) }
      guard count > 0 else { break }
      offset += count
    }
    return Array(bytes[..<offset])
  }

  /// How long the file is, in bytes.
  package var length: off_t {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_size : 0
  }

  /// Whether somebody has removed or replaced it meanwhile.
  package var isGone: Bool {
    var status = stat()
    return fstat(descriptor, &status) != 0 || !Self.isNamed(status, path)
  }

  /// Removes the recording, which nobody else can be using.
  ///
  /// - Throws: `Failure` when that fails.
  package func remove() throws(Failure) {
    guard unlink(path) == 0 else { throw Self.failure(path) }
    OutputFile.sync(folder: FilePath.folder(of: path))
  }

  package static func failure(_ path: String) -> Failure {
    Failure(
      errno == ENOENT ? .missingInput : .inputOutput,
      "\(path): \(errno == ENOENT ? "there is no recording" : String(cString: strerror(errno)))")
  }

  /// Whether a path still names a file.
  private static func isNamed(_ status: stat, _ path: String) -> Bool {
    var named = stat()
    return stat(path, &named) == 0 && named.st_ino == status.st_ino
      && named.st_dev == status.st_dev
  }
}
