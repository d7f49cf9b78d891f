import ArgumentParser
import BuiltIn
import Files
import KeyPages
import Rigs
import Text

/// `aneroid new`: writes what one begins with.
struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Write a rig, a small program, its test and a workflow to begin with.",
    discussion: """
      EXAMPLES
        aneroid new
        aneroid new my-sensor

      GitHub reads the workflow only in the top folder of a repository. \
      Files that are missing are written. A file that exists is never changed: it is named as \
      kept, with a note if its text differs from the one that would be written. The rig and the \
      program work as they are; what to type next is printed.
      """)

  @Argument(help: "The folder, made where there is none.", completion: .directory)
  var folder = "."

  func validate() throws {
    guard !folder.isEmpty else {
      throw ValidationError("the folder has no name; '.' is the one that this is run in")
    }
  }

  func run() throws {
    try TraceCommand.finish { output throws(Failure) in
      let project = NewProject(with: [
        NewProject.File(path: RigReference.schemaFile, text: RigReference.schema)
      ])
      let outcomes = try project.write(to: folder)
      for (file, outcome) in zip(project.files, outcomes) {
        output.write(Self.line(file.path, outcome) + "\n")
      }
      if outcomes.contains(.differs) {
        StandardError.say(
          "files that exist are never changed: rename a file that differs and run 'aneroid new' again to get "
            + "the new one")
      }
      var next = ["aneroid run bench.yaml", "aneroid exec --rig bench.yaml -- python3 station.py"]
      next.append(
        "pytest    # once it is installed with the release's wheel: pip install pytest FOLDER/aneroid-*.whl"
      )
      if folder != "." { next.insert(ShellCommand.text(["cd", folder]), at: 0) }
      if let top = Self.repository(above: folder) {
        StandardError.say(
          "GitHub reads workflows only in the top folder of a repository, which is \(top): move .github there, and "
            + "set the workflow's working-directory to this folder")
      }
      output.write("next:\n" + next.map { "  \($0)\n" }.joined())
      return true
    }
  }

  private static func line(_ path: String, _ outcome: NewProject.Outcome) -> String {
    switch outcome {
    case .wrote: "wrote \(path)"
    case .same: "kept \(path), which is the same already"
    case .differs: "kept \(path), which differs from the one of 'aneroid new'"
    }
  }

  /// The top of the git repository that a folder lies in.
  ///
  /// - Returns: a relative path such as `first/..`; `nil` at the top itself and outside of a repository.
  private static func repository(above folder: String) -> String? {
    var path = folder
    guard !isTop(path) else { return nil }
    for _ in 0..<64 {
      path += "/.."
      if isTop(path) { return path }
    }
    return nil
  }

  private static func isTop(_ folder: String) -> Bool {
    TextFile.isFolder("\(folder)/.git") || TextFile.exists("\(folder)/.git")
  }
}
