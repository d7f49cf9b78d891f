import Foundation
import Reports
import Rigs
import Runs
import Support
import Testing

/// Every expectation can be met and can fail.
struct ExpectationTests {
  static let fault = "faults:\n  - {at: 10min, kind: nack-address, count: 3}\nexpect:"

  @Test(
    "each expectation can be met and can fail",
    arguments: [
      ("{that: pressure, within: 5Pa, of: environment}", true),
      ("{that: pressure, within: 0.0001Pa, of: environment}", false),
      ("{that: pressure, within: 5Pa, of: 1005hPa}", true),
      ("{that: pressure, within: 5Pa, of: 1006hPa}", false),
      ("{that: pressure, mean: true, within: 5Pa, of: environment}", true),
      ("{that: pressure, mean: true, within: 5Pa, of: 1006hPa}", false),
      ("{that: pressure, within: 5Pa, of: environment, after: 3h}", false),
      ("{that: pressure, within: 5Pa, of: environment, address: 0x76, bus: 1}", true),
      ("{that: temperature, within: 0.02C, of: environment}", true),
      ("{that: temperature, within: 0.02C, of: 70.34F}", true),
      ("{that: temperature, within: 0.02C, of: 22C}", false),
      ("{that: humidity, within: 0.1%, of: environment}", true),
      ("{that: humidity, within: 0.1%, of: 46%}", false),
      ("{that: temperature, min: -5C}", true), ("{that: temperature, min: 21.4C}", false),
      ("{that: temperature, max: 71F}", true), ("{that: temperature, max: 70F}", false),
      ("{that: pressure, min: 1004hPa, max: 1006hPa, mean: true}", true),
      ("{that: pressure, min: 1004hPa, max: 1004.5hPa}", false),
      ("{that: humidity, min: 40%, max: 50%, address: 0x76}", true),
      ("{that: humidity, min: 40%, after: 3h}", false),
      ("{that: forecast, at: 1h, is: stable}", true),
      ("{that: forecast, at: 1h, is: rainy}", false),
      ("{that: forecast, at: 1min, is: none}", true),
      ("{that: forecast, at: 1h, is: none}", false),
      ("{that: forecast, reaches: [stable]}", true),
      ("{that: forecast, reaches: [stable, rainy]}", false),
      ("{that: forecast, never: [rainy]}", true),
      ("{that: forecast, never: [stable]}", false),
      ("{that: transfers, errors: 0}", true),
      ("{that: transfers, errors: 1}", false),
      ("{that: readings, count: 8}", true),
      ("{that: readings, count: 9}", false),
    ])
  func verdict(_ expectation: String, _ passes: Bool) throws {
    let text = SampleRig.changed(
      "{that: pressure, within: 5Pa, of: environment}", to: expectation)
    let (_, verdict) = try SampleRig.run(text)
    #expect(verdict.findings.count == 1)
    #expect(verdict.passed == passes, "\(verdict.findings)")
    #expect(verdict.findings.first?.expectation.line == 19)
  }

  @Test(
    "a violated range is described in words with the actual values, in the verdict and in JUnit")
  func range() throws {
    let text = SampleRig.changed(
      "{that: pressure, within: 5Pa, of: environment}",
      to: "{that: temperature, min: 60F, max: 70F}")
    let (_, verdict) = try SampleRig.run(text)
    let finding = try #require(verdict.findings.first)
    #expect(finding.expectation.title == "every temperature is from 60 F to 70 F")
    #expect(finding.detail.hasPrefix("70.34 F at "), "\(finding.detail)")
    #expect(finding.detail.hasSuffix("; 70.34 to 70.34 F, 8 readings"), "\(finding.detail)")
    let rig = try Rig(text: text, file: SampleRig.file)
    let junit = FindingFormat.junit.text(verdict.inspection(of: rig, seconds: 1))
    #expect(junit.contains("every temperature is from 60 F to 70 F"))
    #expect(junit.contains("<failure message=\"70.34 F at "), "\(junit)")
  }

  @Test(
    "an empty range, and 'within' without 'of', are errors",
    arguments: [
      ("{that: temperature, min: 5C, max: -5C}", "'min' is above 'max'"),
      ("{that: temperature, within: 5C}", "'within' and 'of' need each other"),
      ("{that: temperature, of: 5C, min: 3C}", "'within' and 'of' need each other"),
      ("{that: temperature, after: 1h}", "needs at least one of 'within', 'min', 'max'"),
    ])
  func badRange(_ expectation: String, _ message: String) {
    let text = SampleRig.changed(
      "{that: pressure, within: 5Pa, of: environment}", to: expectation)
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: SampleRig.file) }
    let messages = failure?.messages ?? []
    #expect(messages.contains { $0.contains(message) }, "\(messages)")
  }

  @Test(
    "every reading fails while the address is not acknowledged, and no reading fails afterwards")
  func nackForATime() throws {
    let text = SampleRig.text
      .replacingOccurrences(
        of: "expect:",
        with: "faults:\n  - {at: 25min, for: 40min, kind: nack-address}\nexpect:"
      )
      .replacingOccurrences(
        of: "{that: pressure, within: 5Pa, of: environment}", with: "{that: faults, all: fired}")
    let (events, verdict) = try SampleRig.run(text)
    #expect(verdict.passed, "\(verdict.findings)")
    var times: [UInt64] = []
    for case .reading(let reading) in events { times.append(reading.time / 60_000_000_000) }
    #expect(times.contains { $0 < 25 } && times.contains { $0 >= 65 })
    #expect(!times.contains { (25..<65).contains($0) }, "\(times)")
    for case .fault(let report) in events { #expect(report.count > 1) }
  }

  @Test("the run fails if not all faults fired", arguments: [(3, true), (9, false)])
  func faults(_ count: Int, _ passes: Bool) throws {
    let text = SampleRig.text
      .replacingOccurrences(of: "expect:", with: Self.fault)
      .replacingOccurrences(of: "count: 3", with: "count: \(count)")
      .replacingOccurrences(
        of: "{that: pressure, within: 5Pa, of: environment}", with: "{that: faults, all: fired}")
    let (events, verdict) = try SampleRig.run(text)
    #expect(verdict.passed == passes, "\(verdict.findings)")
    var reports: [RunEvent.FaultReport] = []
    for case .fault(let report) in events { reports.append(report) }
    #expect(reports.count == 1)
    #expect(reports.first?.count == (passes ? 3 : 6))
  }

  @Test(
    "every kind of fault fires, and a fault that did not fire fails the run",
    arguments: [
      "kind: nack-address", "kind: nack-data", "kind: arbitration-lost", "kind: bus-error",
      "kind: clock-stretch, for: 2s", "kind: stuck-sda", "kind: stuck-scl, for: 1s",
      "kind: bit-flip, register: 247, mask: 128", "kind: power-loss, for: 1s",
      "kind: nack-address, after: 5", "kind: bit-flip, probability: 0.5, byte: 2",
      "kind: short-read, register: 247", "kind: wrong-device, reads: 85", "kind: brown-out",
      "kind: frozen, count: 1", "kind: slow-conversion, count: 1",
      "kind: offset, pressure: 2hPa, count: 1", "kind: drift, temperature: 1C, count: 1",
      "kind: power-loss, register: 247", "kind: frozen, register: 244, count: 1",
    ])
  func everyFault(_ fault: String) throws {
    for (at, passes) in [("31min", true), ("119min", false)] {
      let text = SampleRig.text
        .replacingOccurrences(
          of: "expect:", with: "faults:\n  - {at: \(at), \(fault)}\nexpect:"
        )
        .replacingOccurrences(
          of: "{that: pressure, within: 5Pa, of: environment}", with: "{that: faults, all: fired}")
      let (events, verdict) = try SampleRig.run(text)
      #expect(verdict.passed == passes, "\(at) \(verdict.findings)")
      var reports: [RunEvent.FaultReport] = []
      for case .fault(let report) in events { reports.append(report) }
      #expect(reports.map(\.count) == [passes ? 1 : 0])
    }
  }

  @Test("a driver detects that its part has lost power, and configures it again")
  func powerLoss() throws {
    let text = SampleRig.text.replacingOccurrences(
      of: "expect:", with: "faults:\n  - {at: 31min, kind: power-loss, for: 1s}\nexpect:")
    let (events, verdict) = try SampleRig.run(text)
    let errors = events.filter { if case .error = $0 { true } else { false } }
    #expect(errors.count == 1, "the driver reports that the settings are lost")
    #expect(verdict.passed, "\(verdict.findings)")
  }

  @Test(
    "an expected forecast is compared with the forecast that is valid at exactly the given time")
  func boundaries() throws {
    // The second cycle's last sample is read at 30 min, 10 s and some milliseconds.
    let text = SampleRig.changed(
      "{that: pressure, within: 5Pa, of: environment}",
      to: "{that: forecast, at: 1810s, is: none}\n  - {that: forecast, at: 1811s, is: stable}")
    let verdict = try SampleRig.run(text).verdict
    #expect(verdict.passed)
  }
}
