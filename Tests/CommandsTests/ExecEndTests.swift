import Foundation
import TestSupport
import Testing

/// No process started by a bench outlives it, however the bench ends.
struct ExecEndTests {
  /// Runs a bash script that starts `$tool`; `left` counts the processes `sleep $mark` and `cat $TMPDIR/$mark`.
  ///
  /// All remaining processes are killed, so that a failure does not hang.
  static func run(_ script: String) throws -> CommandLineTool.Result {
    let mark = "9\(Int.random(in: 100_000...999_999))"
    let text = """
      tool=\(CommandLineTool.path.path); export mark=\(mark); me=$$
      left() { local n=0 f w; for f in /proc/[0-9]*/cmdline; do
        mapfile -d '' w <$f; [[ "${w[0]}" = @(sleep|cat) && "${w[1]}" = *$mark ]] && n=$((n+1))
        done 2>/dev/null; echo "left $n"; }
      started() { for i in $(seq 3000); do [ "$(left)" = "left $1" ] && return; sleep 0.02; done; }
      gone() { for i in $(seq 3000); do [ "$(left)" = "left 0" ] && break; sleep 0.02; done; left; }
      export TMPDIR=$(mktemp -d); end() { rm -rf "$TMPDIR"; pkill -KILL -x -f "(sleep |cat .*)$mark"; true; }; trap end EXIT
      \(script)
      """
    return try CommandLineTool.run(
      URL(filePath: "/usr/bin/timeout"), ["--signal=KILL", "300", "/bin/bash", "-c", text])
  }

  /// A program with a child in its own session and a grandchild.
  static let family = "sleep $mark & setsid sleep $mark & (sleep $mark; true) & exec sleep $mark"

  @Test(
    "killing the supervisor ends all its programs and leaves no file",
    arguments: ["kill -KILL $p", "kill -KILL -- -$p"])
  func killed(_ kill: String) throws {
    let result = try Self.run(
      """
      set -m; $tool exec -- sh -c 'ls /sys/class/i2c-dev >/dev/null; \(Self.family)' \
        2>/dev/null & p=$!
      started 4; ls $TMPDIR | wc -l; \(kill); gone; ls $TMPDIR
      """)
    #expect(result.outputLines == ["0", "left 0"], "\(result.output)\(result.errors)")
  }

  @Test("without FUSE a killed supervisor leaves no directory")
  func killedFolder() throws {
    let result = try Self.run(
      """
      hide='mount --bind /dev/null /dev/fuse && exec "$@"'
      own=--mount; [ $(id -u) = 0 ] || own="--mount --map-root-user"
      unshare $own sh -c "$hide" sh $tool exec -- sh -c 'exec 5<>/dev/i2c-1; exec sleep $mark' & p=$!
      started 1; ls $TMPDIR | wc -l; kill -KILL $p; gone
      for i in $(seq 3000); do [ -z "$(ls $TMPDIR)" ] && break; sleep 0.02; done; ls $TMPDIR
      """)
    #expect(result.outputLines == ["1", "left 0"], "\(result.output)\(result.errors)")
  }

  @Test("a program never continues without a bus after its supervisor is killed")
  func blind() throws {
    // If the call returned ENOSYS or a value, the client would write.
    let result = try Self.run(
      """
      $tool exec -- sh -c 'while test -e /dev/i2c-1; do :; done; echo blind >'$TMPDIR'/seen' & p=$!
      sleep 0.3; kill -KILL $p; sleep 0.3; cat $TMPDIR/seen 2>/dev/null; echo end
      """)
    #expect(result.output == "end\n")
  }

  @Test("if the guard process is killed, all programs end and the exit status is 137")
  func guardKilled() throws {
    let result = try Self.run(
      """
      $tool exec -- sh -c 'setsid sleep $mark & exec sleep $mark' & p=$!
      started 2; kill -KILL $(cat /proc/$p/task/*/children); wait $p; echo $?; gone
      """)
    #expect(result.outputLines == ["137", "left 0"], "\(result.output)\(result.errors)")
  }

  @Test(
    "TERM, HUP and INT terminate remaining processes at once, without the grace period",
    arguments: ["TERM", "HUP", "INT"])
  func noGrace(_ signal: String) throws {
    let result = try Self.run(
      """
      set -m; $tool exec --grace 50s -- sh -c 'setsid sleep $mark & exec sleep $mark' & p=$!
      started 2; kill -\(signal) $p; wait $p; echo $?; left
      """)
    let status = ["TERM": 143, "HUP": 129, "INT": 130][signal] ?? 0
    #expect(result.outputLines == ["\(status)", "left 0"], "\(result.output)\(result.errors)")
  }

  @Test(
    "in virtual time TERM, HUP and INT end a program under timeout(1) that never waits",
    arguments: ["TERM", "HUP", "INT"], [":", "test -e /dev/i2c-1"])
  func restless(_ signal: String, _ step: String) throws {
    let result = try Self.run(
      """
      set -m; $tool exec --clock virtual -- timeout 8 sh -c \
        'echo >$TMPDIR/begun; while :; do \(step); done' & p=$!
      while ! [ -e $TMPDIR/begun ]; do sleep 0.02; done; sleep 0.2; kill -\(signal) $p
      timeout 60 tail --pid=$p -s 0.1 -f /dev/null || echo runs; kill -KILL $p 2>/dev/null; wait $p; echo $?
      """)
    let status = ["TERM": 143, "HUP": 129, "INT": 130][signal] ?? 0
    #expect(result.outputLines == ["\(status)"], "\(result.output)\(result.errors)")
  }

  @Test("a signal in the grace period terminates remaining processes", arguments: ["TERM", "INT"])
  func signalInGrace(_ signal: String) throws {
    let result = try Self.run(
      """
      set -m; $tool exec --grace 50s -- sh -c 'echo $$ >$TMPDIR/program; setsid sleep $mark & exit 5' & p=$!
      started 1; while [ -e /proc/$(cat $TMPDIR/program) ]; do sleep 0.02; done; sleep 0.2; kill -\(signal) $p; wait $p; echo $?; left
      """)
    #expect(result.outputLines == ["5", "left 0"], "\(result.output)\(result.errors)")
  }

  @Test("the exit status of a program that exits at once is always reported")
  func shortLives() throws {
    let result = try Self.run(
      "for i in $(seq 100); do timeout -s KILL 120 $tool exec -- sh -c 'exit 7'; echo $?; done")
    #expect(result.outputLines == Array(repeating: "7", count: 100))
  }

  @Test(
    "at the limit of virtual time a program that handles SIGTERM has the grace period in its time",
    arguments: [
      ("lambda *a: done.append(1)", "3 bye", 0), ("lambda *a: None", "7 ", 0),
      ("signal.SIG_DFL", "3 ", 0), ("signal.SIG_IGN", "7 ", 0),
    ])
  func limit(_ handler: String, _ last: String, _ status: Int32) throws {
    let program = """
      import signal, time
      done = []
      signal.signal(signal.SIGTERM, \(handler))
      for number in range(60):
          print(number, end=" ", flush=True)
          time.sleep(1)
          if done:
              print("bye", end="", flush=True)
              break
      """
    let result = try VirtualBusBench.exec(
      ["python3", "-c", program],
      options: ["--clock", "virtual", "--for", "3500ms", "--grace", "4s"])
    #expect(result.status == status && result.output.hasSuffix(last), "\(result)")
  }

  @Test("USR1 and USR2 are forwarded to the program")
  func userSignals() throws {
    let result = try Self.run(
      """
      $tool exec -- sh -c 'trap "echo one" USR1; trap "echo two; exit 3" USR2
        sleep $mark & while :; do wait; done' & p=$!
      started 1; kill -USR1 $p; sleep 0.2; kill -USR2 $p; wait $p; echo $?
      """)
    #expect(result.outputLines == ["one", "two", "3"], "\(result.output)\(result.errors)")
  }

  @Test("a closed log or a size limit of the trace does not stop the program")
  func closedOutput() throws {
    let closed = try Self.run(
      "$tool exec --log -- sh -c 'for i in 1 2 3 4; do i2cget -y 1 0x76 0xd0; sleep 0.1; done; "
        + "echo whole >&1' 2> >(head -1 >/dev/null)")
    #expect(closed.outputLines.last == "whole", "\(closed.output)\(closed.errors)")
    let full = try Self.run(
      "ulimit -f 1; $tool exec --trace $TMPDIR/t -- sh -c 'for i in $(seq 60); do i2cget -y 1 0x76 0xd0 "
        + ">/dev/null; done; echo whole'; echo $?")
    #expect(full.outputLines.first == "whole", "\(full.output)\(full.errors)")
  }

  @Test(
    "a missing kernel feature is reported before the program starts",
    arguments: ["epoll_create1", "process_vm_readv"])
  func refused(_ call: String) throws {
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/timeout"),
      ["--signal=KILL", "100", VirtualBusBench.client("refuse"), call, CommandLineTool.path.path]
        + ["exec", "--", "echo", "started"])
    #expect(result.status == 69)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("\(call) failed"), "\(result.errors)")
  }
}
