import Foundation
import TestSupport
import Testing

/// A pipeline gives the same results on simulation, trace and /dev/i2c-N.
struct SamenessTests {
  /// A bus of a rig, and its first sensor.
  struct Bench: CustomTestStringConvertible {
    let rig: String
    var bus = 1
    /// `true` if its adapter has limits, which cannot be queried on /dev/i2c-N.
    var hasLimits = false
    var testDescription: String { "\(rig) bus \(bus)" }
    var path: String { "rigs/\(rig).yaml" }

    static let all = [
      Bench(rig: "weather-station"), Bench(rig: "stormy-week"), Bench(rig: "many-sensors"),
      Bench(rig: "many-sensors", bus: 2, hasLimits: true), Bench(rig: "thesis", hasLimits: true),
    ]
  }

  static let readings = ["--count", "5", "--every", "10s", "--format", "csv"]

  /// The table printed by `read`, without the times, because a program starts long after power-on.
  static func values(_ result: CommandLineTool.Result) -> [String] {
    #expect(result.status == 0, "\(result.errors)")
    return result.outputLines.map { $0.split(separator: ",").dropFirst().joined(separator: ",") }
  }

  static func read(_ bus: String, trace: String) throws -> [String] {
    values(
      try CommandLineTool.run(
        CommandLineTool.path, ["read", "--bus", bus, "--trace", trace] + readings))
  }

  @Test(
    "a reading is the same in-process, replayed from its trace, and over /dev/i2c-N",
    arguments: Bench.all)
  func same(_ bench: Bench) throws {
    try TraceTests.withFiles(3) { paths in
      let live = try Self.read("rig:\(bench.path)#\(bench.bus)", trace: paths[0])
      #expect(live.count == 6)

      let replayed = try Self.read("trace:\(paths[0])#\(bench.bus)", trace: paths[1])
      #expect(replayed == live)
      let again = try CommandLineTool.run("trace", "diff", paths[0], paths[1])
      #expect(again.status == 0, "\(again.output)")

      let address = live[1].split(separator: ",")[1]
      let behind = try VirtualBusBench.exec(
        [CommandLineTool.path.path, "read", "--bus", "/dev/i2c-\(bench.bus)"]
          + ["--address", String(address)] + Self.readings,
        options: ["--rig", bench.path, "--clock", "virtual", "--trace", paths[2]])
      #expect(Self.values(behind) == live)
      let wires = try CommandLineTool.run("trace", "diff", paths[0], paths[2])
      // The driver detects the limits by a rejected transfer, which does not reach the wires.
      #expect(wires.status == (bench.hasLimits ? 1 : 0), "\(wires.output)")
    }
  }

  @Test("a run can be compared with a trace by requests, responses and readings")
  func against() throws {
    try TraceTests.withFiles(1) { paths in
      let rig = "rigs/weather-station.yaml"
      _ = try CommandLineTool.run("run", rig, "--trace", paths[0])
      let same = try CommandLineTool.run("run", rig, "--against", "trace:\(paths[0])")
      #expect(same.status == 0)
      #expect(same.output.contains("\nidentical: 1448 transfers, at the same times\n"))
      let other = try CommandLineTool.run("run", rig, "--seed", "7", "--against", paths[0])
      #expect(other.status == 1)
      #expect(other.output.contains("first response that differs:"))
      #expect(
        other.output.contains("1448 transfers alike (478 of them with different responses), 0 "))
      #expect(other.output.contains("0x76 on bus 1: 480 readings, differing by 0."))
      let lines = try CommandLineTool.run(
        "run", rig, "--format", "jsonl", "--against", paths[0])
      #expect(!lines.output.contains("identical"))
      #expect(lines.errors.contains("identical"))
      #expect(try CommandLineTool.run("run", rig, "--against", "nowhere").status == 66)
    }
  }

  @Test(
    "any driver can read a real part from that part's trace, replayed as a model",
    arguments: ["rpi_bme280", "bme280pi"])
  func model(_ driver: String) throws {
    let result = try VirtualBusBench.exec(
      ["\(VirtualBusBench.peers)/bin/python", "Tests/Peers/read_driver.py", driver],
      options: ["--bus", "trace:fixtures/traces/micropython-0471.i2ctrace", "--replay", "model"],
      environment: ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/\(driver)"])
    #expect(result.status == 0, "\(result.errors)")
    let values = result.output.split { !"-.0123456789".contains($0) }.compactMap { Double($0) }
    for wanted in [27.1, 46.33] {
      #expect(values.contains { abs($0 - wanted) < 0.02 }, "\(result.output)")
    }
  }

  @Test("an interrupted run leaves a complete trace", arguments: ["INT", "TERM"])
  func interrupted(_ signal: String) throws {
    try TraceTests.withFiles(1) { paths in
      let rig = try Fixtures.text("rigs/thesis.yaml")
        .replacing("../", with: Fixtures.root.path + "/")
        .replacing(#/duration: .*/#, with: "duration: 80000h")
      try CommandLineTool.withFile(rig) { file in
        // Child processes inherit blocked signals; a shell ignores SIGINT in background jobs.
        let script = """
          import os, signal, subprocess, sys, time
          signal.pthread_sigmask(signal.SIG_SETMASK, [])
          run = subprocess.Popen(
              [sys.argv[1], "run", sys.argv[2], "--trace", sys.argv[3]], stdout=subprocess.DEVNULL)
          def written():
              # The file takes its place at the end; until then it is a draft that the program has open.
              folder = f"/proc/{run.pid}/fd/"
              drafts = [folder + one for one in os.listdir(folder)
                        if os.readlink(folder + one).endswith((".part", " (deleted)"))]
              return sum(os.stat(draft).st_size for draft in drafts)
          while run.poll() is None and written() < 200000:
              time.sleep(0.01)
          run.send_signal(signal.SIG\(signal))
          sys.exit(-run.wait())
          """
        let result = try CommandLineTool.run(
          URL(filePath: "/usr/bin/python3"),
          ["-c", script, CommandLineTool.path.path, file, paths[0]])
        #expect(result.status == (signal == "INT" ? 2 : 15))
        let check = try CommandLineTool.run("trace", "check", paths[0])
        #expect(check.status == 0, "\(check.output)\(check.errors)")
      }
    }
  }
}
