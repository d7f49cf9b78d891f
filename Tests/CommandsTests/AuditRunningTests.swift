import Foundation
import TestSupport
import Testing

/// Child processes of `aneroid audit`.
struct AuditRunningTests {
  @Test(
    "an interrupted audit leaves no process and no file",
    arguments: [("INT", 130), ("TERM", 143), ("HUP", 129), ("KILL", 137)])
  func interrupted(_ signal: String, _ status: Int) throws {
    let result = try ExecEndTests.run(
      """
      set -m; mkfifo $TMPDIR/$mark; export hang="cat $TMPDIR/$mark"
      $tool audit --timeout 50s -- /bin/sh -c 'setsid $hang & exec $hang' >/dev/null 2>&1 & p=$!
      started 2; kill -\(signal) $p; wait $p; echo $?; gone
      [ \(signal) = KILL ] || ls $TMPDIR | grep -c aneroid
      """)
    // No process is left to remove the folder of a killed audit.
    let folders = signal == "KILL" ? [] : ["0"]
    #expect(result.outputLines == ["\(status)", "left 0"] + folders, "\(result.output)")
  }

  @Test("with --board the audited program sees the files of a board")
  func board() throws {
    let line = "temperature 18.63 C, pressure 1009.37 hPa, humidity 42.60 %"
    let script = """
      grep -q 'Raspberry Pi 4' /proc/cpuinfo || exit 3
      for i in 1 2 3 4 5 6 7 8; do echo '\(line)'; done
      """
    let options = ["audit", "--scenario", "calm"]
    let with = try VirtualBusBench.run(
      options + ["--board", "raspberry-pi-4", "--", "/bin/sh", "-c", script])
    #expect(with.status == 0, "\(with.output)\(with.errors)")
    let without = try VirtualBusBench.run(options + ["--", "/bin/sh", "-c", script])
    #expect(without.status != 0, "\(without.output)\(without.errors)")
  }

  @Test("a background process is terminated at the end of its scenario, even in a new session")
  func sessions() throws {
    let text = "temperature 18.63 C, pressure 1009.37 hPa, humidity 42.60 %"
    let result = try ExecEndTests.run(
      """
      $tool audit --scenario calm -- /bin/bash -c 'setsid sleep $mark &
        for i in 1 2 3 4 5 6 7 8; do echo "\(text)"; done; exec sleep $mark' | tail -1; left
      """)
    #expect(result.outputLines.last == "left 0", "\(result.output)\(result.errors)")
    #expect(result.output.contains("1 scenario: 1 right"), "\(result.output)\(result.errors)")
  }

  @Test("if a program crashes in the scenario without faults, the finding gives the reason")
  func deadOnCalm() throws {
    let program = """
      import fcntl, os
      bus = os.open('/dev/i2c-1', os.O_RDWR); fcntl.ioctl(bus, 0x703, 0x76)
      os.write(bus, b'\\xf4\\x25'); os.write(bus, b'\\xf7')
      print('starting', flush=True)
      print('pressure', 1 / (os.read(bus, 8)[0] - 0x80))
      """
    let result = try AuditTests.audit([], AuditTests.script(program))
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    #expect(result.output.contains("ZeroDivisionError"), "\(result.output)")
    #expect(result.output.contains("likely B24"), "\(result.output)")
  }

  @Test("if a program prints no readings, the message gives its number of transfers with the part")
  func mute() throws {
    let program = """
      import fcntl, os
      bus = os.open('/dev/i2c-1', os.O_RDWR); fcntl.ioctl(bus, 0x703, 0x76)
      os.write(bus, b'\\xd0'); os.read(bus, 1)
      """
    let result = try AuditTests.audit([], AuditTests.script(program))
    #expect(result.status == 64)
    #expect(result.errors.contains("2 transfers with the part"), "\(result.errors)")
    let none = try AuditTests.audit([], AuditTests.script("pass"))
    #expect(none.errors.contains("no transfer with the part"), "\(none.errors)")
  }

  @Test("an audit with a --match expression that backtracks exponentially ends with a timeout")
  func backtracking() throws {
    let result = try AuditTests.audit(
      ["--timeout", "1s", "--match", "^(([a-z]+)+)+(?<temperature_c>[0-9]+)$"],
      AuditTests.script("print('a' * 40 + '!')"))
    #expect(result.status == 64 && result.errors.contains("timed out after"), "\(result.errors)")
  }

  @Test("lines of 200,000 numbers are not detected as readings")
  func endlessNumbers() throws {
    let result = try AuditTests.audit(
      [], AuditTests.script("for i in range(3): print(*range(200000))"))
    #expect(result.status == 64, "\(result.errors)")
  }

  @Test("a reader that always displays the previous measurement is wrong when the air changes")
  func oneMeasurementOld() throws {
    let text = try Fixtures.text("Tests/Peers/audit/reader.py")
    let mutant = Self.late + text
    let result = try AuditTests.audit(
      ["--scenario", "changing"],
      ["/usr/bin/python3", try Mutants.written(mutant, name: "late.py")])
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    #expect(result.output.contains("975.12 hPa") || result.output.contains("27.94 C"))
    let right = try AuditTests.audit(["--scenario", "changing"], AuditTests.python)
    #expect(right.status == 0, "\(right.output)")
  }

  /// Changes a reader to display the previous line instead of the current one.
  static let late = """
    import builtins
    _show, _last = builtins.print, []
    def print(*values, **names):
        _last.append(values)
        _show(*_last[max(len(_last) - 2, 0)], **names)


    """
}
