import Barometry
import Environment
import Quantities
import Reports
import Rigs
import Text

extension Page {
  /// The crew's chart of the reserve time, where a rig watches for leaks: a table and its lines.
  var reserveChart: String {
    guard let watch = rig.pipeline?.leak else { return "" }
    let volume = rig.environment.plan.map { $0.modules.reduce(0) { $0 + $1.volume } }
    let table = ReserveTable(limit: watch.limit, volume: volume)
    let rows = table.rows.map { row in
      "<tr>" + row.map { "<td>\(XML.escaped($0))</td>" }.joined() + "</tr>"
    }
    let caption = "\(table.caption) Holes are round, with a discharge coefficient of 0.85."
    return section(
      "Reserve time by T1mm",
      "<p>\(XML.escaped(caption))</p>" + self.table(table.head, rows.joined(separator: "\n"))
        + ReservePicture(limit: watch.limit).svg)
  }
}

/// The lines of the crew's chart: T1mm to the right, minutes upwards, a line for each pressure.
struct ReservePicture {
  let limit: Double

  private static let (width, height, left, bottom) = (760.0, 360.0, 70.0, 46.0)
  /// The greatest T1mm in seconds.
  private static let longest = 120.0

  private var millimetre: Double { PressureUnit.millimetreOfMercury.pascals }
  private var pressures: [Double] {
    ReserveChart.pressures.filter { $0 * millimetre > limit }
  }

  private func minutes(_ pressure: Double, _ seconds: Double) -> Double {
    ReserveChart.seconds(to: limit, from: pressure * millimetre, t1mm: seconds) / 60
  }

  /// The picture.
  var svg: String {
    let top = pressures.first.map { minutes($0, Self.longest) } ?? 1
    func place(_ seconds: Double, _ minutes: Double) -> (x: String, y: String) {
      let x = Self.left + (Self.width - Self.left - 60) * seconds / Self.longest
      let y = (Self.height - Self.bottom) - (Self.height - Self.bottom - 20) * minutes / top
      return (Decimal.fixed(x, 1), Decimal.fixed(y, 1))
    }
    func words(_ at: (x: String, y: String), _ text: String, _ anchor: String, down: Int = 4)
      -> String
    {
      "<text x=\"\(at.x)\" y=\"\(at.y)\" dy=\"\(down)\" text-anchor=\"\(anchor)\" fill=\"currentColor\">\(text)</text>\n"
    }
    func line(_ one: (x: String, y: String), _ other: (x: String, y: String), _ width: Double)
      -> String
    {
      "<line x1=\"\(one.x)\" y1=\"\(one.y)\" x2=\"\(other.x)\" y2=\"\(other.y)\" stroke=\"currentColor\" stroke-width=\"\(width)\"/>\n"
    }
    var parts = ""
    for seconds in stride(from: 0.0, through: Self.longest, by: 20) {
      parts += line(place(seconds, 0), place(seconds, top), 0.2)
      parts += words(place(seconds, 0), Decimal.fixed(seconds, 0), "middle", down: 18)
    }
    let step = top > 600 ? 200.0 : 100
    for minutes in stride(from: 0.0, through: top, by: step) {
      parts += line(place(0, minutes), place(Self.longest, minutes), 0.2)
      let (x, y) = place(0, minutes)
      parts += words((Decimal.fixed((Double(x) ?? 0) - 8, 1), y), Decimal.fixed(minutes, 0), "end")
    }
    for pressure in pressures {
      let end = place(Self.longest, minutes(pressure, Self.longest))
      parts += line(place(0, 0), end, 1.5)
      let beside = (Decimal.fixed((Double(end.x) ?? 0) + 6, 1), end.y)
      parts += words(beside, Decimal.fixed(pressure, 0), "start")
    }
    parts += words(place(Self.longest / 2, 0), "T1mm in s", "middle", down: 38)
    parts += words(place(0, top), "minutes, by mmHg", "start", down: -8)
    return
      "<svg viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" role=\"img\" aria-label=\"Reserve time by T1mm\" font-size=\"12\">\n\(parts)</svg>"
  }
}
