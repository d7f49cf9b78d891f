import CInterposer
import Glibc

/// The threads and children that the kernel lists.
///
/// Where one of a list ends while it is read, those behind it may be missing: it is read until it is the same twice.
enum ThreadLists {
  /// The threads of the process of a thread, in order.
  static func threads(of thread: Int32) -> [Int32] {
    whole { interposer_threads(thread, $0, $1) }
  }

  /// The processes that a thread has made and that are still its children.
  static func children(of thread: Int32) -> [Int32] {
    whole { interposer_children(thread, $0, $1) }
  }

  /// With so many readings a list that changes all the time is taken as it is.
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

  /// Numbers that a function stores, however many there are.
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
