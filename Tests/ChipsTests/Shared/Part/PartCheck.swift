import Glibc
import I2C
import I2CTrace
import Parts
import Rigs
import Runs
import Schema
import TestSupport
import Testing
import VirtualI2C

/// Checks of every part that measures temperature and humidity.
enum PartCheck {
  /// Returns a rig with one part, and some keys of its device and pipeline.
  static func rig(_ model: String, device: String = "", pipeline: String = "") throws -> Rig {
    let text = """
      # A part that measures temperature and humidity.
      name: part
      seed: 3
      duration: 2h
      buses:
        - number: 1
          adapter: {frequency: 100kHz}
          devices:
            - address: 0x40
              model: \(model)
              \(device)
      environment:
        constant: {pressure: 1005hPa, temperature: 21.3C, humidity: 45%}
      pipeline:
        samples: 2
        cycle: 30min
        \(pipeline)
      expect:
        - {that: temperature, within: 0.02C, of: environment}
        - {that: humidity, within: 0.05%, of: environment}
      """
    return try Rig(text: text, file: Fixtures.rootPath + "/rigs/part.yaml")
  }

  /// Returns the findings of a run.
  static func findings(_ rig: Rig) throws -> [(passed: Bool, text: String)] {
    try RigRun(rig).run().findings.map { ($0.passed, "\($0)") }
  }

  /// Returns the names of the keys under `unknown` of a model's devices.
  static func unknownKeys(of model: any PartModel) -> [String] {
    guard case .section(let section) = model.keys.first(where: { $0.name == "unknown" })?.shape
    else { return [] }
    return section.fields.map(\.name)
  }

  /// Returns the decoded transfers of some work on a bus.
  static func meanings(
    _ model: any PartModel, _ adapter: VirtualAdapter, _ clock: VirtualClock,
    _ work: (any I2CAdapter) throws -> Void
  ) rethrows -> [String?] {
    var text = model.text
    return try transfers(adapter, clock, work).map { text.meaning(of: $0) }
  }

  /// Returns the transfers of some work on a bus.
  static func transfers(
    _ adapter: VirtualAdapter, _ clock: VirtualClock, _ work: (any I2CAdapter) throws -> Void
  ) rethrows -> [TracedTransfer] {
    var transfers: [TracedTransfer] = []
    try work(ObservedAdapter(adapter, bus: 1, clock: clock) { transfers.append($0) })
    return transfers
  }
}
