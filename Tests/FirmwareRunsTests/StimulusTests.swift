import FirmwareRuns
import Foundation
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// Tests of actions on firmware from outside, with the front panels of Tests/Firmware.
struct StimulusTests {
  /// A panel: a microcontroller with its button and its light.
  enum Panel: String, CaseIterable, CustomTestStringConvertible {
    case nrf52832, stm32f411, atmega328p

    var testDescription: String { rawValue }
    var button: String { ["P0.13", "PC13", "D2"][index] }
    var light: String { ["P0.17", "PA5", "D13"][index] }
    private var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    func image() throws -> String {
      switch self {
      case .nrf52832: try FirmwareBuild.arm("panel").path
      case .stm32f411:
        try FirmwareBuild.arm("panel", board: "stm32f411", flags: ["-DSTM32F411"]).path
      case .atmega328p: Fixtures.root.appending(path: ".build-peers/firmware/panel.elf").path
      }
    }
  }

  /// The events of a run and the results of its expectations.
  private struct Result {
    var events: [RunEvent] = []
    var verdict: Verdict?

    var lines: [(time: UInt64, text: String)] {
      events.compactMap { if case .serial(let line) = $0 { (line.time, line.text) } else { nil } }
    }
    var notices: [String] {
      events.compactMap { if case .notice(let notice) = $0 { notice.text } else { nil } }
    }
    /// The results of the expectations of the rig, without that of a failure.
    var passed: [Bool] { verdict?.findings.dropFirst().map(\.passed) ?? [] }
    var details: [String] { verdict?.findings.dropFirst().map(\.detail) ?? [] }
  }

  private static func rig(
    _ panel: Panel, stimuli: String, expect: String? = nil, duration: String = "3s", seed: Int = 1
  ) throws -> Rig {
    try Rig(
      text: """
        name: panel
        seed: \(seed)
        duration: \(duration)
        buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
        firmware: {image: \(panel.image()), mcu: \(panel.rawValue)}
        stimuli: [\(stimuli)]
        \(expect.map { "expect: [\($0)]" } ?? "# no expectations")
        """, file: "panel.yaml")
  }

  private static func run(
    _ panel: Panel, stimuli: String, expect: String? = nil, duration: String = "3s", seed: Int = 1
  ) throws -> Result {
    let rig = try rig(panel, stimuli: stimuli, expect: expect, duration: duration, seed: seed)
    var result = Result()
    let run = try #require(try RigFirmware(rig, trace: nil) { result.events.append($0) })
    result.verdict = try run.verdict()
    return result
  }

  @Test(
    "a bouncing button is pressed at its time and as often as planned", arguments: Panel.allCases)
  func button(_ panel: Panel) throws {
    let result = try Self.run(
      panel,
      stimuli:
        "{at: 500ms, every: 1s, count: 2, pin: \(panel.button), level: low, for: 100ms, bounce: 5ms}",
      expect: """
        {that: pin, pin: \(panel.light), level: low, at: 490ms},
        {that: pin, pin: \(panel.light), level: high, at: 540ms},
        {that: pin, pin: \(panel.light), by: 540ms}
        """)
    let presses = result.lines.filter { $0.text.contains("press ") }
    #expect(presses.map { $0.text.suffix(7) } == ["press 1", "press 2"])
    // A line has the time of its first byte, which is that of the prompt before it on the AVR.
    for (line, seconds) in zip(presses, [0.5, 1.5]) where line.text.hasPrefix("press") {
      #expect(abs(Double(line.time) / 1e9 - seconds) < 0.03, "\(presses)")
    }
    #expect(result.passed == [true, true, true], "\(result.details)")
  }

  @Test("the same seed gives the same events, another seed other bounces")
  func seeds() throws {
    func edges(_ seed: Int) throws -> [RunEvent.PinChange] {
      try Self.run(
        .atmega328p, stimuli: "{at: 1s, pin: D2, level: low, for: 100ms, bounce: 5ms}",
        expect: "{that: pin, pin: D13, level: high}", seed: seed
      ).events.compactMap { if case .pin(let change) = $0 { change } else { nil } }
    }
    #expect(try edges(1) == edges(1))
    #expect(try edges(1).count == 1)
  }

  @Test("a line is sent when the program prompts for it", arguments: Panel.allCases)
  func prompt(_ panel: Panel) throws {
    let (prompt, answer) = panel == .atmega328p ? ("^> $", "unknown hello") : ("ready", "got hello")
    let result = try Self.run(
      panel, stimuli: "{after: {uart: '\(prompt)'}, at: 100ms, line: hello}",
      expect: "{that: uart, matches: '\(answer)$'}")
    #expect(result.passed == [true], "\(result.lines)")
  }

  @Test("a stimulus waits for each prompt as often as it may")
  func repeatedPrompt() throws {
    let result = try Self.run(
      .atmega328p,
      stimuli: "{after: {uart: '^> $'}, count: 3, send: \"volts\\n\"}, {input: 0, voltage: 2.5V}")
    #expect(result.lines.map(\.text).filter { $0.hasSuffix("512") }.count == 3, "\(result.lines)")
  }

  @Test("a voltage reaches the converter from its time on")
  func voltage() throws {
    let result = try Self.run(
      .atmega328p,
      stimuli: """
        {at: 1s, input: 0, voltage: 1.25V}, {at: 500ms, line: volts}, {at: 1500ms, line: volts}
        """)
    #expect(result.lines.prefix(2).map { $0.text.split(separator: " ").last } == ["0", "256"])
  }

  @Test("a pin of the program triggers a stimulus")
  func pinTrigger() throws {
    let result = try Self.run(
      .nrf52832,
      stimuli: """
        {at: 1s, pin: P0.13, level: low, for: 50ms},
        {after: {pin: P0.17, level: low}, at: 200ms, line: dark}
        """)
    let line = try #require(result.lines.first { $0.text == "got dark" })
    #expect(abs(Double(line.time) / 1e9 - 1.25) < 0.02, "\(line)")
  }

  @Test("a reset starts the program again")
  func reset() throws {
    let result = try Self.run(.nrf52832, stimuli: "{at: 1s, reset: true}")
    #expect(result.lines.map(\.text) == ["ready", "ready"])
    #expect(result.notices.contains { $0.hasSuffix("reset by the reset pin") }, "\(result.notices)")
  }

  @Test("a square wave has its frequency, and ends after its length", arguments: [50, 333, 10_000])
  func wave(_ frequency: Int) throws {
    let result = try Self.run(
      .atmega328p,
      stimuli: "{at: 1s, pin: D2, frequency: \(frequency)Hz, for: 500ms}, {at: 2s, line: edges}")
    #expect(
      result.lines.contains { $0.text.split(separator: " ").last == "\(frequency / 2)" },
      "\(result.lines)")
  }

  @Test("the frequency, the duty cycle and the pulses of a pin are judged")
  func output() throws {
    let expect = """
      {that: pin, pin: D8, frequency: [495Hz, 505Hz], after: 1s}, {that: pin, pin: D8, frequency: [501Hz, 600Hz]},
      {that: pin, pin: D8, duty: [49, 51], after: 1s}, {that: pin, pin: D8, duty: [30, 40], after: 1s},
      {that: pin, pin: D8, pulse: [990us, 1010us], after: 1s}, {that: pin, pin: D8, level: low, pulse: [2ms, 3ms]},
      {that: pin, pin: D7, frequency: [1Hz, 2Hz]}, {that: pin, pin: D7, level: high}
      """
    let result = try Self.run(.atmega328p, stimuli: "{at: 1s, line: x}", expect: expect)
    #expect(
      result.passed == [true, false, true, false, true, false, false, false], "\(result.details)")
    #expect(result.details.last == "never")
  }

  @Test("a stimulus that was never applied is reported with the reason")
  func idle() throws {
    let result = try Self.run(
      .nrf52832, stimuli: "{after: {uart: never}, line: x}, {after: {pin: P0.02}, reset: true}")
    let idle = result.notices.filter { $0.contains("was never applied") }
    #expect(
      idle == [
        "panel.yaml:6: the stimulus was never applied: no line matched 'never'",
        "panel.yaml:6: the stimulus was never applied: P0.02 did not change to high",
      ])
  }

  @Test("a stimulus against a driven pin is reported, and the program's level counts")
  func conflict() throws {
    let result = try Self.run(
      .nrf52832, stimuli: "{at: 1s, pin: P0.17, level: high}",
      expect: "{that: pin, pin: P0.17, level: low, at: 2s}")
    #expect(
      result.notices.contains { $0.contains("drives P0.17 high, but the program drives it low") })
    #expect(result.passed == [true])
  }

  @Test(
    "a stimulus with contradictory keys, an unknown pin or port is rejected",
    arguments: [
      ("at: 1s", "needs"), ("pin: PC13", "'pin' needs either 'level' or 'frequency'"),
      ("pin: PC13, level: low, frequency: 1kHz", "'pin' needs either"),
      ("pin: PC13, level: low, send: x", "exclude each other"),
      ("level: low, line: x", "'level' needs 'pin'"),
      ("input: 3", "'input' needs 'voltage'"),
      ("line: x, count: 2", "'count' needs 'every' or 'after'"),
      ("pin: PC13, level: low, for: 2s, every: 1s", "shorter than 'every'"),
      ("pin: PC13, level: low, for: 2ms, bounce: 5ms", "bounce is longer"),
      ("after: {uart: '('}, line: x", "not a valid regular expression"),
      ("after: {pin: P0.1, uart: x}, line: x", "exclude each other"),
      ("at: 5s, line: x", "after the end of the run"), ("send: [256]", "256"),
      ("input: 3, voltage: 9V", "out of range"),
    ])
  func invalid(_ keys: String, _ message: String) throws {
    let error = #expect(throws: Failure.self) {
      try Self.rig(.nrf52832, stimuli: "{\(keys)}", duration: "3s")
    }
    #expect(error?.messages.joined().contains(message) == true, "\(error?.messages ?? [])")
  }

  @Test(
    "a pin or port that the microcontroller lacks is rejected with those that it has",
    arguments: [
      (
        "pin: PX9, level: low",
        "panel.yaml:6: NRF52832 has no pin 'PX9' (accepted: from P0.00 to P0.31)"
      ),
      (
        "line: x, uart: '9'",
        "panel.yaml:6: NRF52832 has no serial port '9' (accepted: UARTE0, RTT0"
      ),
    ])
  func unknown(_ keys: String, _ message: String) throws {
    let rig = try Self.rig(.nrf52832, stimuli: "{\(keys)}")
    let error = #expect(throws: Failure.self) { _ = try RigFirmware(rig, trace: nil) { _ in } }
    #expect(
      error?.messages.first?.lowercased().hasPrefix(message.lowercased()) == true,
      "\(error?.messages ?? [])")
  }

  @Test("an option with a stimulus names itself in messages")
  func option() throws {
    var rig = Rig.builtIn()
    let error = #expect(throws: Failure.self) { try rig.plan(stimulus: "at: 1s, pin: PC13") }
    #expect(
      error?.messages.first?.hasPrefix("--stimulus:1:11: ") == true, "\(error?.messages ?? [])")
    try rig.plan(stimulus: "at: 1s, pin: PC13, level: low")
    #expect(rig.stimuli.count == 1)
  }
}
