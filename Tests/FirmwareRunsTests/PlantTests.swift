import Environment
import FirmwareRuns
import Foundation
import Quantities
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// Tests of air that a run changes: by programs that simulate what firmware controls, and by stimuli.
struct PlantTests {
  private static func image(_ name: String) -> String {
    Fixtures.root.appending(path: ".build-peers/firmware/\(name).elf").path
  }

  private static func plant(_ name: String) -> String {
    Fixtures.root.appending(path: "Tests/Firmware/Plants/\(name)").path
  }

  /// The lines of a run and its failure; the rig is `plant.yaml`.
  private static func run(
    _ image: String, _ keys: String, duration: String
  ) throws -> (lines: [(time: UInt64, text: String)], failures: [String]) {
    var rig = try Rig(
      text: """
        name: plant
        duration: \(duration)
        buses: [{number: 1, devices: [{address: 0x48, model: tmp102}]}]
        firmware: {image: \(Self.image(image)), mcu: atmega328p}
        environment: {constant: {temperature: 20C}}
        \(keys)
        """, file: "plant.yaml")
    rig.allowsPrograms = true
    var (lines, notices): ([(time: UInt64, text: String)], [String]) = ([], [])
    let run = try #require(
      try RigFirmware(rig, trace: nil) { event in
        switch event {
        case .serial(let line): lines.append((line.time, line.text))
        case .notice(let notice): notices.append(notice.text)
        default: break
        }
      })
    let isPassed = try run.verdict().findings.allSatisfy(\.passed)
    return (lines, isPassed ? [] : ["a failure"] + notices)
  }

  @Test(
    "a thermostat heats a simulated room by PWM to where its gain holds it, equally in each run")
  func closedLoop() throws {
    let keys = "plant: {program: [python3, \(Self.plant("room.py"))], pins: [D9]}"
    let (lines, failures) = try Self.run("thermostat", keys, duration: "15s")
    #expect(failures.isEmpty)
    #expect(lines.first?.text == "20.00")
    // 10 C + 10 s x 5 K/s x 64/255 x (30 C - T) = T.
    let last = try #require(lines.last.flatMap { Double($0.text) })
    #expect(abs(last - 28.52) < 0.1, "\(lines)")
    #expect(
      try Self.run("thermostat", keys, duration: "15s").lines.map(\.text) == lines.map(\.text))
  }

  @Test("a plant reads levels, duty cycles and UARTs, and sets pins, voltages and input")
  func controls() throws {
    let (lines, failures) = try Self.run(
      "panel", "plant: {program: [python3, \(Self.plant("operator.py"))], pins: [D8, D13]}",
      duration: "1s")
    #expect(failures.isEmpty, "\(failures)")
    #expect(lines.contains { $0.text.hasSuffix("512") }, "\(lines)")
  }

  @Test(
    "a wrong answer of a plant ends the run with its place and its reason",
    arguments: [
      ("echo nonsense", "it is not a JSON object"), ("echo '{\"tempreture\": 3}'", "'temperature'"),
      ("echo '{\"temperature\": \"warm\"}'", "temperature is a number from -273.15 to 200"),
      ("echo '{\"pins\": {\"D99\": \"low\"}}'", "has no pin 'D99'"),
      ("echo '{\"pins\": {\"D2\": 1}}'", "\"high\", \"low\" or \"open\""),
      ("echo '{\"voltages\": {\"A0\": 1}}'", "from 0 to 31"), ("exit 3", "has ended with status 3"),
    ])
  func wrongAnswer(_ command: String, _ message: String) throws {
    let script = "read line; \(command); sleep 9"
    let quoted = "\"" + script.replacing("\"", with: "\\\"") + "\""
    let (_, failures) = try Self.run(
      "panel", "plant: {program: [sh, -c, \(quoted)], step: 10ms}", duration: "1s")
    let failure = failures.joined(separator: "\n")
    #expect(failure.contains("plant.yaml:6: the plant 'sh -c read line"), "\(failures)")
    #expect(failure.contains(message), "\(failures)")
  }

  @Test("a plant runs only if programs are allowed")
  func permission() throws {
    let rig = try Rig(
      text: """
        name: plant
        duration: 1s
        buses: [{number: 1, devices: [{address: 0x48, model: tmp102}]}]
        firmware: {image: \(Self.image("panel")), mcu: atmega328p}
        plant: {program: [touch, /nowhere]}
        """, file: "plant.yaml")
    #expect(throws: Failure.self) { try RigFirmware(rig, trace: nil) { _ in } }
  }

  @Test("the output of a program changes the air, linearly over a time")
  func airAfterText() throws {
    let (lines, failures) = try Self.run(
      "thermostat",
      "stimuli: [{after: {uart: \"20.00\"}, at: 1s, temperature: 24C, over: 8s}]", duration: "12s")
    #expect(failures.isEmpty)
    let values = lines.compactMap { Double($0.text) }
    #expect(values.first == 20 && values.last == 24, "\(values)")
    // One reading a second: half a kelvin each, from the second on.
    for (before, after) in zip(values.dropFirst(), values.dropFirst(2)) where after < 24 {
      #expect(abs(after - before - 0.5) < 0.07, "\(values)")
    }
  }

  @Test(
    "keys of the air that contradict are errors",
    arguments: [
      ("{over: 1s, line: x}", "'over' needs 'temperature', 'pressure' or 'humidity'"),
      ("{temperature: 4C, line: x}", "exclude each other"), ("{over: 1s}", "needs"),
    ])
  func contradictions(_ stimulus: String, _ message: String) {
    let error = #expect(throws: Failure.self) {
      try Rig(
        text: """
          name: plant
          duration: 1s
          buses: [{number: 1, devices: [{address: 0x48, model: tmp102}]}]
          firmware: {image: x.elf, mcu: atmega328p}
          stimuli: [\(stimulus)]
          """, file: "plant.yaml")
    }
    #expect(error?.messages.joined().contains(message) ?? false, "\(String(describing: error))")
  }

  @Test("driven air is that of its source before a change, and keeps what was")
  func drivenAir() {
    let air = DrivenAir(ScriptedAir(constant: Air(pressure: 1000, temperature: 20, humidity: 50)))
    air.set(.temperature, to: 30, at: 100, over: 100)
    #expect(
      [0, 99, 100, 150, 200, 300].map { air.air(at: $0).temperature } == [20, 20, 20, 25, 30, 30])
    #expect(air.air(at: 150).pressure == 1000)
    // A change in progress ends where the next begins.
    air.set(.temperature, to: 10, at: 150)
    #expect([149, 150, 200].map { air.air(at: $0).temperature } == [24.9, 10, 10])
    air.set(.pressure, to: 900, at: 150)
    #expect([149, 150].map { air.air(at: $0).pressure } == [1000, 900])
  }
}
