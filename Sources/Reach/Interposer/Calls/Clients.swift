import CInterposer
import Glibc
import Support

/// The processes of clients, from /proc.
package enum ClientProcesses {
  /// The open descriptors of a process; empty if they cannot be read.
  static func descriptors(of process: Int32) -> [Int32] {
    (Folder.names(in: "/proc/\(process)/fd") ?? []).compactMap { Int32($0) }
  }

  /// All descendants of a process, including orphans that it has adopted.
  package static func descendants(of process: Int32) -> [Int32] {
    var found: [Int32] = []
    var waiting = children(of: process)
    while let next = waiting.popLast() {
      found.append(next)
      waiting += children(of: next)
    }
    return found
  }

  /// The children of all threads of a process.
  static func children(of process: Int32) -> [Int32] {
    ThreadLists.threads(of: process).flatMap(ThreadLists.children)
  }
}

/// The kernel's lists of threads and children.
///
/// If an element ends while a list is read, later elements may be missing, so a list is read until two consecutive
/// readings agree.
enum ThreadLists {
  /// The threads of a thread's process, sorted.
  static func threads(of thread: Int32) -> [Int32] {
    whole(interposer_open_threads(thread), interposer_read_threads)
  }

  /// The child processes that a thread has created.
  static func children(of thread: Int32) -> [Int32] {
    whole(interposer_open_children(thread), interposer_read_children)
  }

  /// The maximum number of readings of a list that changes continuously.
  private static let mostReadings = 8

  /// A function that reads a list from an open file into a buffer, and returns the count.
  private typealias Reader = (Int32, UnsafeMutablePointer<Int32>?, Int32) -> Int32

  /// Reads an open list until two readings agree, and closes it; a list that could not be opened is empty.
  private static func whole(_ file: Int32, _ read: Reader) -> [Int32] {
    guard file >= 0 else { return [] }
    defer { close(file) }
    var found = list(file, read)
    for _ in 1..<mostReadings where !found.isEmpty {
      let again = list(file, read)
      if again == found { break }
      found = again
    }
    return found
  }

  /// Reads a list once, enlarging the buffer as needed.
  private static func list(_ file: Int32, _ read: Reader) -> [Int32] {
    var capacity = 64
    while true {
      var count = 0
      let numbers = [Int32](unsafeUninitializedCapacity: capacity) { buffer, stored in
        count = Int(read(file, buffer.baseAddress, Int32(capacity)))
        stored = min(count, capacity)
      }
      if count <= capacity { return numbers }
      capacity = 2 * count
    }
  }
}

/// An absolute path of a client, as seen from the client's root directory.
package struct ClientPath: Equatable {
  /// The absolute path, not normalized: it may contain `.` and `..`.
  package let text: String

  private init(text: String) { self.text = text }

  /// The path without a /proc/self/root prefix, which leads to the client's own root.
  var withoutOwnRoot: ClientPath {
    for root in ["/proc/self/root", "/proc/thread-self/root"] where text.hasPrefix(root + "/") {
      return ClientPath(text: String(text.dropFirst(root.utf8.count))).withoutOwnRoot
    }
    return self
  }

  /// Creates an absolute path.
  ///
  /// - Parameters:
  ///   - path: the path as the client passed it.
  ///   - base: the directory that the path is relative to; called only for relative paths.
  package init?(_ path: [UInt8], relativeTo base: () -> String?) {
    guard !path.isEmpty, let given = String(validating: path, as: UTF8.self) else { return nil }
    if given.hasPrefix("/") {
      text = given
      return
    }
    guard let base = base(), base.hasPrefix("/") else { return nil }
    text = base + "/" + given
  }

  /// Returns the path that a descriptor of a thread refers to, as seen from the thread's root; for AT_FDCWD, which is
  /// negative, that of the working directory.
  package static func path(of descriptor: Int32, _ thread: Int32) -> String? {
    text({ interposer_path(thread, descriptor, $0, $1) }).map { inside($0, rootOf: thread) }
  }

  /// Converts a path as this process sees it to the path as a thread with a different root sees it.
  static func inside(_ path: String, rootOf thread: Int32) -> String {
    guard let root = text({ interposer_root(thread, $0, $1) }), root != "/" else { return path }
    if path == root { return "/" }
    return path.hasPrefix(root + "/") ? String(path.dropFirst(root.utf8.count)) : path
  }

  /// The bus number of a normalized path /dev/i2c-N; `nil` for other paths.
  package static func deviceNumber(_ text: String) -> Int? {
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

/// The name of a program in messages.
enum ProgramName {
  /// Returns the name of a thread's program, followed by its thread ID.
  static func of(_ thread: Int32) -> String {
    let name = [CChar](unsafeUninitializedCapacity: 64) { buffer, count in
      count = max(interposer_program_name(thread, buffer.baseAddress, buffer.count), 0)
    }
    let text = String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.isEmpty ? "a program (process \(thread))" : "\(text) (process \(thread))"
  }
}
