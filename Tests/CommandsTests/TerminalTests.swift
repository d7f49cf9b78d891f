import Foundation
import TestSupport
import Testing

/// Output on a terminal, and runs in real time.
struct TerminalTests {
  static let rig = """
    name: long
    CLOCK
    buses:
      - number: 1
        devices:
          - {address: 0x76, model: bme280, calibration: CALIBRATION}
    pipeline: {samples: 2, sample_every: 50ms, cycle: CYCLE}
    expect: [{that: transfers, errors: 0}]
    """.replacingOccurrences(
      of: "CALIBRATION", with: Fixtures.root.appending(path: "fixtures/calibrations/xft.yaml").path)

  static func onTerminal(_ arguments: [String]) throws -> CommandLineTool.Result {
    try CommandLineTool.run(
      URL(filePath: "/usr/bin/env"),
      ["python3", "Tests/Peers/on_terminal.py", CommandLineTool.path.path] + arguments)
  }

  @Test("a run of several years displays its progress and erases it at the end")
  func progress() throws {
    let rig = Self.rig.replacingOccurrences(of: "CLOCK", with: "duration: 3650d")
      .replacingOccurrences(of: "CYCLE", with: "2h")
    try CommandLineTool.withFile(rig) { path in
      let result = try Self.onTerminal(["run", path, "--format", "json"])
      #expect(result.status == 0)
      let shown = result.output.matches(of: /\r\u{1B}\[Kaneroid: \[#*\.*\] (\d+) %/)
      #expect(!shown.isEmpty)
      #expect(shown.allSatisfy { (0...100).contains(Int($0.output.1) ?? -1) })
      #expect(result.output.contains("\r\u{1B}[K{\"rig\":"))
    }
  }

  @Test("a long firmware run displays its progress and erases it at the end")
  func firmwareProgress() throws {
    let image = try FirmwareBuild.arm("reader").path
    let result = try Self.onTerminal(["firmware", image, "--for", "1d", "--uart", "0=none"])
    #expect(result.status == 0, "\(result)")
    let shown = result.output.matches(of: /\r\u{1B}\[Kaneroid: \[#*\.*\] (\d+) %/)
    #expect(!shown.isEmpty && shown.allSatisfy { (0...100).contains(Int($0.output.1) ?? -1) })
    #expect(result.output.hasSuffix("\r\u{1B}[K"), "\(result)")
    let piped = try CommandLineTool.run("firmware", image, "--for", "1d", "--uart", "0=none")
    #expect(!piped.errors.contains("%"), "\(piped)")
  }

  @Test("text is coloured on a terminal")
  func colour() throws {
    let result = try Self.onTerminal(["run", "rigs/thesis.yaml"])
    #expect(result.status == 0)
    #expect(result.output.contains("\u{1B}[32m8 of 8 expectations met\u{1B}[0m"))
  }

  @Test("with clock: real, readings are printed when due, never before")
  func realClock() throws {
    let rig = Self.rig.replacingOccurrences(of: "CLOCK", with: "clock: real\nduration: 400ms")
      .replacingOccurrences(of: "CYCLE", with: "200ms")
    try CommandLineTool.withFile(rig) { path in
      let start = ContinuousClock.now
      let result = try CommandLineTool.run("run", path, "--format", "jsonl")
      #expect(ContinuousClock.now - start >= .milliseconds(400))
      #expect(result.status == 0)
      let times = result.outputLines.compactMap { line in
        line.firstMatch(of: /"reading","t":([\d.]+),/).flatMap { Double($0.output.1) }
      }
      #expect(times.count == 4)
      let distances = zip(times.dropFirst(), times).map { $0 - $1 }
      #expect(times.dropFirst().allSatisfy { $0 > 0.05 })
      #expect(distances.allSatisfy { $0 > 0 })
    }
  }
}
