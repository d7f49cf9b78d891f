import Support

extension Plot {
  /// The maximum number of marks (vertical lines at labelled times) that are numbered.
  ///
  /// If there are more marks, no mark is numbered.
  package static let mostNumbers = 9
  /// The maximum number of lines with notes below a picture.
  private static let mostNotes = 6

  /// Draws the plot as SVG.
  ///
  /// - Parameters:
  ///   - isAlone: `true` for a separate file, which contains its own colours and title. Default:
  ///     `false`.
  ///   - subject: the name that begins the title, such as the rig's. Default: none.
  /// - Returns: the element `svg`.
  package func svg(isAlone: Bool = false, of subject: String? = nil) -> String {
    let notes = isAlone ? Array(notes.prefix(Self.mostNotes)) : []
    let frame = PlotFrame(
      legend: PlotLegend.entries(of: self), hasTitle: isAlone, notes: notes.count)
    let style = isAlone ? "<style>\(PlotStyle.alone)</style>" : ""
    let space = isAlone ? "xmlns=\"http://www.w3.org/2000/svg\" " : ""
    let heading = subject.map { "\($0): \(title)" } ?? title
    let shapes = PlotShapes(plot: self, frame: frame)
    let words = isAlone ? shapes.heading(heading) + shapes.notes(notes) : ""
    return """
      <svg \(space)class="plot" viewBox="0 0 \(Int(PlotFrame.width)) \(Int(frame.height))" role="img" \
      aria-labelledby="\(name)-t \(name)-d">\
      <title id="\(name)-t">\(XML.escaped(heading))</title>\
      <desc id="\(name)-d">\(XML.escaped(description))</desc>\(style)
      \(words)\(shapes.bands)\(shapes.grid)\(shapes.lines)\(shapes.marks)\(shapes.legend)</svg>

      """
  }

  /// The notes for the numbered marks, each with number, time and label; empty if no mark is
  /// numbered.
  package var notes: [String] {
    guard marks.count <= Self.mostNumbers else { return [] }
    return marks.enumerated().map { "\($0 + 1)  \(clock($1.time))  \($1.label)" }
  }

  /// Returns the pixel column for a time in a run.
  package static func column(of time: Double, in duration: Double) -> Int {
    Int(PlotFrame.x(time, in: duration))
  }
}

enum PlotLegend {
  /// An entry of the legend.
  struct Entry {
    /// The sample of a line or colour in front of the text.
    enum Sample {
      case line(String)
      case colour(String)
    }
    let sample: Sample
    let text: String
  }

  /// Returns the legend of a plot; empty for a single line, which the title describes.
  static func entries(of plot: Plot) -> [Entry] {
    var entries: [Entry] = []
    if plot.series.count > 1 {
      entries = plot.series.enumerated().map { Entry(sample: .line($1.look($0)), text: $1.name) }
    }
    // If there are many similar lines, they share one entry.
    if plot.series.count > Plot.mostNames {
      entries = [Entry(sample: .line("s0"), text: "\(plot.series.count) lines")]
    }
    if plot.allowed != nil { entries.append(Entry(sample: .colour("allowed"), text: "allowed")) }
    var looks: [String] = []
    for band in plot.bands where !looks.contains(band.look) {
      looks.append(band.look)
      entries.append(Entry(sample: .colour(band.look), text: band.label))
    }
    return entries
  }
}

/// The style sheet of plots, in light and dark colours, for screens of any width and for print.
package enum PlotStyle {
  private static let colours = """
    :root{--paper:#fff;--ink:#1b2430;--soft:#566273;--line:#d8dee6;--card:#f6f8fa;--ok:#166534;--bad:#b42318;\
    --warn:#92580a;--s0:#0b5cad;--s1:#b45309;--s2:#166534;--s3:#7c3aed;--good:#16653426;--rain:#0b5cad22;\
    --storm:#b4231830;--rise:#92580a26;--calm:#56627312;--outside:#b4231818}
    @media (prefers-color-scheme:dark){:root{--paper:#11161d;--ink:#e6ebf2;--soft:#9aa7b8;--line:#2b3542;\
    --card:#18202a;--ok:#4ade80;--bad:#ff8a80;--warn:#fbbf24;--s0:#6cb6ff;--s1:#ffb366;--s2:#6ee7a0;--s3:#c4a5ff;\
    --good:#4ade8022;--rain:#6cb6ff22;--storm:#ff8a8033;--rise:#fbbf2422;--calm:#9aa7b812;--outside:#ff8a8020}}
    @media print{:root{--paper:#fff;--ink:#000;--soft:#333;--line:#bbb;--card:#fff;--ok:#0b4a22;--bad:#8a1410;\
    --s0:#0b4a8a;--s1:#8a3f05;--s2:#0b4a22;--s3:#5b21b6}}

    """

  /// The style of plots on a page.
  package static let plots = colours + rules

  /// The style of a separate picture.
  ///
  /// It also sets each colour literally, for viewers that do not support CSS variables.
  package static let alone = colours + plain(rules)

  /// The colours for white paper, by variable name.
  private static let light: [Substring: Substring] = {
    let declarations = colours.prefix { $0 != "}" }.drop { $0 != "-" }.split(separator: ";")
    let pairs = declarations.map { ($0.dropFirst(2).prefix { $0 != ":" }, $0.drop { $0 != "#" }) }
    return Dictionary(pairs) { first, _ in first }
  }()

  /// Inserts, before each declaration that uses a variable, a declaration with the literal colour.
  private static func plain(_ rules: String) -> String {
    let parts = rules.split(separator: "(", omittingEmptySubsequences: false)
    var text = String(parts[0])
    for (before, after) in zip(parts, parts.dropFirst()) {
      let property = before.reversed().prefix { $0 != "{" && $0 != ";" }.reversed().prefix {
        $0 != ":"
      }
      let colour = light[after.dropFirst(2).prefix { $0 != ")" }] ?? "none"
      text.removeLast(3)
      text += "\(colour);\(String(property)):var(\(after)"
    }
    return text
  }

  private static let rules = """
    .plot{background:var(--paper);font-family:system-ui,sans-serif}
    .plot .grid{stroke:var(--line);stroke-width:1}.plot .axis{stroke:var(--soft);stroke-width:1}
    .plot text{fill:var(--soft);font-size:18px}.plot .legend,.plot .title{fill:var(--ink)}
    .plot .title{font-weight:600}
    .plot .line{fill:none;stroke-width:2;stroke-linejoin:round}.plot .many{stroke-width:1;stroke-opacity:.5}
    .plot .s0{stroke:var(--s0)}.plot .s1{stroke:var(--s1);stroke-dasharray:7 5}
    .plot .s2{stroke:var(--s2);stroke-dasharray:2 4}.plot .s3{stroke:var(--s3);stroke-dasharray:10 4 2 4}
    .plot .s4{stroke:var(--s0);stroke-dasharray:2 4}.plot .s5{stroke:var(--s1)}.plot .s6{stroke:var(--s2)}
    .plot .s7{stroke:var(--s3)}.plot .wrong{stroke:var(--bad);stroke-dasharray:9 5}.plot .spread.wrong{fill:var(--bad)}
    .plot .spread{stroke:none;fill-opacity:.25}.plot .spread.s0{fill:var(--s0)}.plot .spread.s1{fill:var(--s1)}
    .plot .spread.s2{fill:var(--s2)}.plot .spread.s3{fill:var(--s3)}
    .plot .band{fill:var(--calm)}.plot .band.goodWeather{fill:var(--good)}.plot .band.rainy{fill:var(--rain)}
    .plot .band.outside{fill:var(--outside);stroke:var(--bad);stroke-dasharray:2 3}
    .plot .band.thunderStorm,.plot .band.leak{fill:var(--storm)}.plot .band.notStable{fill:var(--rise)}
    .plot .band.allowed{fill:var(--good)}.plot .key{stroke:var(--line)}
    .plot .mark line{stroke:var(--bad);stroke-width:1.4;stroke-dasharray:3 3}.plot .mark text{fill:var(--bad)}

    """
}
