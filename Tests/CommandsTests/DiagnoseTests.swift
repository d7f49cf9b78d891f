import Foundation
import TestSupport
import Testing

/// `aneroid diagnose` on traces of real parts and drivers.
struct DiagnoseTests {
  static func diagnose(_ trace: String, _ options: String...) throws -> CommandLineTool.Result {
    try CommandLineTool.run(
      CommandLineTool.path, ["diagnose", "fixtures/traces/\(trace).i2ctrace"] + options)
  }

  @Test("a published driver's defect is named from the bytes and values in that driver's tests")
  func exchangedNibbles() throws {
    let result = try Self.diagnose("elixir-1", "--temperature", "26.75C", "--humidity", "59.2%")
    #expect(result.status == 1)
    #expect(result.output.contains("explained by: B02 h4-h5-nibbles-exchanged"))
    #expect(result.output.hasSuffix("found: B02\n"))
  }

  @Test("for a part without humidity, the humidity in the JSON is null, not 0")
  func noHumidity() throws {
    let dry = try Self.diagnose("bmp-rpi-9088", "--format", "json").output
    #expect(dry.contains(#""humidity_rh":null"#), "\(dry)")
    #expect(!dry.contains(#""humidity_rh":0"#))
    let wet = try Self.diagnose("bme280pi", "--format", "json").output
    #expect(wet.contains(/"humidity_rh":\d/) && !wet.contains(#""humidity_rh":null"#), "\(wet)")
  }

  @Test("79.40 C instead of 28.20 C is diagnosed as an unsigned temperature")
  func unsigned() throws {
    let result = try Self.diagnose("bmp-driver-17", "--temperature", "79.40C")
    #expect(result.output.contains("explained by: B11 temperature-unsigned"))
  }

  @Test("correct values and transfers have no findings")
  func right() throws {
    let shown = try Self.diagnose(
      "periph-i2c", "--temperature", "23.72C", "--pressure", "100942.70Pa", "--humidity", "65.31%")
    #expect(shown.status == 0)
    #expect(shown.output.contains("no defect: 3 of 3 values shown are correct"))
    let unasked = try Self.diagnose("bme280pi")
    #expect(unasked.status == 0)
    #expect(unasked.output.hasSuffix("nothing wrong\n"))
  }

  @Test("values that no known defect explains are reported as such")
  func unknown() throws {
    let result = try Self.diagnose("micropython-0471", "--humidity", "12.3456%")
    #expect(result.status == 1)
    #expect(result.output.contains("no combination of known defects explains all"))
  }

  @Test("the wrong value in a driver's own tests is explained to the last digit")
  func pinned() throws {
    let result = try Self.diagnose("micropython-0471", "--humidity", "45.1729%")
    #expect(result.status == 1)
    #expect(result.output.contains("explained by: B52 temperature-overwritten"))
  }

  @Test("a defect that matches the values by coincidence is not an explanation")
  func chance() throws {
    let table = "temperature_c,pressure_hpa\n" + String(repeating: "7.77,777.77\n", count: 3)
    let result = try CommandLineTool.withFile(table, suffix: ".csv") { file in
      try Self.diagnose("bme280pi", "--observed", file)
    }
    #expect(result.status == 1)
    #expect(!result.output.contains("nearest:"))
    #expect(result.output.hasSuffix("the values are wrong, and no known defect explains them\n"))
  }

  @Test("power-on data read before a measurement, and a skipped channel, are reported")
  func conversation() throws {
    #expect(try Self.diagnose("go-ee6eca68").output.contains("B24  the data are power-on values"))
    #expect(try Self.diagnose("fm4dd-getbme280").output.contains("B29  pressure is skipped"))
  }

  @Test("a published defect is found on the virtual bus: adafruit polls 'measuring' at once")
  func driver() throws {
    // A part whose 'measuring' bit is set late; with others this driver works at 100 kHz.
    let rig = try CommandLineTool.run("audit", "--show", "late-measuring").output
    try TraceTests.withFiles(2) { paths in
      try rig.write(toFile: paths[1], atomically: true, encoding: .utf8)
      _ = try VirtualBusBench.exec(
        ["\(VirtualBusBench.peers)/bin/python", "Tests/Peers/read_driver.py", "adafruit"],
        options: ["--rig", paths[1], "--trace", paths[0]],
        environment: ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/adafruit"])
      let result = try CommandLineTool.run("diagnose", paths[0])
      #expect(result.status == 1)
      #expect(result.output.contains("B25  measuring is polled before it is set"))
    }
  }

  @Test("values below 0 and in other pressure units are parsed")
  func writtenValues() throws {
    let frost = try Self.diagnose("elixir-1", "--temperature", "-12.3C")
    #expect(frost.status == 1 && frost.output.contains("In the program"), "\(frost.errors)")
    for pressure in ["29.809inHg", "757.14mmHg", "1009.427hPa", "100942.70Pa"] {
      let result = try Self.diagnose("periph-i2c", "--pressure", pressure)
      #expect(result.status == 0, "\(pressure): \(result.output)\(result.errors)")
    }
  }

  @Test("a value with one digit too many is not explained, and an explanation gives its evidence")
  func digits() throws {
    #expect(
      try Self.diagnose("bmp-driver-17", "--temperature", "79.40C").output.contains(
        "evidence: 8."))
    let off = try Self.diagnose("bmp-driver-17", "--temperature", "79.437C")
    #expect(!off.output.contains("explained by: B11"))
  }

  @Test("a capture without times has no timing findings, but a 'sleep' in a shell log counts")
  func timeless() throws {
    let log = """
      $ i2cset -y 1 0x76 0xf2 0x01
      $ i2cset -y 1 0x76 0xf4 0x25
      $ sleep 1
      $ i2ctransfer -y 1 w1@0x76 0xf7 r8
      0x51 0x00 0x00 0x81 0x00 0x00 0x6c 0x00
      """
    try CommandLineTool.withFile(log, suffix: ".log") { file in
      try TraceTests.withFiles(1) { paths in
        let made = try CommandLineTool.run(
          "trace", "import", "--from", "i2c-tools", file, "-o", paths[0])
        #expect(made.status == 0, "\(made.errors)")
        let trace = try String(contentsOfFile: paths[0], encoding: .utf8)
        #expect(trace.contains("\"clock\":\"none\""))
        let times = trace.split(separator: "\n").dropFirst().compactMap { line in
          line.split(separator: ",").first?.split(separator: ":").last.flatMap { Int($0) }
        }
        #expect(times.count == 3 && times[2] > 1_000_000_000)
        #expect(try !CommandLineTool.run("diagnose", paths[0]).output.contains("B24"))
      }
    }
  }

  @Test("the JSON output of 'diagnose' names the defect and its evidence")
  func json() throws {
    let result = try Self.diagnose("elixir-1", "--humidity", "59.2%", "--format", "json")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(object["clean"] as? Bool == false)
    let explanations = object["explanations"] as? [[String: Any]]
    let defects = explanations?.first?["defects"] as? [[String: String]]
    #expect(defects?.first?["class"] == "B02")
    #expect(explanations?.first?["by_chance"] as? Bool == false)
    #expect((explanations?.first?["bits"] as? Double ?? 0) >= 3.3)
  }

  @Test("a combination of defects no better than chance is not an explanation, in any format")
  func byChance() throws {
    func diagnose(_ format: String) throws -> CommandLineTool.Result {
      try Self.diagnose(
        "elixir-1", "--temperature", "26.75C", "--pressure", "1003.91hPa", "--humidity", "71%",
        "--format", format)
    }
    let text = try diagnose("text")
    #expect(text.status == 1)
    #expect(!text.output.contains("explained by:"), "\(text.output)")
    #expect(text.output.contains("possible by chance, no explanation:"), "\(text.output)")
    #expect(!text.output.contains("fix:"), "\(text.output)")
    #expect(
      text.output.contains(
        "the values are not explained: defects reproduce them no better than chance"))
    let json = try diagnose("json")
    #expect(json.output.contains("\"explained\":false"), "\(json.output)")
    #expect(json.output.contains("\"by_chance\":true"), "\(json.output)")
    let github = try diagnose("github")
    #expect(github.output.contains("wrong and not explained"), "\(github.output)")
  }

  @Test("a device that does not respond and one without a measurement get different advice")
  func obstacles() throws {
    try TraceTests.withFiles(1) { paths in
      _ = try VirtualBusBench.shell("i2cget -y 1 0x77 0xd0", options: ["--trace", paths[0]])
      let silent = try CommandLineTool.run("diagnose", paths[0])
      #expect(silent.output.contains("no device responds at 0x77"))
      _ = try VirtualBusBench.shell("i2cget -y 1 0x76 0xd0", options: ["--trace", paths[0]])
      let idle = try CommandLineTool.run("diagnose", paths[0])
      #expect(idle.status == 1)
      #expect(idle.output.contains("ctrl_meas (0xF4) needs a mode"))
      _ = try VirtualBusBench.shell("i2cget -y 1 0x20 0xd0", options: ["--trace", paths[0]])
      let other = try CommandLineTool.run("diagnose", paths[0])
      #expect(other.errors.contains("the trace contains no transfer to 0x76 or 0x77"))
    }
  }

  @Test("bad input is exit status 64, 65 or 66 with a message")
  func bad() throws {
    #expect(try Self.diagnose("elixir-1", "--pressure", "1789").status == 64)
    #expect(try CommandLineTool.run("diagnose", "nowhere.i2ctrace").status == 66)
    let table = try CommandLineTool.withFile("pressure_hpa\nhigh\n", suffix: ".csv") { file in
      try Self.diagnose("elixir-1", "--observed", file)
    }
    #expect(table.status == 65)
    #expect(table.errors.contains(".csv:2:1: error: 'high' is not a valid pressure"))
  }
}
