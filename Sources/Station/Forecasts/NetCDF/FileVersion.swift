import Glibc

/// Which bytes a path or a handle stands for: a file that is replaced or written to has another one.
package struct FileVersion: Hashable, Sendable {
  private let device, inode, seconds, nanoseconds: Int
  /// The length in bytes.
  let size: Int

  /// The version under an open handle.
  init?(descriptor: Int32) {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return nil }
    self.init(facts)
  }

  /// The version that a path leads to now; `nil` where there is none.
  package init?(path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    self.init(facts)
  }

  /// Whether another version is one of the same file: that file was written to.
  func isSameFile(as other: FileVersion) -> Bool {
    device == other.device && inode == other.inode
  }

  private init(_ facts: stat) {
    (device, inode, size) = (Int(facts.st_dev), Int(facts.st_ino), Int(facts.st_size))
    (seconds, nanoseconds) = (Int(facts.st_mtim.tv_sec), Int(facts.st_mtim.tv_nsec))
  }
}
