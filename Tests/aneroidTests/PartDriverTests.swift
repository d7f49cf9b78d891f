import Foundation
import TestSupport
import Testing

/// Unmodified third-party drivers read the parts that files describe, through the command.
struct PartDriverTests {
  @Test(
    "a driver from PyPI reads the right values from a described part",
    arguments: [
      ("sht4x", [-12.34, 43]), ("sht3x", [-12.34, 43]), ("aht20", [-12.34, 43]),
      ("aht10", [-12.34, 43]), ("htu21d", [-12.34, 43]), ("si7021", [-12.34, 43]),
      ("hdc1080", [-12.34, 43]), ("scd4x", [-12.34, 43, 620]), ("mcp9808", [-12.34]),
      ("tmp117", [-12.34]), ("lm75", [-12.34]), ("ads1115", [1.5, 1, 1.375, 1.25, 0.5]),
      ("bh1750", [320]), ("ina219", [5, 0.01]),
    ] as [(String, [Double])])
  func reads(_ part: String, _ expected: [Double]) throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "aneroid-part-\(part)-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let rig = folder.appending(path: "rig.yaml")
    try Data(
      """
      name: described
      duration: 1min
      buses: [{number: 1, devices: [{model: \(part)}]}]
      environment: {constant: {temperature: -12.34C, humidity: 43%}}
      """.utf8
    ).write(to: rig)
    let result = try VirtualBusBench.exec(
      ["\(VirtualBusBench.peers)/bin/python", "-W", "ignore", "Tests/Peers/read_part.py", part],
      options: ["--rig", rig.path, "--clock", "virtual"],
      environment: [
        "PYTHONPATH":
          "\(VirtualBusBench.peers)/drivers/adafruit_parts:\(VirtualBusBench.peers)/drivers/hdc1080"
      ])
    let line = try #require(result.outputLines.last, "\(result.errors)")
    let values = line.split(separator: " ").compactMap { Double($0) }
    try #require(values.count == expected.count, "\(line)")
    for (value, right) in zip(values, expected) {
      // The coarsest is the LM75, with steps of 0.5 C.
      #expect(abs(value - right) <= (part == "lm75" ? 0.25 : 0.035), "\(line)")
    }
  }

  @Test(
    "'exec --part' shows a built-in part or a file on bus 1, and names what is wrong with another word"
  )
  func option() throws {
    let good = try VirtualBusBench.exec(
      ["i2ctransfer", "-y", "1", "w1@0x45", "0x89", "r6"],
      options: ["--part", "sht4x", "--address", "0x45"])
    #expect(good.status == 0 && good.outputLines.first?.split(separator: " ").count == 6)
    let file = try VirtualBusBench.exec(
      ["i2ctransfer", "-y", "1", "w1@0x44", "0x94"],
      options: ["--part", "fixtures/parts/my-sensor.yaml"])
    #expect(file.status == 0, "\(file.errors)")
    let wrong = try VirtualBusBench.exec(["true"], options: ["--part", "sht4"])
    #expect(wrong.status == 66 && wrong.errors.contains("did you mean 'sht4x'?"), "\(wrong.errors)")
  }

  @Test("'part' lists, shows and checks part files, and does not overwrite one")
  func commands() throws {
    #expect(try CommandLineTool.run("part", "list").output.contains("sht4x"))
    let shown = try CommandLineTool.run("part", "show", "sht4x").output
    #expect(shown.contains("6.9 ms, at most 8.3 ms; not acknowledged meanwhile"), "\(shown)")
    #expect(
      try CommandLineTool.run("part", "show", "--source", "sht4x").output
        == Fixtures.text("rigs/parts/sht4x.yaml"))
    let tested = try CommandLineTool.run("part", "test", "tmp102")
    #expect(
      tested.status == 0
        && tested.output.contains("ok      register 0x01 'configuration' has 0x60a0"))
    let foreign = try CommandLineTool.run(
      "part", "test", "tmp117", "--bus", "rig:rigs/warehouse-shelf.yaml", "--address", "0x40")
    #expect(
      foreign.status == 1 && foreign.output.contains("FAILED"), "\(foreign.output)\(foreign.errors)"
    )
    let absent = try CommandLineTool.run("part", "test", "tmp102", "--bus", "/dev/i2c-99")
    #expect(absent.status == 69, "\(absent.errors)")
    let schema = try CommandLineTool.run("part", "schema").output
    #expect(
      try Fixtures.text("rigs/part.schema.json") == schema,
      "aneroid part schema > rigs/part.schema.json")
    let pages = [(["reference"], "PartKeys"), (["list", "--page"], "BuiltInParts")]
    for (words, page) in pages {
      let path = "Sources/Bench/PartFiles/PartFiles.docc/\(page).md"
      #expect(
        try CommandLineTool.run(CommandLineTool.path, ["part"] + words).output
          == Fixtures.text(path),
        "aneroid part \(words.joined(separator: " ")) > \(path)")
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "my-\(getpid()).yaml")
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try CommandLineTool.run("part", "new", file.path).status == 0)
    #expect(try CommandLineTool.run("part", "check", file.path).status == 0)
    #expect(try CommandLineTool.run("part", "new", file.path).status == 74)
    let text = try String(contentsOf: file, encoding: .utf8).replacing(
      "measures: single", with: "measures: singel")
    try Data(text.utf8).write(to: file)
    let result = try CommandLineTool.run("part", "check", file.path)
    #expect(
      result.status == 65 && result.output.contains("did you mean 'single'?"), "\(result.output)")
  }

  @Test("a rig with the path of a part file reports the errors of both, and a taken name")
  func rigs() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "aneroid-rig-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func check(_ part: String, _ device: String) throws -> String {
      try Data(part.utf8).write(to: folder.appending(path: "p.yaml"))
      let rig = folder.appending(path: "rig.yaml")
      try Data("name: x\nbuses: [{number: 1, devices: [\(device)]}]\n".utf8).write(to: rig)
      return try CommandLineTool.run("rig", "check", rig.path).output
    }
    let good = try Fixtures.text("rigs/parts/ads1115.yaml").replacing("ti:ads1115", with: "my:adc")
    #expect(try check(good, "{model: p.yaml, inputs: [{name: ain0, is: 2.5}]}").hasSuffix(": ok\n"))
    #expect(try check(good, "{model: p.yaml, address: 0x50}").contains("is at 0x48"))
    #expect(
      try check(good, "{model: p.yaml, inputs: [{name: ain9, is: 1}]}").contains(
        "has no input 'ain9'"))
    #expect(
      try check(good, "{model: p.yaml, serial: \"0123456789abcdef\"}").contains("no serial number"))
    #expect(
      try check(good.replacing("my:adc", with: "my:sht4x"), "{model: p.yaml}")
        .contains("the name 'sht4x' is that of a built-in part"))
    let broken = try check(good.replacing("by: mux", with: "by: mx"), "{model: p.yaml}")
    #expect(broken.contains("p.yaml:") && broken.contains("rig.yaml:"), "\(broken)")
  }
}
