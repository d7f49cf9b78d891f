import Barometry
import Environment
import Quantities
import Reports
import Rigs
import Runs
import Text

extension Page {
  /// The crew's chart of the reserve time, where a rig watches for leaks: its lines, and a table.
  var reserveChart: String {
    guard let watch = rig.pipeline?.leak else { return "" }
    let volume = rig.environment.plan.map { $0.modules.reduce(0) { $0 + $1.volume } }
    let found = record.firstReserve?.assessment
    let table = ReserveTable(
      limit: watch.limit, volume: volume,
      holesAt: found?.pressure ?? rig.environment.plan?.air.pressure)
    let rows = table.rows.map { row in
      "<tr>" + row.cells.map { "<td>\(XML.escaped($0))</td>" }.joined() + "</tr>"
    }
    let caption = "\(table.caption) Holes are round, with a discharge coefficient of 0.85."
    let here = found.flatMap { found in
      found.secondsPerMillimetre.map {
        ReservePicture.Point(
          seconds: $0, pressure: found.pressure / PressureUnit.millimetreOfMercury.pascals)
      }
    }
    let haven = Double(watch.haven) / 60e9
    let figures = ReserveTable.scales(around: here?.seconds).map { longest in
      let picture = ReservePicture(
        limit: watch.limit, longest: longest, haven: haven,
        here: here.flatMap { $0.seconds <= longest ? $0 : nil })
      return "<figure><figcaption>T1mm up to \(Decimal.fixed(longest, 0)) s</figcaption>\n"
        + "\(picture.svg)</figure>\n"
    }
    return section(
      "Reserve time by T1mm",
      "<div class=\"figures\">\(figures.joined())</div>"
        + "<p>\(XML.escaped(caption))</p>"
        + self.table(table.head, rows.joined(separator: "\n"), isOfNumbers: true))
  }
}
