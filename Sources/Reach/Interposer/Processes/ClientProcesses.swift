import Files

/// The processes of clients.
package enum ClientProcesses {
  /// The descriptors that a process has open, where they can be looked at.
  static func descriptors(of process: Int32) -> [Int32] {
    (Folder.names(in: "/proc/\(process)/fd") ?? []).compactMap { Int32($0) }
  }

  /// All descendants of a process, orphans that it has adopted included.
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
