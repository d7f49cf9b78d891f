import Foundation

/// Runs the programs of notifications.
package enum Program {
  /// How long a program may take, in seconds.
  package static let patienceSeconds = 10.0

  /// Runs a program with its output on standard error; what went wrong, or nothing.
  package static func run(_ command: [String]) -> String? {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["--"] + command
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.standardError
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do {
      try process.run()
    } catch {
      return "\(command[0]) cannot be run: \(error.localizedDescription)"
    }
    if ended.wait(timeout: .now() + patienceSeconds) == .timedOut {
      process.terminate()
      return "\(command[0]) was ended after \(Int(patienceSeconds)) s"
    }
    return process.terminationStatus == 0
      ? nil : "\(command[0]) exited with \(process.terminationStatus)"
  }
}
