import Foundation
import TestSupport
import Testing

/// How the program begins and ends where things go wrong around it or in it.
struct EndingTests {
  /// Runs a script; signals that the test blocks are not blocked in it.
  static func shell(_ script: String, _ arguments: String...) throws -> CommandLineTool.Result {
    let unblock = """
      import os, signal, sys
      signal.pthread_sigmask(signal.SIG_SETMASK, [])
      os.execv("/usr/bin/timeout", ["timeout", "-s", "KILL", "60"] + sys.argv[1:])
      """
    return try CommandLineTool.run(
      URL(filePath: "/usr/bin/python3"),
      ["-c", unblock, "/bin/bash", "-c", script, CommandLineTool.path.path] + arguments)
  }

  static let rig = """
    name: slow
    clock: real
    duration: 60s
    buses: [{number: 1, devices: [{address: 0x76, model: bme280, calibration: CALIBRATION}]}]
    pipeline: {samples: 1, cycle: 1s, sample_every: 1s}
    """.replacing(
      "CALIBRATION", with: Fixtures.root.appending(path: "fixtures/calibrations/xft.yaml").path)

  @Test(
    "a crash is one line that says where to report it, and status 70",
    arguments: ["ILL", "TRAP", "SEGV", "BUS", "FPE", "ABRT"])
  func crash(_ signal: String) throws {
    try CommandLineTool.withFile(Self.rig) { path in
      // It crashes as soon as it runs: its first line is there.
      let script = """
        unset SWIFT_BACKTRACE; exec 3< <(exec "$0" run $1 2>$1.errors & echo $!; wait $!; echo "status $?")
        read -u 3 id; read -u 3 first; kill -\(signal) $id; cat <&3; cat $1.errors >&2; rm $1.errors
        """
      let result = try Self.shell(script, path)
      #expect(result.output.contains("status 70"), "\(result)")
      let lines = result.errors.split(separator: "\n")
      #expect(lines.count == 1, "\(result.errors)")
      #expect(lines.first?.hasPrefix("aneroid: a defect of aneroid has ended it (") == true)
      #expect(lines.first?.contains("report") == true)
    }
  }

  @Test("where there is no /proc, arguments are arguments")
  func noProc() throws {
    let script = """
      unshare -rm sh -c 'mount -t tmpfs none /proc && exec "$0" "$@"' "$0" rig check rigs/thesis.yaml
      unshare -rm sh -c 'mount -t tmpfs none /proc && exec "$0" "$@"' "$0" rig check "a b" ''
      """
    let result = try Self.shell(script)
    #expect(
      result.output.hasPrefix("rigs/thesis.yaml: ok\na b: no such file, and no built-in rig"),
      "\(result)")
  }

  /// Watches for some seconds on a terminal and ends it with a signal.
  static func watch(_ signal: String, for seconds: Double, speed: Int) throws -> [String] {
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/python3"),
      ["Tests/Peers/watch_on_terminal.py", "\(seconds)", signal, CommandLineTool.path.path]
        + ["watch", "rigs/iss-quiet.yaml", "--speed", "\(speed)"])
    return result.output.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  @Test(
    "whatever ends a watch, the terminal is as before",
    arguments: ["QUIT", "TERM", "INT", "HUP", "SEGV"])
  func terminal(_ signal: String) throws {
    let found = try Self.watch(signal, for: 0.3, speed: 60)
    #expect(found.count == 5 && found[0] == (signal == "SEGV" ? "70" : "0"), "\(found)")
    #expect(found.suffix(2) == ["True", "True"], "\(found)")
  }

  @Test("the screen is drawn ten times a second at most, however fast the time goes")
  func drawings() throws {
    let found = try Self.watch("TERM", for: 2, speed: 3600)
    let (count, seconds) = (Int(found[1]) ?? 0, Double(found[2]) ?? 0)
    #expect((3...Int(10 * seconds) + 5).contains(count), "\(found)")
  }
}
