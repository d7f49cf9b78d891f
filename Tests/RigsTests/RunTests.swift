import BME280Model
import Barometry
import Environment
import Foundation
import Quantities
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// Runs: the rigs of the repository, repeatability, events and expectations.
struct RunTests {
  static let rigs: [String] = {
    // Rigs with firmware need an image, and other tests run them.
    ((try? Fixtures.rigs()) ?? []).filter { !$0.hasSuffix("-firmware.yaml") }
  }()

  static func rig(_ name: String) throws -> Rig {
    try Rig(path: Fixtures.root.appending(path: "rigs/\(name)").path)
  }

  @Test(
    "every rig of the repository has a summary and expectations, and passes", arguments: rigs
  )
  func passes(_ name: String) throws {
    let rig = try Self.rig(name)
    #expect(rig.summary.count > 40)
    let verdict = try RigRun(rig).run()
    #expect(verdict.findings.count >= 3)
    for finding in verdict.findings { #expect(finding.passed, "\(finding)") }
  }

  @Test("the same rig and seed always produce the same bytes", arguments: rigs)
  func repeatable(_ name: String) throws {
    let (first, second) = (try Self.rig(name), try Self.rig(name))
    let lines = try SampleRig.lines(first)
    #expect(try SampleRig.lines(second) == lines)
  }

  @Test("with typical timing, a different seed gives the same lines with different values")
  func otherSeed() throws {
    var rig = try Self.rig("weather-station.yaml")
    let first = try SampleRig.lines(rig)
    rig.seed = 43
    let second = try SampleRig.lines(rig)
    #expect(first != second)
    /// The lines without the values that depend on the seed.
    func skeleton(_ lines: [String]) -> [String] {
      lines.map { line in
        line.replacing(
          /"(seed|temperature_c|pressure_pa|humidity_rh|adc_.|rate_hpa_per_h)":[-\d.e]+/
        ) {
          "\"\($0.output.1)\":?"
        }
        .replacing(/"forecast":"\w+"/, with: "\"forecast\":?")
        .replacing(/largest deviation [\d.]+ .*? at [\d:.]+/, with: "largest deviation ?")
      }
    }
    #expect(skeleton(first) == skeleton(second))
  }

  @Test("events come in order of time, the rig first and the verdict last", arguments: rigs)
  func order(_ name: String) throws {
    let lines = try SampleRig.lines(Self.rig(name))
    #expect(lines.first?.hasPrefix("{\"event\":\"rig\",") == true)
    #expect(lines.last?.hasPrefix("{\"event\":\"verdict\",") == true)
    let times = try lines.dropFirst().map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(object?["t"] as? Double)
    }
    #expect(times == times.sorted())
  }

  @Test("the starts of successive cycles are exactly the cycle time apart")
  func cycles() throws {
    let (events, _) = try SampleRig.run(SampleRig.text)
    var starts: [UInt64] = []
    for case .average(let average) in events { starts.append(average.start) }
    #expect(starts.count == 4)
    for (next, start) in zip(starts.dropFirst(), starts) {
      #expect(next - start == 1_800_000_000_000)
    }
  }

  @Test(
    "the first forecast is made in the second cycle; the first cycle reports why there is none"
  )
  func firstForecast() throws {
    let (events, _) = try SampleRig.run(SampleRig.text)
    var words: [String] = []
    for case .forecast(let forecast) in events {
      switch forecast.result {
      case .success(let made): words.append("\(made.trend.name)")
      case .failure(let refusal): words.append("\(refusal)")
      }
    }
    #expect(words.count == 4)
    #expect(words[0].hasPrefix("tooShort"))
    #expect(words[1...] == ["stable", "stable", "stable"])
  }

  @Test("normal mode measures the same air as forced mode")
  func normalMode() throws {
    let text = SampleRig.changed("samples: 2", to: "samples: 2\n  mode: normal\n  standby: 20ms")
    let (_, verdict) = try SampleRig.run(text)
    #expect(verdict.passed)
  }

  @Test("a missing sensor ends the run with the status unavailable")
  func absent() throws {
    let faults = "faults:\n  - {at: 0s, kind: nack-address, count: 1000}\nexpect:"
    let failure = #expect(throws: Failure.self) {
      try SampleRig.run(SampleRig.changed("expect:", to: faults))
    }
    #expect(failure?.kind == .unavailable)
    #expect(failure?.messages.first?.contains("address not acknowledged") == true)
  }

  @Test("a rig without a pipeline cannot be run, and the error lists the alternatives")
  func noPipeline() throws {
    let text = SampleRig.text.components(separatedBy: "pipeline:")[0]
    let failure = #expect(throws: Failure.self) { try SampleRig.run(text) }
    #expect(failure?.kind == .badRig)
    #expect(failure?.messages.last?.contains("aneroid read --bus rig:") == true)
  }

  @Test("air outside the output range of a part is reported once for each quantity")
  func saturated() throws {
    let flat =
      "{0x88: \"106e6c6632005d95b8d5d00b771e9dfff9ffac260ad8bd10004b\", "
      + "0xE1: \"0000001305001e\"}"
    let text = SampleRig.changed("../fixtures/calibrations/periph-i2c.yaml", to: flat)
    let (events, _) = try SampleRig.run(text)
    var found: [RunEvent.SaturatedReading] = []
    for case .saturated(let event) in events { found.append(event) }
    #expect(found.map(\.channel) == [.humidity])
    #expect(found.first?.shortfall.requested == 45)
    #expect(found.first?.shortfall.nearest == 0)
  }

  @Test("a cycle with too few samples has no average and no forecast")
  func tooFewSamples() throws {
    let faults = "faults:\n  - {at: 29min, kind: nack-address, count: 2}\nexpect:"
    let (events, _) = try SampleRig.run(SampleRig.changed("expect:", to: faults))
    var averages = 0
    var errors = 0
    var refusals: [String] = []
    for event in events {
      switch event {
      case .average: averages += 1
      case .error: errors += 1
      case .forecast(let forecast):
        if case .failure(let refusal) = forecast.result { refusals.append("\(refusal)") }
      default: break
      }
    }
    #expect((averages, errors) == (3, 2))
    // The point of the first cycle is then one cycle and a sample old.
    #expect(refusals.count == 2)
    #expect(refusals[1].hasPrefix("tooOld"))
  }
}
