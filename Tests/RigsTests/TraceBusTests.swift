import BME280
import Bench
import Foundation
import I2C
import I2CTrace
import Parts
import Rigs
import Runs
import Support
import TestSupport
import Testing
import TraceTools

/// Replayed buses of a rig.
struct TraceBusTests {
  static func rig(_ bus: String, more: String = "") throws -> Rig {
    try Rig(
      text: """
        name: recorded
        duration: 40s
        buses:
          - {number: 1, \(bus)}
        \(more)
        """, file: Fixtures.root.appending(path: "rigs/rig.yaml").path)
  }

  static let pipeline =
    "pipeline: {bus: 1, samples: 1, cycle: 10s, forecast: none, keep: 1h}"

  @Test("a pipeline reads a replayed bus in mode strict, lenient or model")
  func read() throws {
    for (mode, passed) in [("strict", false), ("lenient", true), ("model", true)] {
      let rig = try Self.rig(
        "trace: ../fixtures/traces/bme280pi.i2ctrace, replay: \(mode)",
        more: Self.pipeline)
      var pressures: [Double] = []
      let verdict = try RigRun(rig).run { event in
        if case .reading(let reading) = event { pressures.append(reading.sample.pascals ?? 0) }
      }
      // The fourth reading is not in the trace, so mode strict fails, and mode lenient repeats the
      // last responses.
      #expect(pressures.starts(with: [96911.9140625, 96913.34375, 96910.5625]), "\(mode)")
      #expect(pressures.count == (mode == "strict" ? 3 : 4), "\(mode)")
      #expect(verdict.passed == passed, "\(mode)")
      let details = verdict.findings.map(\.detail)
      #expect(details.contains { $0.contains("responses repeated") } == (mode == "lenient"))
    }
  }

  @Test(
    "a bus cannot both have devices and replay a trace, and replay keys need a replayed bus",
    arguments: [
      (
        "trace: ../fixtures/traces/saph.i2ctrace, adapter: {}",
        "'adapter' is not allowed on a replayed bus"
      ),
      (
        "trace: ../fixtures/traces/saph.i2ctrace, physical: /dev/i2c-1",
        "'trace' is not allowed on a physical bus"
      ),
      ("physical: /dev/i2c-1, replay: model", "'replay' is only allowed with 'trace'"),
      ("trace: nowhere.i2ctrace", "no such file"),
      ("trace: rig.yaml", "no such file"),
      ("trace: thesis.yaml", "this is not a trace, which begins with"),
    ])
  func mistakes(_ bus: String, _ message: String) {
    let failure = #expect(throws: Failure.self) { try Self.rig(bus) }
    #expect(
      failure?.messages.contains { $0.contains(message) } == true, "\(failure?.messages ?? [])")
  }

  @Test("wire faults can be injected on a replayed bus, but part faults cannot")
  func faults() throws {
    func rig(_ kind: String) throws -> Rig {
      try Self.rig(
        "trace: ../fixtures/traces/saph.i2ctrace",
        more: "faults: [{at: 0s, kind: \(kind), bus: 1}]")
    }
    #expect(try rig("nack-address").faults.map(\.name) == ["nack-address"])
    for kind in ["power-loss", "frozen"] {
      let failure = #expect(throws: Failure.self) { try rig(kind) }
      #expect(
        failure?.messages.first?.contains(
          "'\(kind)' acts on a virtual part, but bus 1 has none (accepted: nack-address, "
        ) == true)
    }
    let bridge = #expect(throws: Failure.self) { try rig("bridge-lost") }
    #expect(bridge?.messages.first?.hasSuffix("bus 1 has no bridge") == true)
  }

  @Test(
    "a replay keeps, scales or ignores the recorded times, as requested",
    arguments: [("kept", 0.01517), ("2", 0.03034), ("ignored", 0.0)])
  func times(_ times: String, _ end: Double) throws {
    let pace = try #require(Replay.Pace(times))
    let reading = try SensorReading(
      .trace(file: RecordedPartTests.path("saph.i2ctrace"), number: nil), address: nil,
      replay: ReplayOptions(.strict, pace: pace))
    var text = ""
    try reading.run(count: 1, every: 1, format: .csv) {
      text += $0
    } notice: { _ in
    }
    let time = text.split(separator: "\n")[1].split(separator: ",")[0]
    // With ignored times only the waits of the driver advance the time.
    if times == "ignored" {
      #expect((Double(time) ?? 0) < 0.015)
    } else {
      #expect(Double(time) == end)
    }
  }
}
