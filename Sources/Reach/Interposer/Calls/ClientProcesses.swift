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
    whole { interposer_threads(thread, $0, $1) }
  }

  /// The child processes that a thread has created.
  static func children(of thread: Int32) -> [Int32] {
    whole { interposer_children(thread, $0, $1) }
  }

  /// The maximum number of readings of a list that changes continuously.
  private static let mostReadings = 8

  private static func whole(_ fill: (UnsafeMutablePointer<Int32>?, Int32) -> Int32) -> [Int32] {
    var found = list(fill)
    for _ in 1..<mostReadings where !found.isEmpty {
      let again = list(fill)
      if again == found { break }
      found = again
    }
    return found
  }

  /// Calls a function that fills a buffer of numbers, enlarging the buffer as needed.
  private static func list(_ fill: (UnsafeMutablePointer<Int32>?, Int32) -> Int32) -> [Int32] {
    var capacity = 64
    while true {
      var count = 0
      let numbers = [Int32](unsafeUninitializedCapacity: capacity) { buffer, stored in
        count = Int(fill(buffer.baseAddress, Int32(capacity)))
        stored = min(count, capacity)
      }
      if count <= capacity { return numbers }
      capacity = 2 * count
    }
  }
}
