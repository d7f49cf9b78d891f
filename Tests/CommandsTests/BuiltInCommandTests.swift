import Foundation
import TestSupport
import Testing

/// Names of built-in rigs on the command line.
struct BuiltInCommandTests {
  /// Runs the program in an empty folder, without the files of the repository.
  private static func outside(_ arguments: String...) throws -> CommandLineTool.Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let quoted = ([CommandLineTool.path.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
    return try CommandLineTool.run(
      URL(filePath: "/bin/sh"), ["-c", "cd '\(folder.path)' && exec \(quoted)"])
  }

  @Test(
    "each command accepts a built-in name if no such file exists",
    arguments: [
      ["run", "thesis-bug"], ["run", "rig:thesis-bug"], ["rig", "check", "weather-station"],
      ["read", "--bus", "thesis"], ["read", "--bus", "rig:thesis"],
      ["read", "--bus", "many-sensors#2", "--address", "0x77"],
      ["rig", "show", "weather-station"], ["rig", "list"], ["score", "jfk-2013"],
      ["exec", "--rig", "weather-station", "--", "true"],
      ["exec", "--bus", "weather-station", "--", "true"],
      ["trace", "show", "bmp-bosch-decode"],
      ["diagnose", "bmp-bosch-decode", "--temperature", "23.07C", "||", "test", "$?", "=", "1"],
    ])
  func names(_ arguments: [String]) throws {
    let folder = FileManager.default.temporaryDirectory.path
    let command = ([CommandLineTool.path.path] + arguments).joined(separator: " ")
    let result = try CommandLineTool.run(
      URL(filePath: "/bin/sh"), ["-c", "cd '\(folder)' && \(command)"])
    #expect(result.status == 0, "\(result)")
  }

  @Test("'rig show' prints the text of the rig's file, which is valid when saved")
  func shown() throws {
    let result = try Self.outside("rig", "show", "weather-station")
    #expect(result.output == (try Fixtures.text("rigs/weather-station.yaml")))
    try CommandLineTool.withFile(result.output) { path in
      let check = try CommandLineTool.run("rig", "check", path)
      #expect(check.output == "\(path): ok\n")
    }
  }

  @Test("each rig is listed with a summary on one line")
  func listed() throws {
    let lines = try Self.outside("rig", "list").outputLines
    let files = try Fixtures.rigs().filter { !$0.hasSuffix("-firmware.yaml") }
    #expect(lines.count == files.count)
    #expect(lines.allSatisfy { $0.split(separator: " ").count > 5 }, "\(lines)")
  }

  @Test("a misspelt name is reported with the searched paths")
  func misspelt() throws {
    let result = try Self.outside("run", "weather-staton")
    #expect(result.status == 66)
    #expect(
      result.errors
        == "aneroid: weather-staton: no such file, and no built-in rig has this name; did you mean 'weather-station'? ('aneroid rig list' lists them)\n"
    )
  }

  @Test("shells complete built-in names and files for rigs")
  func completion() throws {
    let names = try CommandLineTool.run(
      "---completion", "run", "--", "positional@0", "2", "3", "aneroid", "run", "wea")
    #expect(names.output.contains("weather-station"), "\(names)")
    let files = try CommandLineTool.run(
      "---completion", "run", "--", "positional@0", "2", "8", "aneroid", "run", "rigs/wea")
    #expect(files.output.contains("rigs/weather-station.yaml"), "\(files)")
  }
}
