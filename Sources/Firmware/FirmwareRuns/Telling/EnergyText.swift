package import Runs
import Text

/// The account of a battery, for people.
package enum EnergyText {
  /// What a CR2032 holds in mA h: the nominal capacity of its common data sheets, down to 2.0 V at 0.2 mA.
  package static let coinCell = 225.0

  /// The account of a run as lines.
  ///
  /// - Parameters:
  ///   - consumption: what each consumer took.
  ///   - seconds: how long the run was.
  ///   - capacity: what the battery holds in mA h.
  /// - Returns: a table, and the sum for a day.
  package static func lines(
    _ consumption: [RunEvent.Consumption], seconds: Double, capacity: Double = coinCell
  ) -> [String] {
    let total = consumption.reduce(0) { $0 + $1.microcoulombs }
    guard seconds > 0, total > 0 else { return ["nothing took any current"] }
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
    // A mean current of 1 µA is 0.024 mA h in a day.
    let mean = total / seconds
    let daily = mean * 0.024
    let days = capacity / daily
    return table.lines + idle(consumption) + [
      "\(Decimal.fixed(mean, 2)) µA in the mean: \(Decimal.fixed(daily, 3)) mA h a day, and a battery of "
        + "\(Decimal.fixed(capacity, 0)) mA h lasts \(Decimal.fixed(days, days < 10 ? 1 : 0)) days"
    ] + assumed(consumers, of: total) + supplies(consumers)
      + Set(consumers.map(\.source)).inOrder().map { "source: \($0)" }
  }

  /// A line that names what took no charge at all, which has no row.
  private static func idle(_ consumption: [RunEvent.Consumption]) -> [String] {
    let names = consumption.filter { $0.microcoulombs <= 0 }.map(\.consumer)
    return names.isEmpty ? [] : ["no charge: \(names.joined(separator: ", "))"]
  }

  /// A charge in millicoulombs; in a smaller unit if three decimals of it would show nothing.
  private static func charge(_ microcoulombs: Double) -> String {
    if microcoulombs >= 0.5 { return Decimal.fixed(microcoulombs / 1000, 3) + " mC" }
    if microcoulombs >= 0.0005 { return Decimal.fixed(microcoulombs, 3) + " µC" }
    return Decimal.fixed(microcoulombs * 1000, 3) + " nC"
  }

  /// A line for figures that hold for different supply voltages, which the sum adds up as they are.
  private static func supplies(_ consumption: [RunEvent.Consumption]) -> [String] {
    let voltages = Set(
      consumption.flatMap { part in ["5 V", "3 V"].filter { part.source.contains($0) } })
    guard voltages.count > 1 else { return [] }
    return [
      "the figures hold for different supplies, \(voltages.inOrder().joined(separator: " and ")), as said below, and "
        + "are added up as they are: a board has one of them"
    ]
  }

  /// How much of the charge rests on figures that no data sheet was seen to give.
  private static func assumed(
    _ consumption: [RunEvent.Consumption], of total: Double
  ) -> [String] {
    let uncertain = consumption.filter { $0.source.hasPrefix("assumption: ") }
    guard !uncertain.isEmpty else { return [] }
    let share = uncertain.reduce(0) { $0 + $1.microcoulombs } / total
    return ["\(Decimal.fixed(share * 100, 1)) % of the charge rests on assumptions, as said below"]
  }
}
