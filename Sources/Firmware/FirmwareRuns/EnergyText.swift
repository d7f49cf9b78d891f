import Bench
import Machines
import Parts
package import Runs
import Support

/// The battery estimate, formatted as text.
package enum EnergyText {
  /// The nominal capacity of a CR2032 in mA h: 225 down to 2.0 V at 0.2 mA, as in common datasheets.
  package static let coinCell = 225.0

  /// Returns the battery estimate for a run, one line per element.
  ///
  /// - Parameters:
  ///   - consumption: the charge of each consumer.
  ///   - seconds: the duration of the run.
  ///   - capacity: the capacity of the battery in mA h. Default: 225 (CR2032).
  /// - Returns: a table of the consumers, followed by the consumption per day and the life of the battery.
  package static func lines(
    _ consumption: [RunEvent.Consumption], seconds: Double, capacity: Double = coinCell
  ) -> [String] {
    let total = consumption.reduce(0) { $0 + $1.microcoulombs }
    guard seconds > 0, total > 0 else { return ["no current was consumed"] }
    let consumers = consumption.filter { $0.microcoulombs > 0 }
    let table = PlainTable(
      ["consumer", "time", "charge", "share"],
      consumers.map {
        [
          $0.consumer, $0.duration.map { Decimal.fixed(Double($0) / 1e9, 3) + " s" } ?? "",
          charge($0.microcoulombs),
          Decimal.fixed($0.share * 100, 1) + " %",
        ]
      })
    // A mean current of 1 µA is 0.024 mA h per day.
    let mean = total / seconds
    let daily = mean * 0.024
    let days = capacity / daily
    return table.lines + idle(consumption) + [
      "\(Decimal.fixed(mean, 2)) µA on average: \(Decimal.fixed(daily, 3)) mA h per day; a battery of "
        + "\(Decimal.fixed(capacity, 0)) mA h lasts \(Decimal.fixed(days, days < 10 ? 1 : 0)) days"
    ] + assumed(consumers, of: total) + supplies(consumers)
      + Set(consumers.map(\.source)).inOrder().map { "source: \($0)" }
  }

  /// Returns a line that names the consumers without charge, which have no row in the table.
  private static func idle(_ consumption: [RunEvent.Consumption]) -> [String] {
    let names = consumption.filter { $0.microcoulombs <= 0 }.map(\.consumer)
    return names.isEmpty ? [] : ["no charge: \(names.joined(separator: ", "))"]
  }

  /// Returns a charge in millicoulombs, or in a smaller unit if three decimals would round it to 0.
  private static func charge(_ microcoulombs: Double) -> String {
    if microcoulombs >= 0.5 { return Decimal.fixed(microcoulombs / 1000, 3) + " mC" }
    if microcoulombs >= 0.0005 { return Decimal.fixed(microcoulombs, 3) + " µC" }
    return Decimal.fixed(microcoulombs * 1000, 3) + " nC"
  }

  /// Returns a line with a note if figures for different supply voltages were added without conversion.
  private static func supplies(_ consumption: [RunEvent.Consumption]) -> [String] {
    let voltages = Set(
      consumption.flatMap { part in ["5 V", "3 V"].filter { part.source.contains($0) } })
    guard voltages.count > 1 else { return [] }
    return [
      "the figures are for different supplies, \(voltages.inOrder().joined(separator: " and ")) (see the sources "
        + "below), and are added unchanged: a board has only one of them"
    ]
  }

  /// Returns a line with the share of the charge that is based on assumptions rather than datasheets.
  private static func assumed(
    _ consumption: [RunEvent.Consumption], of total: Double
  ) -> [String] {
    let uncertain = consumption.filter { $0.source.hasPrefix("assumption: ") }
    guard !uncertain.isEmpty else { return [] }
    let share = uncertain.reduce(0) { $0 + $1.microcoulombs } / total
    return [
      "\(Decimal.fixed(share * 100, 1)) % of the charge is based on assumptions (see the sources below)"
    ]
  }
}

extension FirmwareRun {
  /// Returns the charge that each power state of the microcontroller and each sensor has drawn until a time, the
  /// largest first.
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
            "its data sheet; see its fidelity page"
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
