import BuiltIn
import Files
import I2CTrace
import Parts
package import Schema
import TraceTools

extension RigReader {
  /// What answers on a bus: the devices of the rig, a real adapter, or a trace.
  package mutating func source(of bus: CheckedValue) -> Rig.Source {
    guard bus.isSound else { return .devices }
    let kinds = ["devices", "physical", "trace"].filter { bus[$0] != nil }
    guard let kind = kinds.first else {
      checker.note(
        "a bus needs 'devices', or 'physical' for a real one, or 'trace' for a recorded one",
        at: bus.position)
      return .devices
    }
    if kinds.count > 1 || kind != "devices" {
      let other = kinds.count > 1 ? kinds[1] : nil
      let foreign = kind == "devices" ? other ?? kind : kind
      let name = foreign == "trace" ? "recorded" : "physical"
      for key in ["devices", "adapter", "bridge", foreign == "trace" ? "physical" : "trace"] {
        guard let value = bus[key] else { continue }
        checker.note("a \(name) bus has its own \(key)", at: value.position)
      }
    }
    for key in ["replay", "times"] where bus["trace"] == nil {
      guard let value = bus[key] else { continue }
      checker.note("'\(key)' is for a recorded bus, with 'trace'", at: value.position)
    }
    if let physical = bus["physical"] {
      if clock != .real {
        checker.note("a physical bus needs 'clock: real' in the rig", at: physical.position)
      }
      return .physical(physical.text ?? "")
    }
    return bus["trace"].map { trace($0, of: bus) } ?? .devices
  }

  private mutating func trace(_ path: CheckedValue, of bus: CheckedValue) -> Rig.Source {
    let file = document.named(path.text, .trace, at: path.position)
    if let file {
      do throws(Failure) {
        _ = try TraceInput(file)
      } catch {
        document.fail(error, at: path.position)
      }
    }
    let mode = ReplayMode(rawValue: bus["replay"]?.text ?? "") ?? .strict
    let times = bus["times"]
    let factor = times?.number ?? (times?.text == "ignored" ? 0 : 1)
    return .trace(file ?? "", ReplayOptions(mode, pace: Replay.Pace(factor: factor)))
  }
}
