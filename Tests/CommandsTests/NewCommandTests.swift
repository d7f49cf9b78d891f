import Foundation
import TestSupport
import Testing

/// The files of `aneroid new` work unchanged, and existing files are never changed.
struct NewCommandTests {
  private static let files = [
    ".github/workflows/aneroid.yml", "bench.yaml", "rig.schema.json", "station.py",
    "test_station.py",
  ]

  private static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  /// Runs a command in a folder with the tested `aneroid` on PATH.
  private static func run(_ command: String, in folder: URL) throws -> CommandLineTool.Result {
    let tools = CommandLineTool.path.deletingLastPathComponent().path
    return try CommandLineTool.run(
      URL(filePath: "/bin/sh"),
      ["-c", "cd '\(folder.path)' && PATH='\(tools)':\"$PATH\" && \(command)"])
  }

  @Test("the files that 'new' writes and the commands that it suggests work")
  func works() throws {
    try Self.withFolder { folder in
      let result = try Self.run("aneroid new 'my sensor'", in: folder)
      #expect(result.status == 0, "\(result)")
      let lines = result.outputLines
      #expect(Set(lines.prefix(5)) == Set(Self.files.map { "wrote \($0)" }))
      #expect(lines.dropFirst(5).prefix(2) == ["next:", "  cd 'my sensor'"])
      let commands = lines.dropFirst(7).prefix(2).map { $0.trimmingCharacters(in: .whitespaces) }
      let project = folder.appending(path: "my sensor")
      for command in commands + ["aneroid rig check bench.yaml"] {
        let run = try Self.run(command, in: project)
        #expect(run.status == 0, "\(command): \(run)")
      }
      #expect(
        lines.dropFirst(9)
          == [
            "  pytest    # after installing the wheel of the release: pip install pytest FOLDER/aneroid-*.whl"
          ],
        "\(lines)")
      let shown = try Self.run("aneroid exec --rig bench.yaml -- python3 station.py", in: project)
      #expect(shown.output.hasPrefix("21.0 C") || shown.output.hasPrefix("20.9 C"), "\(shown)")
    }
  }

  @Test("the commands in the comments of the written rig work")
  func comments() throws {
    try Self.withFolder { folder in
      #expect(try Self.run("aneroid new", in: folder).status == 0)
      let commands = try Fixtures.text("fixtures/new/bench.yaml").split(separator: "\n")
        .filter { $0.hasPrefix("#   aneroid") }
        .map { $0.dropFirst(4).components(separatedBy: "   ")[0] }
      #expect(commands.count == 4)
      for command in commands {
        let run = try Self.run(command, in: folder)
        #expect(run.status == 0, "\(command): \(run)")
      }
    }
  }

  @Test("an existing file is kept and listed, and the missing files are written", arguments: files)
  func keeps(_ name: String) throws {
    try Self.withFolder { folder in
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try "mine".write(to: file, atomically: true, encoding: .utf8)
      let result = try Self.run("aneroid new", in: folder)
      #expect(result.status == 0, "\(result)")
      #expect(try String(contentsOf: file, encoding: .utf8) == "mine")
      let others = Self.files.filter { $0 != name }
      let kept = "kept \(name), which differs from that of 'aneroid new'"
      #expect(Set(result.outputLines.prefix(5)) == Set(others.map { "wrote \($0)" } + [kept]))
      #expect(result.errors.contains("a file that differs"), "\(result)")
      for other in others {
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: other).path))
      }
    }
  }

  @Test("a second run finds identical files and changes none")
  func again() throws {
    try Self.withFolder { folder in
      #expect(try Self.run("aneroid new", in: folder).status == 0)
      let removed = folder.appending(path: "station.py")
      let text = try String(contentsOf: removed, encoding: .utf8)
      try FileManager.default.removeItem(at: removed)
      let result = try Self.run("aneroid new", in: folder)
      #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
      let same = Self.files.filter { $0 != "station.py" }
        .map { "kept \($0), which is identical" }
      #expect(Set(result.outputLines.prefix(5)) == Set(same + ["wrote station.py"]), "\(result)")
      #expect(try String(contentsOf: removed, encoding: .utf8) == text)
    }
  }

  @Test(
    "a link or folder with the name of a file to be written is kept, and a link's target is not created"
  )
  func links() throws {
    try Self.withFolder { folder in
      let manager = FileManager.default
      let link = folder.appending(path: "station.py").path
      try manager.createSymbolicLink(atPath: link, withDestinationPath: "elsewhere.py")
      try manager.createDirectory(
        at: folder.appending(path: "bench.yaml"), withIntermediateDirectories: false)
      let result = try Self.run("aneroid new", in: folder)
      #expect(result.status == 0, "\(result)")
      for name in ["station.py", "bench.yaml"] {
        let kept = "kept \(name), which differs from that of 'aneroid new'"
        #expect(result.outputLines.contains(kept))
      }
      #expect(try manager.destinationOfSymbolicLink(atPath: link) == "elsewhere.py")
      #expect(!manager.fileExists(atPath: folder.appending(path: "elsewhere.py").path))
    }
  }

  @Test("if a file cannot be written, no partial file is left, and existing files are unchanged")
  func failing() throws {
    try Self.withFolder { folder in
      let file = folder.appending(path: ".github")
      try "mine".write(to: file, atomically: true, encoding: .utf8)
      let result = try Self.run("aneroid new", in: folder)
      #expect(result.status == 74, "\(result)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [".github"])
      #expect(try String(contentsOf: file, encoding: .utf8) == "mine")
    }
  }

  @Test("the written schema equals the output of 'rig schema', and the written rig names it")
  func schema() throws {
    try Self.withFolder { folder in
      #expect(try Self.run("aneroid new", in: folder).status == 0)
      let schema = try String(
        contentsOf: folder.appending(path: "rig.schema.json"), encoding: .utf8)
      #expect(schema == (try CommandLineTool.run("rig", "schema").output))
      let rig = try String(contentsOf: folder.appending(path: "bench.yaml"), encoding: .utf8)
      #expect(rig.hasPrefix("# yaml-language-server: $schema=rig.schema.json\n"))
    }
  }

  @Test("in a subfolder of a repository, a warning says that GitHub ignores the workflow there")
  func subfolder() throws {
    try Self.withFolder { folder in
      let git = folder.appending(path: ".git")
      try FileManager.default.createDirectory(at: git, withIntermediateDirectories: true)
      let words = "GitHub reads workflows only in the top folder of a repository, which is"
      let below = try Self.run("aneroid new parts/first", in: folder)
      #expect(below.errors.contains("\(words) parts/first/../..: move .github there"), "\(below)")
      let top = try Self.run("aneroid new", in: folder)
      #expect(top.status == 0 && !top.errors.contains(words), "\(top)")
    }
  }
}
