import Foundation

/// The processes of clients.
package enum ClientProcesses {
  /// The descriptors that a process has open, where they can be looked at.
  static func descriptors(of process: Int32) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
    return names.compactMap { Int32($0) }
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

  static func children(of process: Int32) -> [Int32] {
    let tasks = "/proc/\(process)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return threads.flatMap { thread in
      let text = (try? String(contentsOfFile: "\(tasks)/\(thread)/children", encoding: .utf8)) ?? ""
      return text.split(separator: " ").compactMap { Int32($0) }
    }
  }
}
