import Foundation
import TestSupport
import Testing

/// Written data survive a kill of the program: a few kills of each kind, 200 in a long run.
@Suite(.serialized)
struct KillTests {
  @Test(
    "if a run is killed, no data that it has written is lost",
    arguments: ["history", "recording", "trace"])
  func kills(_ kind: String) throws {
    var chance = Seeded("kills of a \(kind)")
    let seed = UInt32.random(in: .min ... .max, using: &chance)
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(
      atPath: "\(folder)/rigs", withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Fixtures.root.appending(path: "fixtures").path, toPath: "\(folder)/fixtures")
    // One record per virtual minute, until the program is ended.
    try """
    name: kept
    duration: 3650d
    buses:
      - number: 1
        devices:
          - {address: 0x76, model: bme280, calibration: ../fixtures/calibrations/xft.yaml}
    pipeline: {samples: 1, cycle: 1min, history: kept}
    """.write(toFile: "\(folder)/rigs/kept.yaml", atomically: true, encoding: .utf8)
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/python3"),
      [
        "Tests/Peers/kills.py", kind, CommandLineTool.path.path, "\(Repetitions.kills)", "\(seed)",
        folder,
      ])
    #expect(result.status == 0, "\(result.output) \(result.errors)")
    let written = result.output.firstMatch(of: /written: (\d+)/).flatMap { Int($0.output.1) }
    // Some kills come before anything was written, but not all.
    #expect((written ?? 0) > 0, "\(result.output) \(result.errors)")
  }

  /// A process whose last thread waits for a response of its own file system could not be killed.
  @Test(
    "a bench killed at the start or during a run leaves no process",
    arguments: ["starts", "opens"])
  func launches(_ kind: String) throws {
    var chance = Seeded("kills of \(kind)")
    let seed = UInt32.random(in: .min ... .max, using: &chance)
    let count =
      kind == "opens" ? Repetitions.count(10, long: 50) : Repetitions.count(40, long: 400)
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/python3"),
      ["Tests/Peers/launch_kills.py", kind, CommandLineTool.path.path, "\(count)", "\(seed)"])
    #expect(result.status == 0, "\(result.output) \(result.errors)")
    let programs = result.output.firstMatch(of: /programs: (\d+)/).flatMap { Int($0.output.1) }
    #expect((programs ?? 0) >= count / 5, "\(result.output) \(result.errors)")
  }
}
