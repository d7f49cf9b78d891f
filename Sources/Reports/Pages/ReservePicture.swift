import Barometry
import Environment
import Quantities
import Rigs
import Runs
import Support

/// The picture of a chart from which the crew of a leaking cabin reads the time left until a
/// pressure limit.
///
/// The horizontal axis is T1mm, the time in which the pressure falls by 1 mmHg, and the vertical
/// axis is the time left in minutes. There is a curve for each current pressure.
struct ReservePicture {
  /// The state of a cabin, as a point in the chart.
  struct Point {
    /// T1mm in seconds, and the pressure in mmHg.
    let seconds: Double, pressure: Double
  }

  /// The pressure limit in Pa.
  let limit: Double
  /// The largest T1mm in the chart, in seconds.
  let longest: Double
  /// The time left, in minutes, below which the crew is called to the safe haven.
  let haven: Double
  /// The state of the cabin when the time left was first known; `nil` if it is outside the chart.
  let here: Point?

  private static let (width, height) = (800.0, 420.0)
  private static let (left, right, top, bottom) = (64.0, 136.0, 44.0, 56.0)

  private var millimetre: Double { PressureUnit.millimetreOfMercury.pascals }
  private var pressures: [Double] {
    ReserveChart.pressures.filter { $0 * millimetre > limit }
  }
  private var most: Double { max(pressures.first.map { minutes($0, longest) } ?? 1, 1) }

  private func minutes(_ pressure: Double, _ seconds: Double) -> Double {
    ReserveChart.seconds(to: limit, from: pressure * millimetre, t1mm: seconds) / 60
  }

  private func x(_ seconds: Double) -> Double {
    Self.left + (Self.width - Self.left - Self.right) * seconds / longest
  }

  private func y(_ minutes: Double) -> Double {
    Self.height - Self.bottom - (Self.height - Self.bottom - Self.top) * minutes / most
  }

  private func text(_ number: Double) -> String { Decimal.fixed(number, 1) }

  private func words(_ x: Double, _ y: Double, _ text: String, _ anchor: String) -> String {
    "<text x=\"\(self.text(x))\" y=\"\(self.text(y))\" text-anchor=\"\(anchor)\">"
      + "\(XML.escaped(text))</text>\n"
  }

  private func line(_ look: String, _ x: (Double, Double), _ y: (Double, Double)) -> String {
    "<line class=\"\(look)\" x1=\"\(text(x.0))\" x2=\"\(text(x.1))\" y1=\"\(text(y.0))\" "
      + "y2=\"\(text(y.1))\"/>\n"
  }

  /// The picture as an SVG element.
  var svg: String {
    let size = "0 0 \(Int(Self.width)) \(Int(Self.height))"
    return
      "<svg class=\"plot\" viewBox=\"\(size)\" role=\"img\" aria-label=\"Reserve time by T1mm\">\n"
      + "\(band)\(grid)\(lines)\(point)</svg>"
  }

  /// The coloured band below the safe-haven time.
  private var band: String {
    let height = y(0) - y(min(haven, most))
    guard height > 3 else { return "" }
    return
      "<rect class=\"band leak\" x=\"\(text(x(0)))\" y=\"\(text(y(0) - height))\" "
      + "width=\"\(text(x(longest) - x(0)))\" height=\"\(text(height))\"/>\n"
      + (height > 18 ? words(x(longest) - 8, y(0) - 5, "safe haven", "end") : "")
  }

  private var grid: String {
    let rows = Ticks.values(0...most, about: 5).map { minutes in
      line("grid", (x(0), x(longest)), (y(minutes), y(minutes)))
        + words(x(0) - 8, y(minutes) + 6, Decimal.fixed(minutes, 0), "end")
    }
    let columns = Ticks.values(0...longest, about: 6).map { seconds in
      line("grid", (x(seconds), x(seconds)), (y(0), y(most)))
        + words(x(seconds), y(0) + 24, Decimal.fixed(seconds, 0), "middle")
    }
    let limit = Decimal.fixed(limit / millimetre, 0)
    return (rows + columns).joined()
      + words(2, 20, "minutes to \(limit) mmHg", "start")
      + words((x(0) + x(longest)) / 2, Self.height - 8, "T1mm in s", "middle")
  }

  /// The curves, with their pressures as labels at the right end.
  ///
  /// Labels that would overlap are moved down.
  private var lines: String {
    var free = -Double.infinity
    return pressures.enumerated().map { index, pressure in
      let end = y(minutes(pressure, longest))
      let place = max(end + 6, free)
      free = place + 19
      return line("line s0", (x(0), x(longest)), (y(0), end))
        + words(x(longest) + 8, place, "\(Decimal.fixed(pressure, 0)) mmHg", "start")
    }.joined()
  }

  private var point: String {
    guard let here else { return "" }
    let (x, y) = (x(here.seconds), y(minutes(here.pressure, here.seconds)))
    let name = "this cabin: \(Decimal.fixed(here.pressure, 0)) mmHg"
    let isLeft = here.seconds > longest / 2
    // The label overlaps the curves, so an outline in the paper's colour keeps it legible.
    let halo = "paint-order:stroke;stroke:var(--paper);stroke-width:5px"
    return
      "<g class=\"mark\" style=\"\(halo)\"><circle cx=\"\(text(x))\" cy=\"\(text(y))\" r=\"6\" fill=\"var(--bad)\"/>"
      + words(x + (isLeft ? -12 : 12), y - 10, name, isLeft ? "end" : "start") + "</g>\n"
  }
}

extension Page {
  /// The HTML section with a drawing of the cabin and its suspected modules; empty for a rig without
  /// a cabin.
  var cabin: String {
    guard let plan = rig.environment.plan, plan.modules.count > 1 else { return "" }
    let devices = rig.buses.flatMap(\.devices)
    let sensors = plan.modules.indices.filter { index in
      devices.contains { $0.module == plan.modules[index].name }
    }
    let suspects = plan.modules.indices.filter { record.leaking.contains(plan.modules[$0].name) }
    let drawing = CabinDrawing(
      plan, isOpen: plan.hatches.map(\.isOpen), sensors: Set(sensors), suspects: Set(suspects))
    let caption =
      suspects.isEmpty
      ? "Lines are hatches; dotted lines are hatches that are closed at the start."
      : "The suspected modules are red. Lines are hatches; dotted lines are hatches that are closed at the start."
    return section("The cabin", "<figure>\(drawing.svg)</figure><p class=\"soft\">\(caption)</p>")
  }

  /// The HTML section with the crew's chart of the reserve time (the time left until the pressure
  /// limit) as curves and a table; empty for a rig without a leak analysis.
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
