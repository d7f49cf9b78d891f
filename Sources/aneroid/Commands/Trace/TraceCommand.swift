import ArgumentParser
import Files
import TraceTools

/// `aneroid trace`: reads, compares, verifies and converts traces.
struct TraceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Show, compare, verify and convert traces of what happened on a bus.",
    discussion: """
      EXAMPLES
        aneroid run rigs/weather-station.yaml --trace a.i2ctrace
        aneroid trace show a.i2ctrace | head
        aneroid trace diff a.i2ctrace b.i2ctrace
        aneroid trace import --from ftrace trace.txt -o a.i2ctrace
        aneroid trace export --to vcd a.i2ctrace -o a.vcd
      """,
    subcommands: [Show.self, Diff.self, Check.self, Import.self, Export.self])

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print a trace for people, a transfer a line, with register names.",
      discussion: """
        EXAMPLES
          aneroid trace show a.i2ctrace

        The exit status is 1 for a trace that was cut off.
        """)

    @Argument(help: "The trace; - is standard input.", completion: .file(extensions: ["i2ctrace"]))
    var trace: String

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        try OutputPlace.checkStandardOutput(reading: trace)
        let input = try TraceInput(trace)
        let isWhole = try TraceCommands.show(input, to: output.write)
        if !isWhole {
          output.flush()
          StandardError.say("\(input.name): the trace was cut off; its whole lines are shown")
        }
        return isWhole
      }
    }
  }

  struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "diff",
      abstract: "Compare two traces: the first difference and a summary.",
      discussion: """
        EXAMPLES
          aneroid trace diff a.i2ctrace b.i2ctrace

        Times are told but not judged. The exit status is 1 when the traces differ.
        """)

    @Argument(help: "A trace.", completion: .file(extensions: ["i2ctrace"]))
    var first: String

    @Argument(help: "Another one.", completion: .file(extensions: ["i2ctrace"]))
    var second: String

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        var difference = TraceDifference(
          try TraceInput(first), try TraceInput(second), to: output.write)
        return try difference.run()
      }
    }
  }

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Read traces to their end and say what is wrong.",
      discussion: """
        EXAMPLES
          aneroid trace check *.i2ctrace

        The exit status is 1 for a trace that was cut off (it is good up to there), 65 for a wrong line.
        """)

    @Argument(help: "The traces.", completion: .file(extensions: ["i2ctrace"]))
    var traces: [String]

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        var areWhole = true
        for trace in traces {
          if try !TraceCommands.check(TraceInput(trace), to: output.write) { areWhole = false }
        }
        return areWhole
      }
    }
  }

  /// Does something that prints and may find a fault, and ends accordingly.
  static func finish(_ body: (Output) throws(Failure) -> Bool) throws {
    let output = Output()
    let isGood: Bool
    do throws(Failure) {
      isGood = try body(output)
      output.flush()
    } catch {
      output.flush()
      throw StandardError.exit(error)
    }
    if !isGood { throw ExitCode(1) }
  }
}
