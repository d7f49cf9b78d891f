import CInterposer

/// A path of a client, made absolute without looking at files: `..` and `.` are gone.
struct ClientPath: Equatable {
  /// The absolute path.
  let text: String
  /// Whether it ends in a slash, as only a directory's may.
  let endsAsDirectory: Bool

  /// The number of the device node that it names, if it names any.
  var deviceNumber: Int? {
    guard text.hasPrefix("/dev/i2c-") else { return nil }
    let digits = text.dropFirst("/dev/i2c-".count)
    guard !digits.isEmpty, digits.count <= 3,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      digits.count == 1 || digits.first != "0"
    else { return nil }
    return Int(digits)
  }

  /// Whether a path can be of interest at all: all others pass without a second look.
  ///
  /// - Parameters:
  ///   - path: the path as the client gave it.
  ///   - opensDirectory: whether it is opened as a directory, whose name says little: `.`, say.
  /// - Returns: false only for paths that are none of ours.
  static func mayMatter(_ path: [UInt8], opensDirectory: Bool) -> Bool {
    if opensDirectory { return true }
    var end = path.count
    while end > 1, path[end - 1] == UInt8(ascii: "/") { end -= 1 }
    if path[..<end].hasSuffix("dev") || path[..<end].hasSuffix("/class")
      || path[..<end].hasSuffix("/bus")
    {
      return true
    }
    guard end >= 3 else { return false }
    for index in 0...(end - 3)
    where path[index] == UInt8(ascii: "i") && path[index + 1] == UInt8(ascii: "2")
      && path[index + 2] == UInt8(ascii: "c")
    {
      return true
    }
    return false
  }

  /// Makes a path absolute.
  ///
  /// - Parameters:
  ///   - path: the path as the client gave it.
  ///   - directory: the descriptor that it is relative to, or AT_FDCWD.
  ///   - thread: the client's thread.
  init?(_ path: [UInt8], relativeTo directory: Int32, of thread: Int32) {
    guard let given = String(validating: path, as: UTF8.self) else { return nil }
    endsAsDirectory = given.hasSuffix("/") || given.hasSuffix("/.")
    guard !given.hasPrefix("/") else {
      text = Self.normalized(given)
      return
    }
    guard let base = Self.path(of: directory, thread), base.hasPrefix("/") else { return nil }
    text = Self.normalized(base + "/" + given)
  }

  /// The path of a descriptor, or of the working directory for AT_FDCWD (negative).
  static func path(of descriptor: Int32, _ thread: Int32) -> String? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = buffer.withMemoryRebound(to: CChar.self) {
        max(interposer_path(thread, descriptor, $0.baseAddress, $0.count), 0)
      }
    }
    return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
  }

  private static func normalized(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}

extension ArraySlice<UInt8> {
  /// Whether the bytes end as a text does.
  fileprivate func hasSuffix(_ text: StaticString) -> Bool {
    guard count >= text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { suffix($0.count).elementsEqual($0) }
  }
}
