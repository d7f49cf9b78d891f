import Bench
import Environment
import FirmwareRuns
import Foundation
import Images
import Parts
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// Tests of Wokwi projects, with the front panel of Tests/Firmware/Arduino.
struct WokwiTests {
  /// A folder with a project around an Arduino Uno.
  private final class Project {
    let folder: ScratchFolder

    init(
      parts: String, wires: String, board: String = "wokwi-arduino-uno", settings: String? = nil
    ) throws {
      folder = try ScratchFolder()
      let image = Fixtures.root.appending(path: ".build-peers/firmware/panel.elf").path
      try write(
        "wokwi.toml",
        settings ?? "[wokwi]\nversion = 1\nfirmware = 'a.hex' # HEX\nelf = \"\(image)\"\n")
      let all =
        [#"{"type": "\#(board)", "id": "uno", "attrs": {}}"#] + (parts.isEmpty ? [] : [parts])
      try write(
        "diagram.json",
        "{\"version\": 1, \"parts\": [\n\t\(all.joined(separator: ",\n\t"))\n],\n\"connections\": [\(wires)]}\n"
      )
    }

    deinit { folder.remove() }

    func write(_ name: String, _ text: String) throws {
      try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
    }

    /// Runs the project with a scenario.
    func run(_ steps: String?, seconds: UInt64 = 5) throws -> Outcome {
      let project = try WokwiProject(folder: folder.path)
      let scenario = try steps.map { steps in
        try write("test.yaml", "name: test\nversion: 1\nsteps:\n\(steps)\n")
        return try WokwiScenario(path: folder.path + "/test.yaml")
      }
      let image = try FirmwareImage(path: project.image)
      return try Firmware.run(image, on: project.microcontroller) {
        $0.duration = seconds * 1_000_000_000
        $0.wokwi = project
        $0.scenario = scenario
        $0.leavesBusesOpen = true
      }
    }
  }

  private static let button = #"{"type": "wokwi-pushbutton", "id": "b"}"#
  private static let atGround =
    #"["b:1.l", "uno:2", "green", ["v0"]], ["uno:GND.1", "b:2.r", "black", []]"#

  @Test("parts on the I2C bus of the board become a rig; those that are not wired to it do not")
  func bus() throws {
    let parts = #"""
      {"type": "board-ssd1306", "id": "oled", "attrs": {"i2cAddress": "0x3d"}},
      {"type": "board-bmp180", "id": "air", "attrs": {"temperature": "11.5", "pressure": "90000"}}
      """#
    func wires(_ id: String) -> String {
      #"["\#(id):SDA", "uno:A4.2", "", []], ["\#(id):SCL", "uno:A5.2", "", []]"#
    }
    let both = try Project(parts: parts, wires: wires("oled") + ", " + wires("air"))
    let text = try #require(try WokwiProject(folder: both.folder.path).rigText)
    let rig = try Rig(text: text, file: "diagram")
    #expect(rig.buses[0].boardDevices.map { "\($0.address) \($0.model)" } == ["0x3d ssd1306"])
    #expect(rig.buses[0].devices.map { "\($0.address) \($0.part.model.name)" } == ["0x77 bmp180"])
    let air = rig.environment.source().air(at: 0)
    #expect(air.temperature == 11.5 && air.pressure == 90_000)
    let one = try Project(parts: parts, wires: wires("oled"))
    #expect(try WokwiProject(folder: one.folder.path).rigText?.contains("bmp180") == false)
    let none = try Project(parts: parts, wires: #"["oled:SDA", "uno:A4", "", []]"#)
    #expect(try WokwiProject(folder: none.folder.path).rigText == nil)
  }

  @Test("a Raspberry Pi Pico reads a sensor of the diagram, at any pins of its I2C controllers")
  func pico() throws {
    let image = try FirmwareBuild.arm(
      "reader", board: "rp2040", flags: ["-mcpu=cortex-m0plus", "-DREADINGS=1"])
    let project = try Project(
      parts: #"{"type": "board-bme280", "id": "air", "attrs": {"temperature": "11.5"}}"#,
      wires: """
        ["air:SDA", "uno:GP4", "", []], ["air:SCL", "uno:GP5", "", []], \
        ["uno:GP0", "$serialMonitor:RX", "", []], ["air:VCC", "uno:3V3", "", []]
        """, board: "wokwi-pi-pico",
      settings: "[wokwi]\nversion = 1\nfirmware = '\(image.path)'\n")
    let read = try WokwiProject(folder: project.folder.path)
    #expect(read.microcontroller == "rp2040" && read.rigText?.contains("bme280") == true)
    let outcome = try project.run(nil, seconds: 2)
    // The helper leaves the bus open.
    #expect(outcome.ending?.status == 0 && outcome.output.contains("does not answer"))
  }

  @Test("a scenario sets the temperature and the pressure at a barometer")
  func barometer() throws {
    let project = try Project(
      parts: #"{"type": "board-bmp180", "id": "air"}"#,
      wires: #"["air:SDA", "uno:A4", "", []], ["air:SCL", "uno:A5", "", []]"#)
    try project.write(
      "test.yaml",
      """
      name: test
      version: 1
      steps:
        - delay: 100ms
        - set-control: {part-id: air, control: temperature, value: 30.5}
        - set-control: {part-id: air, control: pressure, value: 99000}
      """)
    var options = FirmwareOptions()
    let wokwi = try WokwiProject(folder: project.folder.path)
    options.wokwi = wokwi
    options.scenario = try WokwiScenario(path: project.folder.path + "/test.yaml")
    let image = try FirmwareImage(path: wokwi.image)
    let bench = try FirmwareBench(
      image, on: MicrocontrollerModel.chosen(wokwi.microcontroller, for: image),
      Rig(text: #require(wokwi.rigText), file: "diagram"), options: options)
    let run = try FirmwareRun(bench, options: options, standardOutput: { _ in }, report: { _ in })
    #expect(try run.run().status == 0)
    let air = [50_000_000, 150_000_000].map { bench.bench.air.air(at: $0) }
    #expect(air.map(\.temperature) == [24, 30.5] && air.map(\.pressure) == [101_325, 99_000])
  }

  @Test("a scenario presses a button, waits for the program and checks a pin")
  func scenario() throws {
    let project = try Project(
      parts: Self.button + #", {"type": "wokwi-led", "id": "light"}"#,
      wires: Self.atGround + #", ["light:A", "uno:13", "", []], ["light:C", "uno:GND.2", "", []]"#)
    let outcome = try project.run(
      """
        - expect-pin: {part-id: uno, pin: 13, value: 0}
        - delay: 500ms
        - name: press
          set-control: {part-id: b, control: pressed, value: 1}
        - wait-serial: "press 1\\r\\n"
        - expect-pin: {part-id: uno, pin: 13, value: 1}
        - expect-pin: {part-id: light, pin: A, value: 1}
        - write-serial: "hello\\n"
        - wait-serial: unknown hello
      """)
    #expect(outcome.ending?.status == 0, "\(outcome.notices)")
    #expect(outcome.ending.map { 500_000_000...700_000_000 ~= $0.time } == true)
    #expect(outcome.output == "> press 1\r\nunknown hello")
  }

  @Test("a failed step ends the run with status 1 and its place, a time-out with 42")
  func failures() throws {
    let project = try Project(parts: Self.button, wires: Self.atGround)
    let wrong = try project.run("  - delay: 1s\n  - expect-pin: {part-id: uno, pin: D13, value: 1}")
    #expect(wrong.ending?.status == 1)
    #expect(
      wrong.notices.contains("\(project.folder.path)/test.yaml:5:5: uno:D13 is low, expected high"),
      "\(wrong.notices)")
    let late = try project.run("  - delay: 1s\n  - wait-serial: press")
    #expect(late.ending?.status == 42)
    #expect(late.ending?.time == 5_000_000_000 + FirmwareBench.powerOnLead)
    #expect(late.notices.contains { $0.hasSuffix("test.yaml:5:5: 'press' did not appear") })
    #expect(try project.run(nil).ending?.status == 0)
  }

  /// An analog part, the control of a scenario, and the codes of the converter before and after it is set.
  struct AnalogPart: Sendable, CustomTestStringConvertible {
    let type: String, pin: String, attributes: String, first: String, control: String
    let values: [(Double, String)]

    init(
      _ type: String, _ pin: String, _ attributes: String = "", first: String, _ control: String,
      _ values: [(Double, String)]
    ) {
      (self.type, self.pin, self.attributes) = (type, pin, attributes)
      (self.first, self.control, self.values) = (first, control, values)
    }

    var testDescription: String { type }
  }

  static let analogParts = [
    AnalogPart(
      "wokwi-potentiometer", "SIG", #""value": "512""#, first: "512", "position",
      [(0.25, "256"), (1, "1023"), (0, "0")]),
    AnalogPart("wokwi-slide-potentiometer", "SIG", first: "0", "position", [(0.5, "512")]),
    AnalogPart(
      "wokwi-analog-joystick", "VERT", first: "512", "y", [(1, "1023"), (-1, "0"), (0.5, "768")]),
    // The values of Wokwi's own test of the part.
    AnalogPart(
      "wokwi-photoresistor-sensor", "AO", #""lux": "500""#, first: "250", "lux",
      [(1000, "169"), (100, "511")]),
    // 10 kOhm at 25 °C; its resistance at 0 °C is exp(3950 (1/273.15 - 1/298.15)) times as large.
    AnalogPart(
      "wokwi-ntc-temperature-sensor", "OUT", #""temperature": "25""#, first: "512", "temperature",
      [(0, "789")]),
  ]

  @Test("an analog part has the voltage of its control", arguments: analogParts)
  func analog(_ part: AnalogPart) throws {
    let project = try Project(
      parts: #"{"type": "\#(part.type)", "id": "p", "attrs": {\#(part.attributes)}}"#,
      wires: #"["p:\#(part.pin)", "uno:A0", "", []]"#)
    var steps = [
      "  - wait-serial: \"> \"", "  - write-serial: \"volts\\n\"",
      "  - wait-serial: \"\(part.first)\\r\\n\"",
    ]
    for (value, shown) in part.values {
      steps += [
        "  - set-control: {part-id: p, control: \(part.control), value: \(value)}",
        "  - write-serial: \"volts\\n\"", "  - wait-serial: \"> \(shown)\\r\\n\"",
      ]
    }
    let outcome = try project.run(steps.joined(separator: "\n"))
    #expect(outcome.ending?.status == 0, "\(outcome.output) \(outcome.notices)")
  }

  @Test(
    "wires, breadboards, resistors and supplies give a pin its level",
    arguments: [
      (#"["uno:7", "uno:5V", "", []]"#, "", true), (#"["uno:7", "uno:GND.3", "", []]"#, "", false),
      (#"["uno:7", "uno:3.3V", "", []]"#, "", true),
      (
        #"["uno:7", "r:1", "", []], ["r:2", "uno:5V", "", []]"#,
        #"{"type": "wokwi-resistor", "id": "r"}"#, true
      ),
      // The smaller of two resistors decides.
      (
        #"["uno:7", "r:1", "", []], ["r:2", "uno:5V", "", []], ["uno:7", "s:1", "", []], ["s:2", "uno:GND.1", "", []]"#,
        #"{"type": "wokwi-resistor", "id": "r", "attrs": {"value": "100"}}, {"type": "wokwi-resistor", "id": "s"}"#,
        true
      ),
      (
        #"["uno:7", "bb:12t.a", "", []], ["bb:12t.e", "bb:tp.3", "", []], ["bb:tp.50", "v:VCC", "", []]"#,
        #"{"type": "wokwi-breadboard", "id": "bb"}, {"type": "wokwi-vcc", "id": "v"}"#, true
      ),
      // The rows on both sides of the groove are not connected.
      (
        #"["uno:7", "bb:12t.a", "", []], ["bb:12b.f", "uno:5V", "", []]"#,
        #"{"type": "wokwi-breadboard-half", "id": "bb"}"#, false
      ),
      (
        #"["uno:7", "s:2", "", []], ["s:1", "uno:GND.1", "", []], ["s:3", "uno:5V", "", []]"#,
        #"{"type": "wokwi-slide-switch", "id": "s", "attrs": {"value": "1"}}"#, true
      ),
    ])
  func levels(_ wires: String, _ parts: String, _ isHigh: Bool) throws {
    let outcome = try Project(parts: parts, wires: wires).run(
      "  - delay: 100ms\n  - expect-pin: {part-id: uno, pin: 7, value: \(isHigh ? 1 : 0)}")
    #expect(outcome.ending?.status == 0, "\(outcome.notices)")
  }

  @Test(
    "a part, board, wire, control or step that is not supported is rejected with its place",
    arguments: [
      (
        #"{"type": "wokwi-neopixel", "id": "n"}"#, "", "  - delay: 1s",
        "diagram.json:3:2: part 'n' is a wokwi-neopixel, which"
      ),
      (
        #"{"type": "board-pico", "id": "n"}"#, "", "  - delay: 1s",
        "it has wokwi-arduino-uno 'uno', board-pico 'n'"
      ),
      (button + ", " + button, "", "  - delay: 1s", "duplicate part 'b'"),
      (
        button, #"["c:1", "uno:2", "", []]"#, "  - delay: 1s", "diagram.json:5:17: unknown part 'c'"
      ),
      (button, #"["uno:2"]"#, "  - delay: 1s", "a connection needs two pins"),
      (
        button, "", "  - set-control: {part-id: b, control: lux, value: 1}",
        "test.yaml:4:5: part 'b' has no control 'lux' (accepted: pressed)"
      ),
      (
        button, "", "  - set-control: {part-id: c, control: lux, value: 1}",
        "test.yaml:4:5: unknown part 'c'"
      ),
      (
        button, "", "  - take-screenshot: {part-id: b}",
        "test.yaml:4:5: 'take-screenshot' is not supported"
      ),
      (
        button, "", "  - expect-pin: {part-id: uno, pin: 99, value: 1}",
        "test.yaml:4:5: 'uno:99' is no pin of the board"
      ),
      (button, "", "  - delay: soon", "test.yaml:4:5: 'delay' is not supported or incomplete"),
    ])
  func invalid(_ parts: String, _ wires: String, _ steps: String, _ message: String) throws {
    let error = #expect(throws: Failure.self) {
      _ = try Project(parts: parts, wires: wires).run(steps)
    }
    #expect(
      error?.messages.joined(separator: "\n").contains(message) == true, "\(error?.messages ?? [])")
    #expect(error?.exitStatus == 65)
  }

  @Test("settings without an image, and custom chips, are rejected")
  func settings() throws {
    for (text, message) in [
      ("[wokwi]\nversion = 1\n", "'firmware' is missing"),
      (
        "[wokwi]\nfirmware = 'a.elf'\n[[chip]]\nname = 'x'\n",
        "wokwi.toml:3: custom chips are not supported"
      ),
    ] {
      let project = try Project(parts: "", wires: "", settings: text)
      let error = #expect(throws: Failure.self) { try WokwiProject(folder: project.folder.path) }
      #expect(error?.messages.first?.contains(message) == true, "\(error?.messages ?? [])")
    }
    let missing = #expect(throws: Failure.self) { try WokwiProject(folder: "/nowhere") }
    #expect(missing?.exitStatus == 66)
  }
}
