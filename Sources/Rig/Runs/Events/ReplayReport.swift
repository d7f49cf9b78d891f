package import Bench
import I2CTrace
import TraceTools

extension RunEvent.ReplayReport {
  /// What is to be told of a bus, where a trace answers on it.
  package init?(_ bus: Bench.Bus, at time: UInt64) {
    guard let replay = bus.replay else { return nil }
    let lines = replay.report("the trace").map { line in String(line.drop { $0 == " " }) }
    self.init(
      time: time, bus: bus.number, isSame: replay.difference == nil && replay.failure == nil,
      lines: lines)
  }
}
