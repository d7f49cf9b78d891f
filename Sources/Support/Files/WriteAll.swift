import Glibc

/// Writes all bytes to an open file, however often the system takes only a part.
///
/// - Parameters:
///   - bytes: the bytes.
///   - descriptor: the open file.
/// - Returns: 0, or the error number of the write that failed.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  var offset = 0
  while offset < bytes.count {
    let written = bytes[offset...].withUnsafeBytes {
      write(descriptor, $0.baseAddress, $0.count)
    }
    if written < 0, errno == EINTR { continue }
    guard written >= 0 else { return errno }
    offset += written
  }
  return 0
}
