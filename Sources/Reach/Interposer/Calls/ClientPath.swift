import CInterposer

/// A path of a client, absolute as the client itself sees it: from its own root.
struct ClientPath: Equatable {
  /// The absolute path; `.` and `..` are still in it.
  let text: String

  private init(text: String) { self.text = text }

  /// The path without /proc/self/root before it, which leads a client to its own root.
  var behindOwnRoot: ClientPath {
    for root in ["/proc/self/root", "/proc/thread-self/root"] where text.hasPrefix(root + "/") {
      return ClientPath(text: String(text.dropFirst(root.utf8.count))).behindOwnRoot
    }
    return self
  }

  /// Creates a path absolute.
  ///
  /// - Parameters:
  ///   - path: the path as the client gave it.
  ///   - base: what it is relative to; asked for only where it matters.
  init?(_ path: [UInt8], relativeTo base: () -> String?) {
    guard !path.isEmpty, let given = String(validating: path, as: UTF8.self) else { return nil }
    if given.hasPrefix("/") {
      text = given
      return
    }
    guard let base = base(), base.hasPrefix("/") else { return nil }
    text = base + "/" + given
  }

  /// The path of a descriptor of a thread, or of its working directory for AT_FDCWD (negative), as
  /// seen from the thread's root.
  static func path(of descriptor: Int32, _ thread: Int32) -> String? {
    text({ interposer_path(thread, descriptor, $0, $1) }).map { inside($0, rootOf: thread) }
  }

  /// A path of this process as a thread sees it that has another root.
  static func inside(_ path: String, rootOf thread: Int32) -> String {
    guard let root = text({ interposer_root(thread, $0, $1) }), root != "/" else { return path }
    if path == root { return "/" }
    return path.hasPrefix(root + "/") ? String(path.dropFirst(root.utf8.count)) : path
  }

  /// The number of the device node that a path without `.` and `..` names, if it names any.
  static func deviceNumber(_ text: String) -> Int? {
    guard text.hasPrefix("/dev/i2c-") else { return nil }
    let digits = text.dropFirst("/dev/i2c-".count)
    guard !digits.isEmpty, digits.count <= 3,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      digits.count == 1 || digits.first != "0"
    else { return nil }
    return Int(digits)
  }

  private static func text(_ fill: (UnsafeMutablePointer<CChar>?, Int) -> Int) -> String? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = buffer.withMemoryRebound(to: CChar.self) { max(fill($0.baseAddress, $0.count), 0) }
    }
    return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
  }
}
