import Foundation
import FoundationXML
import Support
import TestSupport
import Testing

/// Unmodified third-party drivers read the parts that files describe, through the command.
struct PartDriverTests {
  /// A row of the table of drivers: the part, the driver in `read_part.py`, and the values that it must print.
  struct Row: CustomTestStringConvertible {
    let part, driver: String
    let values: [Double]

    var testDescription: String { "\(driver) reads \(part)" }
  }

  /// The drivers that print right values; the others have a finding.
  static let rows: [Row] = {
    let lines = (try? Fixtures.text("fixtures/parts/drivers.csv").split(separator: "\n")) ?? []
    return lines.dropFirst().compactMap { line in
      let cells = CSV.fields(of: line.utf8, CSV.Form()) ?? []
      guard cells.count > 3, !cells[3].isEmpty else { return nil }
      return Row(
        part: cells[0], driver: cells[1],
        values: cells[3].split(separator: " ").compactMap { Double($0) })
    }
  }()

  /// The folder below the installed drivers of those that are not Adafruit's.
  static let folders = [
    "sht4x_sensirion": "sensirion", "sht3x_sensirion": "sensirion", "scd4x_sensirion": "sensirion",
    "ina219_pi": "pi_ina219", "si7021_smbus": "si7021", "htu21df": "htu21df",
    "ads1115_smbus": "ads1115",
  ]

  @Test("the table of drivers has at least 20 that read right values, of 14 parts")
  func table() {
    #expect(Self.rows.count >= 20 && Set(Self.rows.map(\.part)).count >= 14)
  }

  @Test("a driver from PyPI reads the right values from a described part", arguments: rows)
  func reads(_ row: Row) throws {
    let (part, driver, expected) = (row.part, row.driver, row.values)
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "aneroid-part-\(driver)-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let rig = folder.appending(path: "rig.yaml")
    try Data(
      """
      name: described
      duration: 1min
      buses: [{number: 1, devices: [{model: \(part)}]}]
      environment: {constant: {temperature: -12.34C, humidity: 43%, pressure: 98765Pa}}
      """.utf8
    ).write(to: rig)
    let result = try VirtualBusBench.exec(
      ["\(VirtualBusBench.peers)/bin/python", "-W", "ignore", "Tests/Peers/read_part.py", driver],
      options: ["--rig", rig.path, "--clock", "virtual"],
      environment: [
        "PYTHONPATH": [Self.folders[driver], "adafruit_parts", "hdc1080"].compactMap { $0 }
          .map { "\(VirtualBusBench.peers)/drivers/\($0)" }.joined(separator: ":")
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
    let picture = try CommandLineTool.run("part", "show", "sensirion:sht4x", "--svg").output
    #expect(try XMLDocument(xmlString: picture).rootElement()?.name == "svg")
    #expect(picture.contains(">6.9 ms, at most 8.3 ms; not acknowledged<"), "\(picture)")
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
    let table = [
      "list", "--page", "--drivers", "fixtures/parts/drivers.csv", "--bugs",
      "fixtures/parts/bugs.csv",
    ]
    let pages = [(["reference"], "PartKeys"), (table, "BuiltInParts")]
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
    for (left, message) in [
      ("{field: single, is: 0}", ": ok"), ("{field: singel, is: 0}", "did you mean 'single'?"),
      ("{field: single, is: 2}", "the largest value of the field 'single' is 1"),
    ] {
      let output = try check(good, "{model: p.yaml, initial_fields: [\(left)]}")
      #expect(output.contains(message), "\(output)")
    }
    for (changes, message) in [
      ("{name: ain0, is: 1}, {name: ain1, is: 0, over: 2s}, {name: ain0, at: 3s, is: 2}", ": ok"),
      ("{name: ain0, is: 1}, {name: ain0, is: 2}", "not after the previous change of 'ain0'"),
      (
        "{name: ain0, at: 2s, is: 1, over: 2s}, {name: ain0, at: 3s, is: 2}",
        "not after the previous"
      ),
    ] {
      let output = try check(good, "{model: p.yaml, inputs: [\(changes)]}")
      #expect(output.contains(message), "\(output)")
    }
    #expect(
      try check(good, "{model: p.yaml, inputs: [{name: ain0-ain1, is: 1}]}").contains(
        "follows from 'ain0' and 'ain1'"))
    #expect(
      try check(good, "{model: p.yaml, serial: \"0123456789abcdef\"}").contains("no serial number"))
    #expect(
      try check(good.replacing("my:adc", with: "my:sht4x"), "{model: p.yaml}")
        .contains("the name 'sht4x' is that of a built-in part"))
    let broken = try check(good.replacing("by: mux", with: "by: mx"), "{model: p.yaml}")
    #expect(broken.contains("p.yaml:") && broken.contains("rig.yaml:"), "\(broken)")
  }

  @Test("an audit exposes a published driver of the MS5611 that is wrong below 20 C")
  func published() throws {
    let peers = VirtualBusBench.peers
    let audit = { (air: String) in
      try CommandLineTool.run(
        URL(filePath: "/usr/bin/env"),
        [
          "PYTHONPATH=\(peers)/drivers/micropython_ms5611", CommandLineTool.path.path, "audit",
          "--part", "ms5611", "--scenario", "calm", "--scenario", air, "--match",
          "^(?<temperature_c>[-0-9.]+) (?<pressure_hpa>[0-9.]+)$", "--", "\(peers)/bin/python",
          "Tests/Peers/read_part.py", "ms5611", "loop",
        ])
    }
    // It squares a difference only in one of two terms.
    let cold = try audit("below-zero")
    #expect(cold.status == 1 && cold.output.contains("wrong     below-zero"), "\(cold)")
    let warm = try audit("tenths")
    #expect(warm.output.contains("right     tenths"), "\(warm)")
  }
}
