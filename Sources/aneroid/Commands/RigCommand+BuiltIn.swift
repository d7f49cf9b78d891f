import ArgumentParser
import BuiltIn
import Files
import Rigs

extension RigCommand {
  /// `aneroid rig list`: names the built-in rigs.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "Name the built-in rigs and say what each shows.",
      discussion: """
        EXAMPLES
          aneroid rig list
          aneroid run weather-station

        A built-in rig is named like a file, everywhere; a file of the same name wins.
        """)

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let names = BuiltInFile.names(.rig)
        let width = names.map(\.count).max() ?? 0
        for name in names {
          let sentence = try Rig(path: name).summary.split(separator: "\n").joined(separator: " ")
          let gap = String(repeating: " ", count: width - name.count + 2)
          output.write("\(name)\(gap)\(sentence.firstSentence)\n")
        }
        return true
      }
    }
  }

  /// `aneroid rig show`: prints a rig.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print a built-in rig, for example to begin one of your own.",
      discussion: """
        EXAMPLES
          aneroid rig show weather-station
          aneroid rig show weather-station > my-rig.yaml
        """)

    @Argument(help: "The rig: a built-in name or a file.", completion: Completions.rigs)
    var rig: String

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let input = try NamedInput(rig, .rig)
        output.write(try TextFile.read(NamedInput.open(input.path)))
        return true
      }
    }
  }
}

extension String {
  /// The text up to the first full stop that ends a sentence.
  fileprivate var firstSentence: Substring {
    let words = split(separator: " ")
    let end = words.firstIndex { $0.hasSuffix(".") } ?? words.endIndex
    guard end < words.endIndex else { return self[...] }
    return self[..<words[end].index(before: words[end].endIndex)]
  }
}
