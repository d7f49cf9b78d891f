import Glibc

/// A file for what a command needs only while it runs.
///
/// It has no name, so that nothing is left of it however the command ends.
package final class ScratchFile {
  /// The open file.
  private let descriptor: Int32

  /// A path that leads to it within this program.
  package var path: String { "/proc/self/fd/\(descriptor)" }

  /// Makes an empty one.
  ///
  /// - Throws: ``Failure`` of kind input/output when there is no place for it.
  package init() throws(Failure) {
    descriptor = Self.open()
    guard descriptor >= 0 else {
      throw Failure(
        .inputOutput,
        "\(Folder.temporary): holds no scratch files: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  /// Opens an empty file without a name, to be read and written.
  ///
  /// - Returns: its descriptor, closed when a program is executed; negative, with `errno`, where there is no place.
  package static func open() -> Int32 {
    let folder = Folder.temporary
    let nameless = Glibc.open(folder, Draft.temporary | O_RDWR | O_CLOEXEC, 0o600)
    guard nameless < 0 else { return nameless }
    // Not every file system has files without names.
    var path = Array("\(folder)/aneroid.XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { return descriptor }
    unlink(path)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }
}
