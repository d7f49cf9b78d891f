import Files
import Glibc

/// Standard input that is looked at before somebody else reads it.
enum RepeatableInput {
  /// What comes, and is there again from its beginning for whoever reads next, also behind an `exec`.
  ///
  /// - Parameter longest: how much is looked at, and kept, in bytes, but for what a last piece has more.
  /// - Returns: the bytes; `nil` where they cannot be read or kept.
  static func bytes(longest: Int) -> [UInt8]? {
    let start = lseek(STDIN_FILENO, 0, SEEK_CUR)
    guard let input = try? InputFile("-") else { return nil }
    var bytes: [UInt8] = []
    while bytes.count <= longest, let chunk = try? input.chunk() { bytes += chunk }
    if start >= 0 { return lseek(STDIN_FILENO, start, SEEK_SET) == start ? bytes : nil }
    let copy = ScratchFile.open()
    guard copy >= 0 else { return nil }
    defer { close(copy) }
    guard writeAll(bytes, to: copy) == 0, lseek(copy, 0, SEEK_SET) == 0,
      dup2(copy, STDIN_FILENO) == STDIN_FILENO
    else { return nil }
    return bytes
  }
}
