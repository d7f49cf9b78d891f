import Bench
import Machines
import Parts
package import Runs
import Text

extension FirmwareRun {
  /// What each state of the microcontroller and each sensor took until a time, the largest first.
  package func consumption(at time: UInt64) -> [RunEvent.Consumption] {
    var found: [(name: String, duration: UInt64?, charge: Double, source: String)] = []
    let ledger = bench.machine.energy
    for (index, state) in ledger.states.enumerated() {
      let duration = ledger.nanoseconds(of: index, at: time)
      guard duration > 0 else { continue }
      found.append(
        (
          "\(bench.machine.name): \(state.name)", duration, ledger.charge(of: index, at: time),
          state.source
        ))
    }
    for bus in bench.bench.buses {
      if let meter = bench.pullUps(of: bus.number), meter.nanoseconds > 0 {
        found.append(
          (
            "pull-up resistors of bus \(bus.number)", meter.nanoseconds, meter.microcoulombs,
            PullUpMeter.source
          ))
      }
      for sensor in bus.sensors {
        guard let charge = sensor.part.chargeUsed(at: time) else { continue }
        found.append(
          (
            "\(sensor.model.title) at \(sensor.address) on bus \(bus.number)", nil, charge,
            "its data sheet, see the page on its fidelity"
          ))
      }
    }
    let total = found.reduce(0) { $0 + $1.charge }
    return found.inOrder { $0.charge > $1.charge }.map {
      RunEvent.Consumption(
        time: time, consumer: $0.name, duration: $0.duration, microcoulombs: $0.charge,
        share: total > 0 ? $0.charge / total : 0, source: $0.source)
    }
  }
}
