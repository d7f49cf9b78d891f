import Foundation
import TestSupport
import Testing

/// Signals and timers in virtual time, in the order in which Linux delivers them.
struct ExecSignalTests {
  @Test(
    "waits, timers, signals, threads and children end in order",
    arguments: [UInt32.random(in: 1...1_000_000), 1, 2])
  func schedule(_ seed: UInt32) throws { try Self.check(seed, seconds: 120) }

  /// Concurrent supervisors each check only their own clients, and wait for a client that gets no
  /// CPU time.
  ///
  /// The second argument uses only forks, because a parent appears to sleep while it reaps its
  /// child, and a thread appears to have ended before it has reported its end. A slot is also late
  /// if its thread finds that the clock has advanced in between.
  @Test("the order of events is the same if many benches run at once", arguments: ["", "forks"])
  func besideOthers(_ kinds: String) throws {
    let first = UInt32.random(in: 1...1_000_000)
    let benches = kinds.isEmpty ? 6 : Repetitions.count(6, long: 30)
    let script = """
      folder=$(mktemp -d); cd "$folder"
      seq 0 999 > right
      timeout 900 sh -c 'while :; do /bin/true; done' & comings=$!
      seq \(first) \(first + UInt32(benches) - 1) | xargs -P 6 -I SEED sh -c '
        timeout -s KILL 200 \(CommandLineTool.path.path) exec --clock virtual -- \
          \(VirtualBusBench.client("schedule")) SEED 1000 3000 \(kinds) > SEED
        cmp SEED right && echo right' 2>&1
      kill $comings
      rm -r "$folder"
      """
    let result = try CommandLineTool.run(URL(filePath: "/bin/sh"), ["-c", script], input: "")
    #expect(
      result.outputLines.count { $0 == "right" } == benches,
      "from seed \(first): \(result.output)")
  }

  private static func check(_ seed: UInt32, seconds: Int) throws {
    let result = try VirtualBusBench.run(
      [
        "exec", "--clock", "virtual", "--", VirtualBusBench.client("schedule"), "\(seed)", "1000",
        "3000",
      ],
      seconds: seconds)
    #expect(result.status == 0, "seed \(seed): \(result.errors)")
    #expect(result.outputLines.count == 1000, "seed \(seed)")
    let late = zip(result.outputLines, (0..<1000).map(String.init)).first { $0 != $1 }
    #expect(late == nil, "seed \(seed)")
  }

  /// The reference for the schedule: in real time its order is the same if its slots are longer
  /// than the delays of the machine.
  @Test("the same schedule gives the same order of events in real time")
  func native() throws {
    let slots = [
      (200, 20_000), (200, 60_000), (200, 180_000), (100, 600_000), (50, 4_000_000),
    ]
    for (steps, microseconds) in slots {
      // A thread that gets no CPU time for a slot may wait for ever.
      let result = try CommandLineTool.run(
        URL(filePath: "/usr/bin/timeout"),
        [
          "--signal=KILL", "300", VirtualBusBench.client("schedule"), "1", "\(steps)",
          "\(microseconds)",
        ], input: "")
      if result.status == 0, result.outputLines == (0..<steps).map(String.init) { return }
    }
    Issue.record("the order differs although the slots are long")
  }

  /// A shell program and its output.
  static let endings: [(program: [String], output: String, status: Int32)] = [
    (["timeout", "5", "sleep", "100"], "", 124),
    (
      ["perl", "-e", "$SIG{CHLD}=sub{}; if(!fork){sleep 1;exit} print sleep 4, \"\\n\""], "1\n", 0
    ),
    (
      [
        "perl", "-e",
        "$SIG{ALRM}=sub{print time, \" \"}; alarm 3; my $r = sleep 100; print \"$r \", time, \"\\n\"",
      ],
      "946684803 3 946684803\n", 0
    ),
    (["perl", "-e", "alarm 3; sleep 100"], "", 128 + 14),
    (
      [
        "sh", "-c",
        "trap 'echo heard; exit 3' TERM; (sleep 2; kill -TERM $$) & sleep 50 & wait; echo never",
      ],
      "heard\n", 3
    ),
    (
      [
        "sh", "-c", "sleep 100 & sleep 1; kill -STOP $!; sleep 1; kill -CONT $!; wait; date -u +%T",
      ],
      "00:01:40\n", 0
    ),
  ]

  @Test("signals interrupt sleeps as on Linux", arguments: endings.indices)
  func ending(_ index: Int) throws {
    let (program, output, status) = Self.endings[index]
    let result = try ExecClockTests.exec(program)
    #expect(result.output == output, "\(result.errors)")
    #expect(result.status == status)
  }

  @Test("interval timers, getitimer and thread-directed signals are on time")
  func timers() throws {
    let script = """
      import signal, threading, time
      start = time.monotonic()
      def now(): return round(time.monotonic() - start, 3)
      signal.signal(signal.SIGALRM, lambda *_: print('tick', now()))
      signal.signal(signal.SIGUSR1, lambda *_: print('signal', now()))
      signal.setitimer(signal.ITIMER_REAL, 0.5, 0.75)
      time.sleep(2.2)
      left, every = signal.getitimer(signal.ITIMER_REAL)
      print(now(), round(left, 3), every)
      signal.setitimer(signal.ITIMER_REAL, 0)
      main = threading.main_thread().ident
      threading.Thread(target=lambda: (time.sleep(1), signal.pthread_kill(main, signal.SIGUSR1))).start()
      time.sleep(3)
      print(now())
      """
    let result = try ExecClockTests.exec(["/usr/bin/python3", "-c", script])
    #expect(
      result.outputLines == [
        "tick 0.5", "tick 1.25", "tick 2.0", "2.2 0.55 0.75", "signal 3.2", "5.2",
      ],
      "\(result.errors)")
  }

  @Test(
    "TERM ends a sleeping program, with or without a handler",
    arguments: ["", "trap 'exit 9' TERM; "])
  func terminate(_ trap: String) throws {
    // Time does not advance while the other process computes, so only the signal can end the sleep.
    let script = "\(trap)sleep 100000 & wait"
    let result = try ExecClockTests.exec([
      "sh", "-c",
      "sh -c \"$0\" & P=$!; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; kill -TERM $P; wait $P; echo $?; kill %2 2>/dev/null; pkill -P $P 2>/dev/null; exit 0",
      script,
    ])
    #expect(result.outputLines.first == (trap.isEmpty ? "143" : "9"), "\(result.errors)")
  }

  @Test("two runs of programs that share a bus give the same trace")
  func reproducible() throws {
    let script = """
      for n in 1 2 3 4 5; do "$0" -c "
      import time, smbus2
      bus = smbus2.SMBus(1)
      for i in range(20):
          bus.read_byte_data(0x76, 0x80 + $n)
          time.sleep(0.01 * $n)
      " & done; wait
      """
    func trace() throws -> String {
      let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
      defer { try? FileManager.default.removeItem(atPath: file) }
      let result = try VirtualBusBench.exec(
        ["sh", "-c", script, "\(VirtualBusBench.peers)/bin/python"],
        options: ["--clock", "virtual", "--trace", file],
        environment: ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/smbus2"])
      #expect(result.status == 0, "\(result.errors)")
      return try String(contentsOfFile: file, encoding: .utf8)
    }
    let first = try trace()
    #expect(first.split(separator: "\n").count == 101)
    for _ in 0..<4 { #expect(try trace() == first) }
  }
}
