import ArgumentParser
import Text

/// What was probably meant where the words of a command line are none that the parser knows.
enum CommandNames {
  /// Tells a word that is no command.
  ///
  /// - Parameters:
  ///   - arguments: all arguments.
  ///   - root: the command that they belong to.
  /// - Returns: why it is none, or `nil` where nothing is wrong with the names of commands.
  static func complaint(_ arguments: [String], _ root: any ParsableCommand.Type) -> String? {
    let known = root.configuration.subcommands
    // Key paths through a metatype crash the compiler of Swift 6.3.1.
    var names: [String] = []
    for command in known {
      if let name = command.configuration.commandName { names.append(name) }
    }
    guard !known.isEmpty, let word = arguments.first, !word.hasPrefix("-"), word != "help" else {
      return nil
    }
    for command in known where command.configuration.commandName == word {
      return complaint(Array(arguments.dropFirst()), command)
    }
    return "there is no command '\(word.clipped)'"
      + NearestWord.hint(word, among: names) + " (known: \(names.joined(separator: ", ")))"
  }

  /// Tells that the program of `exec` is missing.
  ///
  /// - Parameter arguments: all arguments, from `exec` on.
  /// - Returns: the same command with -- where that was only forgotten, else how it is written.
  static func missingProgram(_ arguments: [String]) -> String {
    let usual = "no program: aneroid exec [options] -- PROGRAM ARGUMENTS..."
    guard !arguments.contains("--") else { return usual }
    let flags = ["--fast", "--log", "--silent", "--quiet"]
    var index = 1
    while index < arguments.count, arguments[index].hasPrefix("-") {
      let takesValue = !flags.contains(arguments[index]) && !arguments[index].contains("=")
      index += takesValue ? 2 : 1
    }
    guard index < arguments.count else { return usual }
    let words = ["aneroid"] + arguments[..<index] + ["--"] + arguments[index...]
    return "put -- before the program: \(ShellCommand.text(Array(words)))"
  }
}
