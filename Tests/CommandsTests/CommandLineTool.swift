import Foundation
import TestSupport

/// The built `aneroid`, run as a child process.
enum CommandLineTool {
  /// The result of a run.
  struct Result {
    let status: Int32
    let output: String
    let errors: String

    var outputLines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// The program in the build folder of the tests.
  static let path: URL = {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: tests).deletingLastPathComponent().appending(path: "aneroid")
  }()

  /// Runs the program in the root folder of the repository.
  static func run(_ arguments: String..., input: String = "") throws -> Result {
    try run(path, arguments, input: input)
  }

  /// Runs any program in the root folder of the repository.
  static func run(_ program: URL, _ arguments: [String], input: String = "") throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func file(_ name: String, _ content: String = "") throws -> URL {
      let url = folder.appending(path: name)
      try content.write(to: url, atomically: false, encoding: .utf8)
      return url
    }
    let (output, errors) = (try file("output"), try file("errors"))
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = Fixtures.root
    process.standardInput = try FileHandle(forReadingFrom: file("input", input))
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus,
      output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }

  /// Passes a temporary file with some content to a test.
  static func withFile<Value>(
    _ content: String, suffix: String = ".yaml", _ body: (String) throws -> Value
  ) throws -> Value {
    let path = FileManager.default.temporaryDirectory
      .appending(path: UUID().uuidString + suffix).path
    try content.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
  }
}
