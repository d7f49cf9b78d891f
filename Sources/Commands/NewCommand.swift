import ArgumentParser
import Parts
import Rigs
import Support

/// `aneroid new`: creates a starter project.
struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Create a starter project: a rig, a small program, its test and a CI workflow.",
    discussion: """
      EXAMPLES
        aneroid new
        aneroid new my-sensor

      Only missing files are written. An existing file is never changed: it is reported as kept, \
      with a note if it differs from the file that would be written. The rig and the program run \
      without changes; the next commands to type are printed. GitHub reads workflows only in the \
      top folder of a repository.
      """)

  @Argument(help: "The folder; created if missing.", completion: .directory)
  var folder = "."

  func validate() throws {
    guard !folder.isEmpty else {
      throw ValidationError("the name of the folder is empty; use '.' for the current folder")
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
          "existing files are never changed; to get the new version of a file that differs, rename yours "
            + "and run 'aneroid new' again")
      }
      var next = ["aneroid run bench.yaml", "aneroid exec --rig bench.yaml -- python3 station.py"]
      next.append(
        "pytest    # after installing the wheel of the release: pip install pytest FOLDER/aneroid-*.whl"
      )
      if folder != "." { next.insert(ShellCommand.text(["cd", folder]), at: 0) }
      if let top = Self.repository(above: folder) {
        StandardError.say(
          "GitHub reads workflows only in the top folder of a repository, which is \(top): move .github "
            + "there, and set the workflow's working-directory to this folder")
      }
      output.write("next:\n" + next.map { "  \($0)\n" }.joined())
      return true
    }
  }

  private static func line(_ path: String, _ outcome: NewProject.Outcome) -> String {
    switch outcome {
    case .wrote: "wrote \(path)"
    case .same: "kept \(path), which is identical"
    case .differs: "kept \(path), which differs from that of 'aneroid new'"
    }
  }

  /// Returns the top-level folder of the git repository that contains a folder.
  ///
  /// - Returns: a relative path such as `first/..`; `nil` for the top-level folder itself and
  ///   outside a repository.
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
