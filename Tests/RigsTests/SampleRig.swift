import Foundation
import Reports
import Rigs
import Runs
import TestSupport

/// A small rig that tests modify.
enum SampleRig {
  static let text = """
    # A sample.
    name: sample
    seed: 3
    duration: 2h
    buses:
      - number: 1
        adapter: {frequency: 400kHz}
        devices:
          - address: 0x76
            model: bme280
            calibration: ../fixtures/calibrations/periph-i2c.yaml
    environment:
      constant: {pressure: 1005hPa, temperature: 21.3C, humidity: 45%}
    pipeline:
      samples: 2
      cycle: 30min
      forecast: thesis
    expect:
      - {that: pressure, within: 5Pa, of: environment}
    """

  /// The nominal path of the sample, to which its paths are relative.
  static let file = Fixtures.root.appending(path: "rigs/sample.yaml").path

  /// The sample with some text replaced.
  static func changed(_ old: String, to new: String) -> String {
    precondition(text.contains(old), "the sample has no '\(old)'")
    return text.replacingOccurrences(of: old, with: new)
  }

  /// Runs a rig and returns all its events.
  static func run(
    _ text: String, seed: UInt64? = nil, options: RigRun.Options = RigRun.Options()
  ) throws -> (events: [RunEvent], verdict: Verdict) {
    var rig = try Rig(text: text, file: file)
    if let seed { rig.seed = seed }
    var events: [RunEvent] = []
    let verdict = try RigRun(rig, options: options).run { events.append($0) }
    return (events, verdict)
  }

  /// The JSON Lines report of a rig.
  static func lines(_ rig: Rig) throws -> [String] {
    var output = ""
    let report = JSONLinesReport { output += $0 }
    _ = try RigRun(rig).run(report.take)
    return output.split(separator: "\n").map(String.init)
  }
}
