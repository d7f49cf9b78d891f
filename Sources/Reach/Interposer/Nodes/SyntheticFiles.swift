import CInterposer
import Glibc

/// The contents of our files, each in memory once: who asks about a file and who opens it meet the same
/// inode of the same size, as `cp` insists.
final class SyntheticFiles {
  private var files: [String: Int32] = [:]
  private var paths: [String] = []
  private var oldest = 0

  /// How many are kept; a client that looks at more than this before it opens the first meets another inode.
  private static let limit = 128

  deinit { for file in files.values { close(file) } }

  /// A descriptor of this process of a file of ours, which stays ours; or -errno.
  func file(at path: String, _ bytes: [UInt8]) -> Int32 {
    if let file = files[path] { return file }
    let file = interposer_file(bytes, bytes.count, 0o444)
    guard file >= 0 else { return file }
    if paths.count < Self.limit {
      paths.append(path)
    } else {
      if let old = files.removeValue(forKey: paths[oldest]) { close(old) }
      paths[oldest] = path
      oldest = (oldest + 1) % Self.limit
    }
    files[path] = file
    return file
  }
}
