import Audit
import Glibc
import Testing

/// Audited programs as child processes, and their time limits.
struct RunningTests {
  @Test("output written just before a program ends is read from standard output and standard error")
  func lastWords() throws {
    for turn in 0..<20 {
      let script =
        "for i in 1 2 3; do echo value $i; done; for i in 1 2 3; do echo error $i >&2; done; "
        + "printf last >&2; exit 3"
      let program = try RunningProgram(["/bin/sh", "-c", script])
      // Read only after the program's end is known; output was once lost in this case.
      while program.status == nil {
        usleep(1000)
        program.wait()
      }
      #expect(program.drain() == ["value 1", "value 2", "value 3"], "turn \(turn)")
      #expect(program.errorLines == ["error 1", "error 2", "error 3", "last"], "turn \(turn)")
      #expect(program.descriptors == [-1, -1])
    }
  }

  @Test("the time limit counts CPU time and time without progress, but not wall-clock time alone")
  func workLimit() {
    let second: UInt64 = 1_000_000_000
    let perSecond = UInt64(1 / ProcessTree.tick)
    // On a loaded machine a program takes a hundred times the limit but uses little CPU time.
    var slow = WorkLimit(nanoseconds: 10 * second)
    #expect(
      !(1...1000).contains {
        slow.isOver(
          at: UInt64($0) * second, steps: 0, ticks: UInt64($0) / 200 * perSecond,
          isRunnable: $0 % 8 == 0)
      })
    var busy = WorkLimit(nanoseconds: 10 * second)
    let end = (1...1000).first {
      busy.isOver(
        at: UInt64($0) * second, steps: $0, ticks: UInt64($0) * perSecond, isRunnable: true)
    }
    #expect(end == 11)
    var hung = WorkLimit(nanoseconds: 10 * second)
    let stop = (1...1000).first {
      hung.isOver(at: UInt64($0) * second, steps: 7, ticks: perSecond, isRunnable: false)
    }
    #expect(stop == 12, "it moved once, at the first look")
    var ending = WorkLimit(nanoseconds: 10 * second, from: 500 * second, beyond: 90 * perSecond)
    let last = (1...1000).first {
      ending.isOver(
        at: (500 + UInt64($0)) * second, steps: 7, ticks: (90 + UInt64($0)) * perSecond,
        isRunnable: true)
    }
    #expect(last == 11, "what it did before counts no more")
    var talking = WorkLimit(nanoseconds: 10 * second)
    #expect(
      !(1...1000).contains {
        talking.isOver(at: UInt64($0) * second, steps: $0, ticks: 0, isRunnable: false)
      })
  }

  @Test("the CPU time of a program and of its child processes is counted")
  func work() throws {
    let program = try RunningProgram([
      "/bin/sh", "-c", "(while :; do :; done) & while :; do :; done",
    ])
    defer {
      program.kill()
      while program.status == nil { program.wait() }
    }
    var tree = ProcessTree(of: program.process)
    for _ in 0..<600 where tree.ticks < 4 {
      usleep(50_000)
      tree = ProcessTree(of: program.process)
    }
    #expect(tree.ticks >= 4)
  }

  @Test("scenarios with a change require at least four readings, even if --readings is lower")
  func readings() throws {
    var settings = AuditSettings(["true"])
    settings.readings = 2
    let wanted = Dictionary(
      uniqueKeysWithValues: Scenario.all.map { ($0.name, settings.readings(in: $0)) })
    #expect(wanted["calm"] == 4 && wanted["power-loss"] == 4 && wanted["changing"] == 4)
    #expect(wanted["packed-h5"] == 2)
  }

  @Test("a regular expression that backtracks endlessly times out with a message")
  func backtracking() async throws {
    // A child process: the search continues for days and would use a core of the other tests.
    await #expect(processExitsWith: .success) {
      let form = OutputForm.patterns(["^(([a-z]+)+)+(?<temperature_c>[0-9]+)$"])
      let source = try form.source(of: Measurand.air, secondsPerLine: 5)
      try #require(source.values(in: "abc18").map(\.value) == [18])
      try #require(source.error == nil)
      try #require(source.values(in: String(repeating: "a", count: 40) + "!").isEmpty)
      try #require(source.error?.message.contains("timed out after 5.0 s") == true)
      try #require(source.values(in: "abc18").isEmpty, "nothing is searched any more")
    }
  }

  @Test("an endless line is cut after 16,384 bytes, and a line with 200,000 numbers is rejected")
  func longLines() {
    var text = PlainText()
    for _ in 0..<20 { #expect(text.take([UInt8](repeating: 0x31, count: 10_000)).isEmpty) }
    #expect(text.take([0x0A]).map(\.count) == [16_384])
    let numbers = (0..<200_000).map { "\($0)" }.joined(separator: " ")
    let error = #expect(throws: OutputError.self) {
      try FormatInference([numbers, numbers, numbers], truth: OutputTests.truth)
    }
    #expect(error != nil)
  }
}
