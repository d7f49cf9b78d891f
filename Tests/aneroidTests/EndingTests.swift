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

  @Test("SIGHUP takes a rig that is right; with one that has a mistake the very run goes on")
  func reload() throws {
    let rig = Self.rig.replacing("duration: 60s\n", with: "")
    try CommandLineTool.withFile(rig) { path in
      // Lines of the run are the clock: a rig is changed once it has told enough.
      let script = """
        told() { until [ "$(grep -c "$1" $0.out)" -ge "$2" ]; do sleep 0.1; done; }
        "$1" run $0 --format jsonl >$0.out 2>$0.errors & id=$!
        told reading 2; sed -i 's/cycle: 1s/cycel: 1s/' $0; kill -HUP $id
        until grep -q 'goes on as it was' $0.errors; do sleep 0.1; done
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
      #expect(lines.contains { $0.hasSuffix("not taken; the run goes on as it was") }, "\(result)")
      #expect(lines.contains { $0.hasSuffix("read again") }, "\(result)")
    }
  }

  @Test("a rig without a duration runs in virtual time for as long as is said, and not without")
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
