import Glibc
import Text

/// Reads whole files, with failures that name them.
package enum TextFile {
  /// The longest file that is read whole, in bytes.
  private static let longest = 1 << 30

  /// The text of a file or of what comes through a pipe.
  ///
  /// - Parameters:
  ///   - path: the file; `-` is standard input.
  ///   - longest: how many bytes it may have.
  /// - Throws: `Failure`: missing input, not readable, too long, or not UTF-8, with the place.
  /// - Returns: the text.
  package static func read(
    _ path: String, longest: Int = longest
  ) throws(Failure) -> String {
    try read(InputFile(path), longest: longest)
  }

  /// The text of an open file.
  ///
  /// - Throws: `Failure`: not readable, too long, or not UTF-8.
  package static func read(
    _ file: InputFile, longest: Int = longest
  ) throws(Failure) -> String {
    try text(bytes(file, longest: longest), of: file.name)
  }

  /// The bytes of a file or of what comes through a pipe.
  ///
  /// - Throws: `Failure`: missing input, not readable or too long.
  package static func bytes(_ path: String, longest: Int = longest) throws(Failure) -> [UInt8] {
    try bytes(InputFile(path), longest: longest)
  }

  /// The bytes of an open file.
  ///
  /// - Throws: `Failure`: not readable or too long.
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

  /// Whether there is a folder at a path, by links too.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether there is anything at a path, if only a link.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// A path that stands in a file, relative to the folder of that file.
  package static func resolve(_ path: String, beside file: String) -> String {
    path.hasPrefix("/") ? path : FilePath.joined(FilePath.folder(of: file), path)
  }
}

extension TextFile {
  /// The text of the bytes of a file.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - name: the file's name for messages.
  /// - Returns: the text.
  /// - Throws: ``Failure`` of kind bad content with the place of the first byte that is not UTF-8.
  package static func text(_ bytes: [UInt8], of name: String) throws(Failure) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let words = UTF8Fault(in: bytes)?.words ?? "the file is not UTF-8 text"
    throw Failure(.badContent, "\(name): \(words)")
  }
}
