import Foundation
import TestSupport
import Testing

/// `aneroid exec --events`: the machine-readable report.
struct ExecEventsTests {
  /// Returns the events of a script on the built-in rig, and the result of the run.
  static func events(
    of script: String, _ options: [String] = []
  ) throws -> (events: [[String: Any]], result: CommandLineTool.Result) {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let result = try VirtualBusBench.shell(
      script, options: ["--clock", "virtual", "--events", path] + options)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let events = try text.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return try #require(object as? [String: Any])
    }
    return (events, result)
  }

  static func names(_ events: [[String: Any]]) -> [String] {
    events.compactMap { $0["event"] as? String }
  }

  @Test("events report each fault with its count, then the charge, then the exit status")
  func faults() throws {
    let (events, result) = try Self.events(
      of: "i2cget -y 1 0x76 0xd0; exit 3",
      [
        "--fault", "kind: nack-address, at: 1h",
        "--fault", "kind: bit-flip, register: 0xD0, mask: 2",
      ])
    #expect(result.status == 3)
    #expect(Self.names(events) == ["rig", "fault", "fault", "charge", "end"])
    let faults = events.filter { $0["event"] as? String == "fault" }
    #expect(faults.compactMap { $0["number"] as? Int } == [1, 2])
    #expect(faults.compactMap { $0["fault"] as? String } == ["nack-address", "bit-flip"])
    #expect(faults.compactMap { $0["count"] as? Int } == [0, 1])
    #expect(faults.compactMap { $0["complete"] as? Bool } == [false, true])
    #expect(events[0]["clock"] as? String == "virtual")
    #expect(events[3]["address"] as? Int == 0x76)
    #expect(try #require(events[3]["charge_uc"] as? Double) > 0)
    #expect(events[4]["status"] as? Int == 3)
    #expect(events.dropFirst().allSatisfy { $0["t"] is Double })
    let said = result.errors.split(separator: "\n")
    #expect(
      said.map { $0.prefix { $0 != "," } } == [
        "aneroid: fault nack-address on bus 1 fired 0 of 1 times",
        "aneroid: fault bit-flip on bus 1 fired 1 of 1 times",
      ])
  }

  @Test("with --silent only the program writes to standard error")
  func silent() throws {
    let script = "echo mine >&2; i2cget -y 1 0x76 0xf7; no-such-command 2>/dev/null; true"
    let (events, result) = try Self.events(
      of: script, ["--silent", "--fault", "kind: nack-address, at: 1h"])
    #expect(result.errors == "mine\n")
    #expect(Self.names(events).contains("fault"))
    let alone = try VirtualBusBench.shell("true", options: ["--silent"])
    #expect(alone.status == 64 && alone.errors.contains("--silent requires --events"))
  }

  @Test("an operation that a real sensor does not tolerate is reported with its bus and node")
  func remarks() throws {
    let talk = ExecRemarkTests.node + "write(0xF4, 0x25); read(0xF7, 8)"
    let (events, _) = try Self.events(of: "/usr/bin/python3 -c \"\(talk)\"", ["--number", "3"])
    #expect(!Self.names(events).contains("remark"), "it has no /dev/i2c-1")
    let moved = talk.replacing("/dev/i2c-1", with: "/dev/i2c-3")
    let (reported, result) = try Self.events(
      of: "/usr/bin/python3 -c \"\(moved)\"", ["--number", "3"])
    let remark = try #require(reported.first { $0["event"] as? String == "remark" })
    #expect(remark["bus"] as? Int == 1 && remark["node"] as? String == "/dev/i2c-3")
    #expect((remark["text"] as? String)?.contains("data are read without waiting") == true)
    #expect(result.errors.hasPrefix("aneroid: 0x76 on i2c-3: "))
  }

  static let refused: [([String], Int32)] = [
    (["--", "no-such-program"], 127), (["--", "/etc"], 126),
    (["--fault", "kind: bit-flop", "--", "true"], 78),
  ]

  @Test("a program that cannot be run is reported as a failure with its status", arguments: refused)
  func failures(_ options: [String], _ status: Int32) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let result = try CommandLineTool.run(
      CommandLineTool.path, ["exec", "--silent", "--events", path] + options)
    #expect(result.status == status)
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let failure = text.split(separator: "\n").last.map(String.init) ?? ""
    #expect(failure.hasPrefix("{\"event\":\"failure\",\"status\":\(status),\"messages\":["))
    #expect(result.errors.isEmpty)
  }

  @Test(
    "if no program was run, an existing events file is kept and the error is printed",
    arguments: refused)
  func older(_ options: [String], _ status: Int32) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "older\n".write(toFile: path, atomically: true, encoding: .utf8)
    let result = try CommandLineTool.run(
      CommandLineTool.path, ["exec", "--silent", "--events", path] + options)
    #expect(result.status == status && result.errors.hasPrefix("aneroid: "), "\(result.errors)")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "older\n")
    _ = try CommandLineTool.run(
      CommandLineTool.path, ["exec", "--silent", "--events", path, "--", "true"])
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("{\"event\":\"rig\""))
  }

  @Test(
    "if the output device is full, a failing program keeps its status, and others get 74",
    arguments: [("exit 3", 3), ("true", 74)] as [(String, Int32)])
  func full(_ script: String, _ status: Int32) throws {
    for option in ["--events", "--trace"] {
      let result = try VirtualBusBench.shell(
        "i2cget -y 1 0x76 0xd0 >/dev/null; \(script)", options: [option, "/dev/full"])
      #expect(result.status == status, "\(option)")
      #expect(result.errors.contains("/dev/full: cannot be written"), "\(result.errors)")
    }
  }

  @Test("events can be written to a descriptor, which the program does not inherit")
  func descriptor() throws {
    let script = """
      exec "$0" exec --clock virtual --events /dev/fd/9 --quiet -- \
      sh -c 'test -e /proc/self/fd/9 && echo inherited; i2cget -y 1 0x76 0xd0' 9>&1
      """
    let result = try CommandLineTool.run(
      URL(filePath: "/bin/sh"), ["-c", script, CommandLineTool.path.path])
    let lines = result.outputLines
    #expect(lines.count == 4 && lines.contains("0x60"), "\(result.output)\(result.errors)")
    #expect(lines.last?.hasPrefix("{\"event\":\"end\"") == true)
  }

  @Test("events are not written to a file that is also an input or another output")
  func places() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    let both = try VirtualBusBench.shell("true", options: ["--events", path, "--trace", path])
    #expect(both.status == 64 && both.errors.contains("two outputs"))
    let read = try VirtualBusBench.shell(
      "true", options: ["--rig", "rigs/thesis.yaml", "--events", "rigs/thesis.yaml"])
    #expect(read.status == 64 && read.errors.contains("also read"))
    let nowhere = try VirtualBusBench.shell(
      "true", options: ["--silent", "--events", "/nowhere/events"])
    #expect(nowhere.status == 74 && nowhere.errors.contains("/nowhere/events"))
  }

  @Test("a program that prints event-like lines does not deceive the audit")
  func deceit() throws {
    let program = """
      import runpy, sys
      print('aneroid: fault nack-address on bus 1 fired 0 of 1 times', file=sys.stderr)
      print('aneroid: its time follows the machine\\'s clock', file=sys.stderr)
      sys.argv = ['reader.py']
      runpy.run_path('Tests/Peers/audit/reader.py', run_name='__main__')
      """
    let result = try AuditTests.audit(
      ["--scenario", "nack-data", "--scenario", "calm"], AuditTests.script(program))
    #expect(result.output.contains("right     nack-data"), "\(result.output)\(result.errors)")
    let dead = try AuditTests.audit(
      ["--scenario", "calm"],
      AuditTests.script("import sys; print('aneroid: no', file=sys.stderr); sys.exit(69)"))
    #expect(dead.status == 64, "a program that ends with 69 is no bench that fails")
  }
}
