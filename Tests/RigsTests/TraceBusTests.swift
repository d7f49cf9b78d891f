import BME280Driver
import Bench
import Files
import Foundation
import I2C
import I2CTrace
import Parts
import Rigs
import Runs
import TestSupport
import Testing
import TraceTools

/// Buses of a rig that are recorded.
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

  @Test("a pipeline reads a recorded bus, strictly, leniently or as a model")
  func read() throws {
    for (mode, passed) in [("strict", false), ("lenient", true), ("model", true)] {
      let rig = try Self.rig(
        "trace: ../fixtures/traces/bme280pi.i2ctrace, replay: \(mode)",
        more: Self.pipeline)
      var pressures: [Double] = []
      let verdict = try RigRun(rig).run { event in
        if case .reading(let reading) = event { pressures.append(reading.sample.pascals ?? 0) }
      }
      // The fourth reading is not in the trace: strictly it fails, leniently the last answers come again.
      #expect(pressures.starts(with: [96911.9140625, 96913.34375, 96910.5625]), "\(mode)")
      #expect(pressures.count == (mode == "strict" ? 3 : 4), "\(mode)")
      #expect(verdict.passed == passed, "\(mode)")
      let details = verdict.findings.map(\.detail)
      #expect(details.contains { $0.contains("answers given again") } == (mode == "lenient"))
    }
  }

  @Test(
    "a bus is recorded or something else, and says how it is replayed only then",
    arguments: [
      (
        "trace: ../fixtures/traces/saph.i2ctrace, adapter: {}", "a recorded bus has its own adapter"
      ),
      (
        "trace: ../fixtures/traces/saph.i2ctrace, physical: /dev/i2c-1",
        "a physical bus has its own trace"
      ),
      ("physical: /dev/i2c-1, replay: model", "'replay' is for a recorded bus, with 'trace'"),
      ("trace: nowhere.i2ctrace", "no such file"),
      ("trace: rig.yaml", "no such file"),
      ("trace: thesis.yaml", "this is not a trace, which begins with"),
    ])
  func mistakes(_ bus: String, _ message: String) {
    let failure = #expect(throws: Failure.self) { try Self.rig(bus) }
    #expect(
      failure?.messages.contains { $0.contains(message) } == true, "\(failure?.messages ?? [])")
  }

  @Test("what fails on the wire can be planned on a recorded bus, what fails within a part cannot")
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
          "'\(kind)' acts within a virtual part, and bus 1 has none; what happens on any wire: nack-address, "
        ) == true)
    }
    let bridge = #expect(throws: Failure.self) { try rig("bridge-lost") }
    #expect(bridge?.messages.first?.hasSuffix("there is no bridge on bus 1") == true)
  }

  @Test(
    "recorded times are kept, stretched or ignored",
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
    // Ignored times pass by the driver's own waiting alone.
    if times == "ignored" {
      #expect((Double(time) ?? 0) < 0.015)
    } else {
      #expect(Double(time) == end)
    }
  }
}
