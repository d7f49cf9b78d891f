import Foundation
import TestSupport
import Testing

/// `--trace`, replays and `aneroid trace`.
struct TraceTests {
  /// Passes names of new files to a test, and removes the files afterwards.
  static func withFiles<Value>(_ count: Int, _ body: ([String]) throws -> Value) rethrows -> Value {
    let paths = (0..<count).map { _ in
      FileManager.default.temporaryDirectory.appending(path: UUID().uuidString + ".i2ctrace").path
    }
    defer { paths.forEach { try? FileManager.default.removeItem(atPath: $0) } }
    return try body(paths)
  }

  @Test("two runs of a rig give the same trace, and a different seed gives a different trace")
  func runs() throws {
    try Self.withFiles(3) { paths in
      for (path, seed) in zip(paths, ["1", "1", "2"]) {
        let result = try CommandLineTool.run(
          "run", "rigs/weather-station.yaml", "--seed", seed, "--trace", path)
        #expect(result.status == 0 || seed == "2")
      }
      #expect(
        try Data(contentsOf: URL(filePath: paths[0])) == Data(contentsOf: URL(filePath: paths[1])))
      let same = try CommandLineTool.run("trace", "diff", paths[0], paths[1])
      #expect(same.status == 0)
      #expect(same.output == "identical: 1448 transfers, at the same times\n")
      let other = try CommandLineTool.run("trace", "diff", paths[0], paths[2])
      #expect(other.status == 1)
      #expect(other.outputLines.first == "first difference:")
      #expect(other.outputLines.last?.contains(" only in \(paths[0]), ") == true)
      let check = try CommandLineTool.run("trace", "check", paths[0])
      #expect(check.output.hasPrefix("\(paths[0]): ok, 1448 transfers, 0 failed"))
    }
  }

  @Test("a truncated trace is shown up to its last complete line, and the truncation is reported")
  func cutOff() throws {
    try Self.withFiles(1) { paths in
      _ = try CommandLineTool.run("run", "rigs/weather-station.yaml", "--trace", paths[0])
      let whole = try String(contentsOfFile: paths[0], encoding: .utf8)
      try String(whole.prefix(1000)).write(toFile: paths[0], atomically: true, encoding: .utf8)
      let shown = try CommandLineTool.run("trace", "show", paths[0])
      #expect(shown.status == 1 && shown.outputLines.count > 3)
      #expect(shown.errors.contains("\(paths[0]): the trace is truncated"), "\(shown.errors)")
    }
  }

  @Test("'trace diff' reports one additional transfer as one difference")
  func resynchronized() throws {
    try Self.withFiles(2) { paths in
      _ = try CommandLineTool.run("run", "rigs/weather-station.yaml", "--trace", paths[0])
      var lines = try String(contentsOfFile: paths[0], encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false)
      lines.remove(at: 500)
      try lines.joined(separator: "\n").write(toFile: paths[1], atomically: true, encoding: .utf8)
      let result = try CommandLineTool.run("trace", "diff", paths[0], paths[1])
      #expect(result.status == 1)
      #expect(result.outputLines.count == 4)
      #expect(result.outputLines[1].hasPrefix("- \(paths[0]):501: "))
      #expect(
        result.outputLines[3]
          == "1447 transfers alike, 1 only in \(paths[0]), 0 only in \(paths[1])")
    }
  }

  @Test(
    "a reading from a trace equals the one from the bus",
    arguments: ["thesis", "weather-station"])
  func reading(_ rig: String) throws {
    try Self.withFiles(1) { paths in
      let arguments = ["--count", "3", "--every", "10s", "--format", "jsonl"]
      let bus = CommandLineTool.path
      let live = try CommandLineTool.run(
        bus, ["read", "--bus", "rig:rigs/\(rig).yaml", "--trace", paths[0]] + arguments, input: "")
      #expect(live.status == 0)
      let again = try CommandLineTool.run(
        bus, ["read", "--bus", "trace:\(paths[0])"] + arguments, input: "")
      #expect(again.output == live.output)
      #expect(again.errors.isEmpty)
      #expect(again.status == 0)
      let short = try CommandLineTool.run("read", "--bus", "trace:\(paths[0])")
      #expect(short.status == 1)
      #expect(short.errors.contains("the replay differs from the trace here"))
      let long = try CommandLineTool.run("read", "--bus", "trace:\(paths[0])", "--count", "4")
      #expect(long.status == 74)
      #expect(long.errors.contains("recorded:  the end"))
    }
  }

  @Test(
    "a driver that runs on the trace of its earlier run prints the same numbers",
    arguments: ["rpi_bme280", "bme280pi"])
  func driver(_ driver: String) throws {
    try Self.withFiles(1) { paths in
      let program = ["\(VirtualBusBench.peers)/bin/python", "Tests/Peers/read_driver.py", driver]
      let environment = ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/\(driver)"]
      let live = try VirtualBusBench.exec(
        program, options: ["--trace", paths[0], "--rig", "rigs/weather-station.yaml"],
        environment: environment)
      #expect(live.status == 0)
      let again = try VirtualBusBench.exec(
        program, options: ["--bus", "trace:\(paths[0])"], environment: environment)
      #expect(again.output == live.output)
      #expect(again.errors.isEmpty)
    }
  }

  @Test("errors are recorded in the trace, and replayed")
  func failures() throws {
    try Self.withFiles(1) { paths in
      let script = "i2cget -y 1 0x77 0xd0; i2cget -y 1 0x76 0xd0"
      _ = try VirtualBusBench.shell(script, options: ["--trace", paths[0]])
      let trace = try String(contentsOfFile: paths[0], encoding: .utf8)
      #expect(trace.contains("\"e\":{\"kind\":\"nack-address\",\"errno\":\"ENXIO\",\"message\":0}"))
      let again = try VirtualBusBench.shell(
        script, options: ["--bus", "trace:\(paths[0])", "--replay", "strict"])
      #expect(again.output == "0x60\n")
      #expect(again.errors.contains("Error: Read failed"))
      let other = try VirtualBusBench.shell(
        "i2cget -y 1 0x76 0xd1", options: ["--bus", "trace:\(paths[0])", "--replay", "strict"])
      #expect(other.errors.contains("the replay differs from the trace here"))
    }
  }

  @Test("'trace show' names registers and settings")
  func show() throws {
    try Self.withFiles(1) { paths in
      _ = try CommandLineTool.run("read", "--bus", "rig:rigs/thesis.yaml", "--trace", paths[0])
      let result = try CommandLineTool.run("trace", "show", paths[0])
      #expect(result.status == 0)
      for text in [
        "w d0  r 60   id -> 0x60 bme280", "ctrl_hum <- 0x01 osrs_h x1",
        "ctrl_meas <- 0x25 osrs_t x1, osrs_p x1, forced", "config <- 0x00 filter off",
        "calibration 0x88 -> 18 bytes", "data -> adc_P ",
      ] { #expect(result.output.contains(text), "\(text)") }
    }
  }

  @Test(
    "'trace show' names the data of a read whose register address was sent in an earlier transfer")
  func apart() throws {
    try Self.withFiles(1) { paths in
      let script = """
        import fcntl, os
        bus = os.open('/dev/i2c-1', os.O_RDWR); fcntl.ioctl(bus, 0x703, 0x76)
        os.write(bus, bytes([0xD0])); os.read(bus, 1)
        os.write(bus, bytes([0xF2, 1, 0xF4, 0x24, 0x88])); os.read(bus, 24); os.read(bus, 1)
        """
      let traced = try VirtualBusBench.exec(
        ["/usr/bin/python3", "-c", script], options: ["--trace", paths[0], "--quiet"])
      try #require(traced.status == 0, "\(traced.errors)")
      let lines = try CommandLineTool.run("trace", "show", paths[0]).outputLines
      let meanings = lines.dropFirst().map { $0.split(separator: "   ").last.map(String.init) }
      #expect(
        meanings == [
          "id", "id -> 0x60 bme280",
          "ctrl_hum <- 0x01 osrs_h x1; ctrl_meas <- 0x24 osrs_t x1, osrs_p x1, sleep; calibration 0x88",
          "calibration 0x88 -> 24 bytes", "calibration 0xa0 -> 0x00",
        ])
    }
  }

  @Test("a single transfer is reported in the singular")
  func singular() throws {
    try Self.withFiles(1) { paths in
      _ = try VirtualBusBench.shell("i2cget -y 1 0x76 0xd0", options: ["--trace", paths[0]])
      let check = try CommandLineTool.run("trace", "check", paths[0])
      #expect(check.output.contains(": ok, 1 transfer, 0 failed"), "\(check.output)")
      let diagnosis = try CommandLineTool.run("diagnose", paths[0])
      #expect(diagnosis.output.contains("on bus 1, 1 transfer, 0 measurements\n"))
    }
  }

  @Test("a truncated trace gives exit status 1, an invalid line 65, and a missing file 66")
  func broken() throws {
    try Self.withFiles(3) { paths in
      _ = try CommandLineTool.run("read", "--bus", "rig:rigs/thesis.yaml", "--trace", paths[0])
      let bytes = try Data(contentsOf: URL(filePath: paths[0]))
      try bytes.dropLast(30).write(to: URL(filePath: paths[1]))
      let cut = try CommandLineTool.run("trace", "check", paths[1])
      #expect(cut.status == 1)
      #expect(cut.output.contains("cut off, "))
      let text = String(decoding: bytes, as: UTF8.self).replacing(
        "\"w\":\"d0\"", with: "\"w\":\"dx\"")
      try text.write(toFile: paths[2], atomically: true, encoding: .utf8)
      let wrong = try CommandLineTool.run("trace", "show", paths[2])
      #expect(wrong.status == 65)
      #expect(wrong.errors == "aneroid: \(paths[2]):2: error: m[0].w: 'dx' is not hexadecimal\n")
      #expect(try CommandLineTool.run("trace", "check", "nowhere.i2ctrace").status == 66)
      #expect(try CommandLineTool.run("trace", "check", "README.md").status == 65)
      #expect(try CommandLineTool.run("read", "--bus", "trace:\(paths[2])").status == 65)
      let folder = try CommandLineTool.run(
        "read", "--bus", "rig:rigs/thesis.yaml", "--trace", "/nowhere/a.i2ctrace")
      #expect(folder.status == 74)
    }
  }
}
