import Foundation
import Interposer
import Testing

/// Programs whose process is created before their bench.
struct LaunchTests {
  /// The path of a file that a program creates when it runs.
  private static func mark() -> String {
    FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
  }

  @Test("a launched program waits until it is run, and then runs with its arguments")
  func waits() async throws {
    await #expect(processExitsWith: .exitCode(7)) {
      let file = LaunchTests.mark()
      defer { unlink(file) }
      let launch = ProgramLaunch(
        ["sh", "-c", ": > $0; exit 7", file], mode: .full, isTimeVirtual: false)
      usleep(200_000)
      guard !FileManager.default.fileExists(atPath: file) else { exit(1) }
      let status = try Interposer([]).run(launch, notice: { print($0) })
      exit(FileManager.default.fileExists(atPath: file) ? status : 2)
    }
  }

  @Test("a launched program that is not run ends without having run, and leaves no process")
  func isCancelled() async throws {
    await #expect(processExitsWith: .success) {
      let file = LaunchTests.mark()
      for _ in 0..<20 {
        _ = ProgramLaunch(["sh", "-c", ": > $0", file], mode: .full, isTimeVirtual: true)
      }
      // ECHILD: neither a program nor a guard process is left, not even as a zombie.
      let hasChildren = waitpid(-1, nil, WNOHANG) >= 0 || errno != ECHILD
      exit(FileManager.default.fileExists(atPath: file) || hasChildren ? 1 : 0)
    }
  }

  @Test("a program that does not exist is an error when its launch is run")
  func isMissing() async throws {
    await #expect(processExitsWith: .success) {
      let launch = ProgramLaunch(["/nonexistent"], mode: .full, isTimeVirtual: false)
      do {
        _ = try Interposer([]).run(launch, notice: { print($0) })
        exit(1)
      } catch InterposerError.notFound("/nonexistent") {
        exit(0)
      }
    }
  }
}
