import Foundation
import TestSupport
import Testing

/// Rigs that are warehouses are passed to the hub, a separate program.
struct CompanionTests {
  static let rig = "rigs/warehouse/cold-room.yaml"

  /// Runs the program from a folder without other programs.
  static func alone(_ words: String...) throws -> CommandLineTool.Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "aneroid")
    // A program that this process writes itself is busy if another test starts one meanwhile.
    try Tool.run("cp", [CommandLineTool.path.resolvingSymlinksInPath().path, program.path])
    return try CommandLineTool.run(program, words)
  }

  @Test("if the hub is not built, a warehouse rig is rejected in one line with the build command")
  func missing() throws {
    let run = try Self.alone("run", Self.rig)
    let check = try Self.alone("rig", "check", Self.rig)
    for (result, verb) in [(run, "runs"), (check, "checks")] {
      #expect(result.status == 69 && result.output.isEmpty)
      #expect(
        result.errors.hasPrefix("aneroid: \(Self.rig) is a warehouse, which the hub \(verb): ")
          && result.errors.contains(
            "swift build -c release --package-path Sources/Services --product aneroid-hub")
          && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }
  }

  @Test(
    "for a warehouse rig, options that the hub does not have are rejected by name",
    arguments: [
      (["--trace", "x"], "--trace"), (["--for", "2h", "--allow-run"], "--for, --allow-run"),
      (["--report", "x", "--plots", "y"], "--report, --plots"),
      (["--junit", "x", "--seed", "3"], "--junit"), (["--format", "junit"], "--format junit"),
      (["--against", "x", "--within", "1Pa"], "--against, --within"),
      (["--allow-write"], "--allow-write"), (["--format", "markdown"], "--format markdown"),
    ])
  func refused(_ options: [String], _ told: String) throws {
    let result = try CommandLineTool.run(CommandLineTool.path, ["run", Self.rig] + options)
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(
      result.errors.hasPrefix("aneroid: \(Self.rig) is a warehouse, ")
        && result.errors.contains("\(told) (accepted: "), "\(result.errors)")
  }

  @Test("'rig check' rejects a warehouse and names the command that checks it")
  func mixed() throws {
    let result = try CommandLineTool.run("rig", "check", "rigs/thesis.yaml", Self.rig)
    #expect(result.status == 64 && result.output.contains("aneroid hub check \(Self.rig)"))
    let json = try CommandLineTool.run("rig", "check", "--format", "json", Self.rig)
    #expect(json.status == 64 && json.output.contains("aneroid hub check"))
  }

  @Test(
    "a rig is a warehouse only if 'warehouse' is a top-level key, quoted or not",
    arguments: [
      ("warehouse: {}", 69), ("\"warehouse\" : {}", 69), ("'warehouse':", 69),
      ("warehouses: {}", 78), ("# warehouse: {}", 78), ("buses:\n  warehouse: {}", 78),
      ("name: 'warehouse: x'", 78),
    ])
  func key(_ line: String, _ status: Int32) throws {
    try CommandLineTool.withFile("seed: 1\n\(line)\n") { path in
      for word in [path, "rig:\(path)"] {
        let result = try Self.alone("run", word)
        #expect(result.status == status, "\(result.errors)")
      }
    }
  }
}
