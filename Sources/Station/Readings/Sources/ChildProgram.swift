import Foundation
import Synchronization

/// Another program, read line by line; what it says on standard error goes to ours.
final class ChildProgram: Sendable {
  /// Its lines, without their ends; they end when it has ended.
  let lines: AsyncStream<Data>

  private let number: Int32
  private let ended: Mutex<Int32?>

  /// Starts it.
  ///
  /// - Throws: why it cannot be started.
  init(_ path: String, _ arguments: [String]) throws {
    let (process, pipe) = try Self.start(path, arguments)
    let (lines, continuation) = AsyncStream<Data>.makeStream()
    (self.lines, number) = (lines, process.processIdentifier)
    ended = Mutex(nil)
    // A thread of its own, for it waits most of the time.
    let child = UncheckedChild(process: process, pipe: pipe)
    Thread.detachNewThread { [self] in
      var rest = Data()
      while true {
        let chunk = child.pipe.fileHandleForReading.availableData
        if chunk.isEmpty { break }
        rest.append(chunk)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          continuation.yield(Data(rest[rest.startIndex..<end]))
          rest = Data(rest[rest.index(after: end)...])
        }
      }
      let status = Self.wait(child.process)
      ended.withLock { $0 = status }
      continuation.finish()
    }
  }

  /// What the thread alone uses from its start on.
  private struct UncheckedChild: @unchecked Sendable {
    let process: Process
    let pipe: Pipe
  }

  /// Asks it to end.
  func end() {
    ended.withLock { if $0 == nil { _ = kill(number, SIGTERM) } }
  }

  /// Its status; `nil` as long as it runs.
  var status: Int32? { ended.withLock { $0 } }

  /// Runs a program to its end, and shows on our standard error what it prints, all of it where it fails; its status.
  static func check(_ path: String, _ arguments: [String]) throws -> Int32 {
    let (process, pipe) = try start(path, arguments)
    let said = pipe.fileHandleForReading.readDataToEndOfFile()
    let status = wait(process)
    if status != 0 { FileHandle.standardError.write(said) }
    return status
  }

  private static func start(_ path: String, _ arguments: [String]) throws -> (Process, Pipe) {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    try process.run()
    return (process, pipe)
  }

  /// Waits for the end of a program whose output has ended: there is not long to wait.
  private static func wait(_ process: Process) -> Int32 {
    while process.isRunning { Thread.sleep(forTimeInterval: 0.005) }
    return process.terminationStatus
  }
}
