import Foundation
import TestSupport
import Testing

/// Virtual time for trees of threads and processes: runtimes and tools with different kinds of waits.
@Suite(.serialized)
struct ExecTreeTests {
  /// A program that waits, and its output with the elapsed virtual time.
  struct Tree: CustomTestStringConvertible, Sendable {
    let program: [String]
    let output: String

    var testDescription: String {
      program.suffix(2).joined(separator: " ").replacing("\n", with: "; ")
    }

    static func python(_ way: String, _ output: String) -> Tree {
      Tree(program: ["/usr/bin/python3", "Tests/Peers/trees/tree.py", way], output: output)
    }

    static func go(_ way: String, _ output: String) -> Tree {
      Tree(program: [VirtualBusBench.client("tree"), way], output: output)
    }

    static func node(_ way: String, _ output: String) -> Tree {
      Tree(program: ["/usr/bin/node", "Tests/Peers/trees/tree.js", way], output: output)
    }

    static func java(_ way: String, _ output: String) -> Tree {
      // Its performance file is shared by JVMs with the same process ID in other namespaces.
      Tree(
        program: [
          "/usr/bin/java", "-XX:-UsePerfData", "-cp", "\(VirtualBusBench.peers)/clients", "Tree",
          way,
        ], output: output)
    }

    /// A shell script, followed by the elapsed virtual time.
    static func shell(_ script: String, _ output: String) -> Tree {
      let timed = "start=$(date +%s)\n\(script)\necho $(($(date +%s) - start)) s"
      return Tree(program: ["/bin/bash", "-c", timed], output: output)
    }
  }

  static let trees: [Tree] = [
    .python("child", "['1', '2', '3', '1', '2'] 3.0 s"), .python("pipe", "b'xxxx' 4.0 s"),
    .python("futex", "[1.0, 1.0, 2.0, 2.0] 4.0 s"), .python("poll", "1 4.0 s"),
    .python("signal", "(['CHLD', 'ALRM'], 0) 4.0 s"),
    .python("fork", "[1, 2, 3, 1, 2] 4.0 s"), .python("spawn", "[1, 2, 3, 1, 2] 4.0 s"),
    .python("forkserver", "[1, 2, 3, 1, 2] 4.0 s"),
    .python("asyncio", "(0.5, 1, b'child\\n', '3') 4.0 s"),
    .go("child", "hihihihihihihihi 16.0 s"),
    .go("limited", "<nil> signal: killed <nil> signal: killed  6.0 s"),
    .go("pool", "[1 2 3 4] 4.0 s"), .go("pipe", "0123 4.0 s"), .go("timer", "4 4.5 s"),
    .go("signal", "user defined signal 1 <nil> 4.0 s"),
    .node("child", "1,2,1 4.0 s"), .node("pool", "1,2,3,4 4.0 s"), .node("sync", "4 4.0 s"),
    .node("timer", "4 4.5 s"), .node("worker", "4 4.0 s"), .node("signal", "SIGUSR2 4.0 s"),
    .java("child", "0:1 0:2 0:1 4.0 s"), .java("pool", "[0:1, 0:2, 0:3, 0:4] 4.0 s"),
    .java("limited", "false 4.0 s"),
    .shell("for i in 3 1 2; do (sleep $i; echo $i) & done; wait", "1\n2\n3\n3 s"),
    .shell(
      "trap 'echo CHLD' CHLD; set -m; sleep 2 & wait; trap - CHLD; (sleep 2; echo x) | cat",
      "CHLD\nx\n4 s"),
    .shell("printf '%s\\n' 1 4 2 3 | xargs -P4 -I{} sh -c 'sleep {}; echo {}'", "1\n2\n3\n4\n4 s"),
    .shell(
      #"printf 'all: 1 2 3 4\n1 2 3 4:\n\t@sleep $@; echo $@\n' | make -s -j4 -f -"#,
      "1\n2\n3\n4\n4 s"),
    .shell("timeout 2 sleep 9; echo $?; timeout 9 sleep 2; echo $?", "124\n0\n4 s"),
  ]

  /// The number of runs of each tree, five at a time.
  static let runs = Repetitions.count(5, long: 100)

  @Test(
    "a tree of threads and processes prints the same in each run, with five of them at a time",
    arguments: trees)
  func tree(_ tree: Tree) throws {
    for output in try Self.outputs(of: tree) { #expect(output == tree.output + "\n") }
  }

  @Test(
    "the times of concurrent tasks, timeouts, a child and threads are the same in each run"
  )
  func tickers() throws {
    let outputs = try Self.outputs(of: .python("tickers", ""))
    #expect(Set(outputs).count == 1)
    #expect(outputs.first?.split(separator: "\n").count == 39)
  }

  /// The output of each run of a tree, five at a time.
  private static func outputs(of tree: Tree) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = #"exec timeout --signal=KILL 120 "$@" >"$0/@number@" 2>/dev/null"#
    let command = ["exec", "--clock", "virtual", "--quiet", "--"] + tree.program
    let many = #"seq "$1" | xargs -P5 -I@number@ sh -c "$0" "${@:2}"; true"#
    _ = try CommandLineTool.run(
      URL(filePath: "/bin/bash"),
      ["-c", many, run, "\(runs)", folder.path, CommandLineTool.path.path] + command)
    return try (1...runs).map {
      try String(contentsOf: folder.appending(path: "\($0)"), encoding: .utf8)
    }
  }

  @Test("deadlocked programs are terminated with a list of what each waits for")
  func locked() throws {
    let result = try VirtualBusBench.exec(
      Tree.python("locked", "").program, options: ["--clock", "virtual", "--stall", "1s"])
    #expect(result.status == 124)
    #expect(result.output == "")
    #expect(result.errors.contains("have waited for each other for 1.0 s, and no event is due"))
    #expect(result.errors.contains("waits for another thread (futex)"))
    #expect(result.errors.contains("reads from descriptor 3 (pipe:["))
  }

  @Test(
    "a program that waits for an outside event is not terminated",
    arguments: 1...Repetitions.count(3, long: 10))
  func fed(_ turn: Int) throws {
    // The event arrives just while the program is checked, because the sender exits then.
    let script = #"(sleep 1; echo fed) | "$0" exec --clock virtual --stall 0.1s -- head -1"#
    let result = try CommandLineTool.run(
      URL(filePath: "/bin/sh"), ["-c", script, CommandLineTool.path.path])
    #expect(result.status == 0)
    #expect(result.output == "fed\n")
  }

  @Test("a program that computes for long is reported once and continues")
  func computes() throws {
    let script = "import time\nwhile time.process_time() < 2.5: pass\nprint('done')"
    let result = try VirtualBusBench.exec(
      ["/usr/bin/python3", "-c", script], options: ["--clock", "virtual", "--stall", "0.2s"])
    #expect(result.output == "done\n")
    #expect(
      result.errors.split(separator: "\n").filter { $0.contains("has not advanced") }.count == 1)
  }
}
