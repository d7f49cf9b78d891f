import Barometry
import Bridges
import I2C
import Parts
package import Rigs
package import Runs
import Support
import TraceTools
import VirtualI2C

extension TextReport {
  /// Returns the lines before the rows, which list the devices on the bench.
  package func head(of rig: Rig) -> [String] {
    var lines = [
      style(.bold, rig.name) + style(.faint, "  seed \(rig.seed), \(rig.clock.rawValue) time")
    ]
    let summary = rig.summary.split(separator: "\n").map(String.init)
    let wrapped = columns.map { TerminalText.wrapped(summary.joined(separator: " "), $0 - 2) }
    lines += (wrapped ?? summary).map { style(.faint, $0) }
    lines.append("")
    for bus in rig.describedBuses {
      switch bus.source {
      case .devices: break
      case .physical(let path): lines.append("bus \(bus.number)  \(path.visible)")
      case .trace(let file, let options):
        lines.append(
          "bus \(bus.number)  \((file.split(separator: "/").last ?? "").visible)"
            + style(.faint, "  (replayed trace: \(options.mode.rawValue))"))
      }
      for device in bus.devices {
        lines.append(
          "bus \(bus.number)  \(frequency(bus.adapter.frequency))  \(device.address)  "
            + device.part.model.title
            + "  \((device.part.calibration ?? "").visible)"
            + style(.faint, remarks(bus, device.part)))
      }
      for multiplexer in bus.multiplexers {
        lines.append(
          "bus \(bus.number)  \(frequency(bus.adapter.frequency))  \(multiplexer.address)  "
            + Rig.Multiplexer.model.uppercased()
            + style(.faint, "  \(multiplexer.channelText)"))
      }
      for device in bus.boardDevices {
        lines.append(
          "bus \(bus.number)  \(frequency(bus.adapter.frequency))  \(device.address)  "
            + device.model.uppercased())
      }
    }
    if let fleet = rig.fleet, let bus = rig.buses.last {
      lines += [
        "bus \(fleet.busText)  \(frequency(bus.adapter.frequency))  \(fleet.addressText)  "
          + "\(fleet.part.model.title)  \((fleet.part.calibration ?? "").visible)"
          + style(.faint, remarks(bus, fleet.part))
          + "  \(fleet.name.visible)-1 to \(fleet.name.visible)-\(fleet.count)",
        style(.faint, "for the averages of the fleet, use --format jsonl or --format json"),
      ]
    }
    if startMoment != 0, let duration = rig.duration {
      lines.append(
        "from \(UTCTime.text(startMoment)) UTC, \(Decimal.duration(duration))")
    }
    return lines + [""]
  }

  private func frequency(_ hertz: UInt64) -> String {
    hertz < 1_000_000
      ? "\(Decimal.shortest(Double(hertz) / 1e3)) kHz"
      : "\(Decimal.shortest(Double(hertz) / 1e6)) MHz"
  }

  private func remarks(_ bus: Rig.Bus, _ part: any ConfiguredPart) -> String {
    var remarks = part.details
    if bus.adapter.quirks.maxReadLength > 0 {
      remarks.append("adapter reads at most \(bus.adapter.quirks.maxReadLength) bytes")
    }
    if let bridge = bus.bridge {
      remarks.append(
        "via \(bridge.model.titleWithArticle) that reads at most \(bridge.settings.limit) bytes")
    }
    return "  (\(remarks.joined(separator: ", ")))"
  }

  /// Returns a chart of the pressure with a strip of forecasts; empty if there are several sensors.
  package func chart() -> [String] {
    let points = pressures.points
    guard rig?.pipeline?.sensors.count == 1, points.count > 2, let first = points.first,
      let last = points.last, let lowest = points.map(\.value).min(),
      let highest = points.map(\.value).max(), last.time > first.time
    else { return [] }
    let width = max(min(64, (columns ?? 80) - 11), 10)
    let span = last.time - first.time
    let range = max(highest - lowest, 0.1)
    var chart = BrailleChart(columns: width, rows: 8)
    chart.draw(
      points.map { point in
        (
          x: (point.time - first.time) / span,
          y: (point.value - lowest) / range
        )
      })
    var lines = [""]
    for (index, dots) in chart.lines.enumerated() {
      let label =
        switch index {
        case 0: Decimal.fixed(highest, 1) + " ┤"
        case 7: Decimal.fixed(lowest, 1) + " ┤"
        case 1: "hPa │"
        default: "│"
        }
      lines.append(style(.faint, label.right(9)) + style(.cyan, dots))
    }
    lines += strip(from: first.time, span: span, width: width)
    let (begin, end) = (clock(UInt64(first.time * 1e9)), clock(UInt64(last.time * 1e9)))
    let blanks = String(repeating: " ", count: max(1, width - begin.count - end.count))
    lines.append(style(.faint, String(repeating: " ", count: 9) + begin + blanks + end))
    return lines
  }

  /// Returns the forecasts as a row of marks, followed by a legend.
  private func strip(from start: Double, span: Double, width: Int) -> [String] {
    guard forecasts.contains(where: { $0.trend != nil }) else { return [] }
    var marks: [PressureTrend?] = Array(repeating: nil, count: width)
    var next = 0
    for (time, trend) in forecasts {
      let share = max(Double(time) / 1e9 - start, 0) / span
      let column = min(Int(share * Double(width)), width - 1)
      for index in min(next, column)...column { marks[index] = trend }
      next = column + 1
    }
    var strip = ""
    var rest = marks[...]
    while let trend = rest.first {
      let run = rest.prefix { $0 == trend }
      rest = rest.dropFirst(run.count)
      let mark = String(repeating: trend?.mark ?? " ", count: run.count)
      strip += trend.map { style($0.look, mark) } ?? mark
    }
    let seen = PressureTrend.allCases.filter { trend in forecasts.contains { $0.trend == trend } }
    let legend = seen.map { style($0.look, $0.mark) + style(.faint, " \($0.name)") }
    return [
      "forecast ".right(9) + strip,
      String(repeating: " ", count: 9) + legend.joined(separator: "   "),
    ]
  }
}

extension RunEvent.Screen {
  /// The picture in characters of Braille, each of which is two pixels wide and four high, with its place.
  package var drawing: [String] {
    let place = "display \(address) on bus \(bus)"
    guard isLit else { return ["\(place): off"] }
    // The bit of each dot of a character, by row and column.
    let bits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
    return ["\(place):"]
      + stride(from: 0, to: pixels.count, by: 4).map { top in
        let row = stride(from: 0, to: pixels[top].count, by: 2).map { left in
          var dots: UInt32 = 0
          for (y, columns) in bits.enumerated() {
            for (x, bit) in columns.enumerated() where pixels[top + y][left + x] { dots |= bit }
          }
          return Character(Unicode.Scalar(0x2800 + dots) ?? " ")
        }
        return String(row)
      }
  }

  /// The picture as an SVG document, with 4 units for a pixel.
  package var svg: String {
    let (width, height) = ((pixels.first?.count ?? 0) * 4, pixels.count * 4)
    var path = ""
    for (y, row) in pixels.enumerated() {
      var x = 0
      while x < row.count {
        let length = row[x...].prefix { $0 }.count
        if length > 0 { path += "M\(x * 4) \(y * 4)h\(length * 4)v4h-\(length * 4)z" }
        x += max(length, 1)
      }
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
      role="img" aria-label="display \(address) on bus \(bus)">
      <rect width="100%" height="100%" fill="#04070c"/>
      <path fill="#bfe6ff" d="\(path)"/>
      </svg>

      """
  }
}
