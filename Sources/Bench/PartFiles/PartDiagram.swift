import CMath
import Support

/// The durations of a part as a picture: a bar for each measurement and pause, up to the typical and to the longest time.
package struct PartDiagram {
  private let title: String
  private let rows: [Row]

  /// A bar.
  private struct Row {
    let name, remark: String
    let span: PartDescription.Span
  }

  /// Creates the picture of a part.
  package init(_ part: DescribedPart) {
    let description = part.description
    title = "\(part.title): how long everything takes"
    var rows: [Row] = []
    if description.startTime.maximum > 0 {
      rows.append(Row(name: "start", remark: "not acknowledged", span: description.startTime))
    }
    for measurement in description.measurements {
      let remark =
        switch measurement.meanwhile {
        case .nack: "not acknowledged"
        case .stretch: "holds SCL"
        case .last: "answers with the last result"
        }
      let typical = measurement.typical.elements.max() ?? 0
      let maximum = measurement.maximum.elements.max() ?? 0
      rows.append(
        Row(
          name: measurement.name, remark: remark,
          span: PartDescription.Span(typical: typical, maximum: max(typical, maximum))))
    }
    for command in description.commands where command.busyTime.maximum > 0 {
      rows.append(Row(name: command.name, remark: "not acknowledged", span: command.busyTime))
    }
    self.rows = rows
  }

  private static let (left, width, line): (Double, Double, Double) = (240, 350, 26)

  /// The powers of ten, in nanoseconds, between which all durations are; at least one decade.
  private var decades: ClosedRange<Int> {
    let times = rows.flatMap { [$0.span.typical, $0.span.maximum] }.filter { $0 > 0 }
    let digits = times.map { String($0).count }
    let first = (digits.min() ?? 6) - 1
    return first...max(digits.max() ?? 7, first + 1)
  }

  /// The length of the bar of a duration, on a logarithmic scale.
  private func length(_ nanoseconds: UInt64) -> Double {
    guard nanoseconds > 0 else { return 0 }
    let share =
      (log(Double(nanoseconds)) / log(10) - Double(decades.lowerBound)) / Double(decades.count - 1)
    return share * Self.width
  }

  /// The picture as SVG, 900 units wide.
  package var svg: String {
    let height = Double(rows.count) * Self.line + 84
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 \(Int(height))\" role=\"img\" "
        + "font-family=\"system-ui, sans-serif\" font-size=\"13\">",
      "<title>\(XML.escaped(title))</title>",
      "<style>text{fill:#222}.g{stroke:#ddd}.m{fill:#666}.t{fill:#3a78b5}.x{fill:#a9c9e6}.b{fill:#fff}"
        + "@media(prefers-color-scheme:dark){text{fill:#ddd}.g{stroke:#444}.m{fill:#999}.t{fill:#6fa8dc}.x{fill:#2f4f6b}.b{fill:#1b1b1b}}"
        + "</style>",
      "<rect class=\"b\" width=\"900\" height=\"\(Int(height))\"/>",
      "<text x=\"12\" y=\"24\" font-size=\"16\">\(XML.escaped(title))</text>",
    ]
    for power in decades {
      let time = (0..<power).reduce(UInt64(1)) { time, _ in time * 10 }
      let x = Decimal.rounded(Self.left + length(time), 1)
      lines += [
        "<line class=\"g\" x1=\"\(x)\" y1=\"56\" x2=\"\(x)\" y2=\"\(Int(height) - 8)\"/>",
        "<text class=\"m\" x=\"\(x)\" y=\"50\" text-anchor=\"middle\">\(Self.text(time))</text>",
      ]
    }
    for (index, row) in rows.enumerated() {
      let top = 64 + Double(index) * Self.line
      let (typical, maximum) = (length(row.span.typical), length(row.span.maximum))
      let base = Decimal.rounded(top + 14, 1)
      let times =
        row.span.typical == row.span.maximum
        ? Self.text(row.span.maximum)
        : "\(Self.text(row.span.typical)), at most \(Self.text(row.span.maximum))"
      lines += [
        "<text x=\"\(Int(Self.left) - 10)\" y=\"\(base)\" text-anchor=\"end\">\(XML.escaped(Self.short(row.name)))</text>",
        bar("x", maximum, at: top), bar("t", typical, at: top),
        "<text class=\"m\" x=\"\(Decimal.rounded(Self.left + maximum + 8, 1))\" y=\"\(base)\">"
          + "\(XML.escaped("\(times); \(row.remark)"))</text>",
      ]
    }
    return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private func bar(_ kind: String, _ length: Double, at top: Double) -> String {
    "<rect class=\"\(kind)\" x=\"\(Int(Self.left))\" y=\"\(Decimal.rounded(top, 1))\" "
      + "width=\"\(Decimal.rounded(max(length, 1), 1))\" height=\"18\" rx=\"2\"/>"
  }

  private static func text(_ nanoseconds: UInt64) -> String {
    switch nanoseconds {
    case ..<1_000_000: "\(Decimal.rounded(Double(nanoseconds) / 1e3, 3)) us"
    case ..<1_000_000_000: "\(Decimal.rounded(Double(nanoseconds) / 1e6, 3)) ms"
    default: "\(Decimal.rounded(Double(nanoseconds) / 1e9, 3)) s"
    }
  }

  /// A name that has room left of its bar.
  private static func short(_ name: String) -> String {
    name.count <= 34 ? name : name.prefix(33) + "…"
  }
}
