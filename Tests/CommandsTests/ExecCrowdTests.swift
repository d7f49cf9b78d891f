import Foundation
import TestSupport
import Testing

/// Virtual time for many programs at once, and for traced programs.
struct ExecCrowdTests {
  /// The number of bytes that the supervisor has read for a number of processes; it must not grow
  /// with the square of that number.
  private func reads(_ kind: String, _ count: Int, seconds: Int) throws -> Int {
    let result = try VirtualBusBench.run(
      ["exec", "--clock", "virtual", "--", VirtualBusBench.client("crowd"), kind, "\(count)"],
      seconds: 240)
    let line = try #require(result.outputLines.last, "\(result.errors)")
    let match = try #require(
      line.firstMatch(of: /status 0 after (\d+) s, reads (\d+)/), "\(line) \(result.errors)")
    #expect(Int(match.output.1) == seconds)
    if kind == "crowd" { #expect(result.outputLines.first == "ended \(count)") }
    return try #require(Int(match.output.2))
  }

  @Test(
    "1,000 sleeping processes and a tree of 1,500 levels end on time, with linear work",
    arguments: [("crowd", 1000, 59), ("tower", 1500, 5)])
  func many(_ kind: String, _ count: Int, _ seconds: Int) throws {
    // With four times as many processes, quadratic work would be 16 times as much. A busy machine
    // adds checks of threads that get no CPU time.
    var seen: [(few: Int, many: Int)] = []
    repeat {
      seen.append(
        (
          few: try reads(kind, count / 4, seconds: seconds),
          many: try reads(kind, count, seconds: seconds)
        ))
    } while seen[seen.count - 1].many >= 10 * seen[seen.count - 1].few && seen.count < 4
    #expect(seen.contains { $0.many < 10 * $0.few }, "reads: \(seen)")
  }

  @Test(
    "a debugger attaches and detaches, and the program continues its sleeps",
    arguments: [
      "gdb -nx -batch -ex 'info threads' -p $pid", "strace -qq -o $TMPDIR/calls -p $pid",
    ])
  func tracer(_ command: String) throws {
    let program = """
      import os, time
      folder = os.environ['TMPDIR']
      open(folder + '/pid', 'w').write(str(os.getpid()))
      while not os.path.exists(folder + '/stop'): time.sleep(1)
      start = time.monotonic(); time.sleep(100); print('slept', round(time.monotonic() - start, 2), flush=True)
      """
    let result = try ExecEndTests.run(
      """
      $tool exec --clock virtual -- /usr/bin/python3 -c "$(cat <<'END'
      \(program)
      END
      )" & p=$!
      while [ ! -s $TMPDIR/pid ]; do sleep 0.02; done; pid=$(cat $TMPDIR/pid)
      # The signals that a test blocks would keep strace from its end.
      unblocked="import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execvp(sys.argv[1], sys.argv[1:])"
      seen() { grep -qs -e '^\\* 1 .*python3' -e nanosleep $TMPDIR/said $TMPDIR/calls; }
      /usr/bin/python3 -c "$unblocked" timeout -s INT -k 20 100 \(command) >$TMPDIR/said 2>&1 & debugger=$!
      until seen || ! kill -0 $debugger; do sleep 0.1; done; sleep 0.5; kill -INT $debugger 2>/dev/null
      wait $debugger; status=$?
      touch $TMPDIR/stop; wait $p; echo $?
      [ $status = 137 ] && echo "the debugger hung"
      seen && echo seen
      """)
    #expect(
      result.outputLines == ["slept 100.0", "0", "seen"], "\(result.output)\(result.errors)")
  }
}
