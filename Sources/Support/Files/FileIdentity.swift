package import Glibc

/// What a file is, whichever name leads to it: its device and inode, or where it will be.
///
/// Only what holds data has one: regular files and disks, but no terminal, pipe or /dev/null.
package struct FileIdentity: Hashable {
  private let device: dev_t
  private let inode: ino_t
  /// The name in the folder that device and inode stand for, of a file that does not exist yet.
  private let name: String?

  /// The identity of an existing file.
  package init?(_ status: stat) {
    guard [S_IFREG, S_IFBLK].contains(status.st_mode & S_IFMT) else { return nil }
    (device, inode, name) = (status.st_dev, status.st_ino, nil)
  }

  /// The identity of an open file.
  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The identity of what is read; `-` is standard input.
  package init?(input: String) {
    guard input != "-" else {
      self.init(descriptor: STDIN_FILENO)
      return
    }
    var status = stat()
    guard stat(input, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The identity of a file that does not exist yet.
  package init?(newFile name: String, in folder: String) {
    var status = stat()
    guard stat(folder, &status) == 0 else { return nil }
    (device, inode, self.name) = (status.st_dev, status.st_ino, name)
  }
}
