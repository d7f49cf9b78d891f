package import ArgumentParser
import Audit
import Chips
import Glibc
import Parts
import Support
import VirtualI2C

/// Shell completions for files and built-in names.
enum Completions {
  /// Rigs: files and built-in names.
  static let rigs = completion(["yaml", "yml"], [.rig])
  /// Buses: rigs, traces and adapters.
  static let buses = completion(["yaml", "yml", "i2ctrace"], [.rig], folders: ["/dev/i2c-"])
  /// Calibrations: files and built-in names.
  static let calibrations = completion(["yaml", "yml", "txt", "i2ctrace"], [.calibration])
  /// Parts that are described in files: files and built-in names.
  static let parts = completion(["yaml", "yml"], [.part])
  /// Weather tables: files and built-in names.
  static let weather = completion(["csv"], [.weather])

  /// The scenarios of an audit.
  static let scenarios = words { Scenario.all.map(\.name) }
  /// The names for which `doctor` prints a page: parts and adapter personalities.
  static let pages = words { Catalogue.models.map(\.name) + personalities }
  /// The adapter personalities and their aliases.
  static let personalities = Personality.all.map(\.name) + Personality.aliases.keys.inOrder()

  private static func words(_ all: @escaping @Sendable () -> [String]) -> CompletionKind {
    .custom { _, _, begun in all().filter { $0.hasPrefix(begun) } }
  }

  private static func completion(
    _ endings: [String], _ kinds: [BuiltInFile.Kind], folders: [String] = []
  ) -> CompletionKind {
    .custom { _, _, begun in
      let names = kinds.flatMap(BuiltInFile.names)
      let files = [begun] + (begun.isEmpty ? folders : [])
      return (names + files.flatMap { paths(from: $0, endings, folders) })
        .filter { $0.hasPrefix(begun) }
    }
  }

  /// Returns the folders and the files with one of `endings` whose paths start with `begun`.
  private static func paths(
    from begun: String, _ endings: [String], _ nodes: [String]
  ) -> [String] {
    let folder = begun.lastIndex(of: "/").map { String(begun[...$0]) } ?? ""
    guard let stream = opendir(folder.isEmpty ? "." : folder) else { return [] }
    defer { closedir(stream) }
    var found: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard !name.hasPrefix(".") else { continue }
      let path = folder + name
      if entry.pointee.d_type == UInt8(DT_DIR) {
        found.append(path + "/")
      } else if endings.contains(where: { name.hasSuffix("." + $0) })
        || nodes.contains(where: path.hasPrefix)
      {
        found.append(path)
      }
    }
    return found.inOrder()
  }
}

/// Suggestions for misspelled commands.
package enum CommandNames {
  /// Checks the names of commands.
  ///
  /// - Parameters:
  ///   - arguments: all arguments.
  ///   - root: the command that the arguments belong to.
  /// - Returns: the error message for an unknown command; `nil` if the names are valid.
  package static func complaint(_ arguments: [String], _ root: any ParsableCommand.Type) -> String?
  {
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
    return "unknown command '\(word.clipped)'"
      + NearestWord.hint(word, among: names) + " (accepted: \(names.joined(separator: ", ")))"
  }

  /// Returns the error message for `exec` without a program.
  ///
  /// - Parameter arguments: all arguments, starting with `exec`.
  /// - Returns: the corrected command if only `--` is missing, else the usage.
  static func missingProgram(_ arguments: [String]) -> String {
    let usual = "no program given; usage: aneroid exec [options] -- PROGRAM ARGUMENTS..."
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
