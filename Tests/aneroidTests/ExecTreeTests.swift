import Foundation
import TestSupport
import Testing

/// Virtual time for whole trees of threads and processes: runtimes and tools by the ways in which they wait.
@Suite(.serialized)
struct ExecTreeTests {
  /// A program that waits, and what it prints with the virtual time that it took.
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
      Tree(
        program: ["/usr/bin/java", "-cp", "\(VirtualBusBench.peers)/clients", "Tree", way],
        output: output)
    }

    /// A script of a shell, after which the virtual time that it took is printed.
    static func shell(_ script: String, _ output: String) -> Tree {
      let timed = "start=$(date +%s)\n\(script)\necho $(($(date +%s) - start)) s"
      return Tree(program: ["/bin/bash", "-c", timed], output: output)
    }
  }

  static let trees: [Tree] = [
    .python("child", "['1', '2', '3', '1', '2'] 3.0 s"), .python("pipe", "b'xxxx' 4.0 s"),
    .python("futex", "[1.0, 1.0, 2.0, 2.0] 4.0 s"), .python("poll", "1 4.0 s"),
    .python("signal", "(['CHLD', 'ALRM'], 0) 4.0 s"),
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

  @Test("a tree of threads and processes ends, at its virtual time", arguments: trees)
  func tree(_ tree: Tree) throws {
    let isLong = ProcessInfo.processInfo.environment["ANEROID_TEST_LONG"] != nil
    for _ in 0..<(isLong ? 20 : 1) {
      let result = try VirtualBusBench.exec(
        tree.program, options: ["--clock", "virtual", "--quiet"])
      #expect(result.output == tree.output + "\n", "\(result.errors)")
    }
  }
}
