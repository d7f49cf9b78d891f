import Foundation
import TestSupport
import Testing

/// Start and end of the program under adverse conditions.
struct EndingTests {
  /// Runs a script with all signals unblocked.
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
    "a crash prints one line about how to report the bug, and exits with status 70",
    arguments: ["ILL", "TRAP", "SEGV", "BUS", "FPE", "ABRT"])
  func crash(_ signal: String) throws {
    try CommandLineTool.withFile(Self.rig) { path in
      // It crashes immediately, after its first line.
      let script = """
        unset SWIFT_BACKTRACE; exec 3< <(exec "$0" run $1 2>$1.errors & echo $!; wait $!; echo "status $?")
        read -u 3 id; read -u 3 first; kill -\(signal) $id; cat <&3; cat $1.errors >&2; rm $1.errors
        """
      let result = try Self.shell(script, path)
      #expect(result.output.contains("status 70"), "\(result)")
      let lines = result.errors.split(separator: "\n")
      #expect(lines.count == 1, "\(result.errors)")
      #expect(lines.first?.hasPrefix("aneroid: internal error (") == true)
      #expect(lines.first?.contains("report") == true)
    }
  }

  @Test("SIGHUP reloads a valid rig; with an invalid one the run continues")
  func reload() throws {
    let rig = Self.rig.replacing("duration: 60s\n", with: "")
    try CommandLineTool.withFile(rig) { path in
      // Lines of the run serve as a clock: a rig is changed after enough of them.
      let script = """
        told() { until [ "$(grep -c "$1" $0.out)" -ge "$2" ]; do sleep 0.1; done; }
        "$1" run $0 --format jsonl >$0.out 2>$0.errors & id=$!
        told reading 2; sed -i 's/cycle: 1s/cycel: 1s/' $0; kill -HUP $id
        until grep -q 'continues with the old rig' $0.errors; do sleep 0.1; done
        told reading 4; grep -c '"event":"rig"' $0.out
        sed -i 's/cycel: 1s/cycle: 2s/' $0; kill -HUP $id
        told '"event":"rig"' 2; kill -TERM $id; wait $id
        cat $0.errors; rm -f $0.out $0.errors
        """.replacing("$1\" run", with: "\(CommandLineTool.path.path)\" run")
      let unblock =
        "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); "
        + "os.execv('/usr/bin/timeout', ['timeout', '-s', 'KILL', '60', 'bash', '-c'] + sys.argv[1:])"
      let result = try CommandLineTool.run(
        URL(filePath: "/usr/bin/python3"), ["-c", unblock, script, path])
      let lines = result.output.split(separator: "\n").map(String.init)
      #expect(lines.first == "1", "no new header: \(result)")
      #expect(lines.contains { $0.contains("unknown key 'cycel'") }, "\(result)")
      #expect(
        lines.contains { $0.hasSuffix("not reloaded; the run continues with the old rig") },
        "\(result)")
      #expect(lines.contains { $0.hasSuffix(": reloaded") }, "\(result)")
    }
  }

  @Test("a rig without a duration needs --for to run in virtual time")
  func endless() throws {
    let rig = Self.rig.replacing("duration: 60s\n", with: "")
      .replacing("clock: real", with: "clock: virtual")
    try CommandLineTool.withFile(rig) { path in
      let asked = try CommandLineTool.run("run", path)
      #expect(asked.status == 78 || asked.status == 64, "\(asked)")
      #expect(asked.errors.contains("--for"), "\(asked)")
      let told = try CommandLineTool.run("run", path, "--for", "90s", "--format", "jsonl")
      #expect(told.status == 0, "\(told.errors)")
      #expect(told.outputLines.count { $0.contains(#""event":"reading""#) } == 90)
    }
  }

  @Test("command-line arguments are read correctly if /proc is not available")
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

  /// Watches for some seconds on a terminal and sends a signal.
  static func watch(_ signal: String, for seconds: Double, speed: Int) throws -> [String] {
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/python3"),
      ["Tests/Peers/watch_on_terminal.py", "\(seconds)", signal, CommandLineTool.path.path]
        + ["watch", "rigs/iss-quiet.yaml", "--speed", "\(speed)"])
    return result.output.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  @Test(
    "the terminal is restored after every end of a watch",
    arguments: ["QUIT", "TERM", "INT", "HUP", "SEGV"])
  func terminal(_ signal: String) throws {
    let found = try Self.watch(signal, for: 0.3, speed: 60)
    #expect(found.count == 5 && found[0] == (signal == "SEGV" ? "70" : "0"), "\(found)")
    #expect(found.suffix(2) == ["True", "True"], "\(found)")
  }

  @Test("the screen is drawn at most ten times a second, at any speed of virtual time")
  func drawings() throws {
    let found = try Self.watch("TERM", for: 2, speed: 3600)
    let (count, seconds) = (Int(found[1]) ?? 0, Double(found[2]) ?? 0)
    #expect((3...Int(10 * seconds) + 5).contains(count), "\(found)")
  }
}
