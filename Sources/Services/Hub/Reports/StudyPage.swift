import Foundation
import HubQueue
import Quantities
import Support
import Warehouse

/// A mapping study as one self-contained HTML document.
package struct StudyPage {
  private let study: WarehouseStudy

  package init(_ study: WarehouseStudy) { self.study = study }

  /// The HTML document, whose last line contains the digest of all lines above it.
  package var html: String { ReportSeal.sealed(document) }

  private var document: String {
    let monitors = study.monitorLines.map { location, reasons in
      "<li><b>\(Self.escaped(location))</b>: \(Self.escaped(reasons))</li>"
    }
    return """
      <!doctype html>
      <html lang="en">
      <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
      \(ReportSeal(study).elements)
      <title>Mapping study: warehouse \(Self.escaped(study.hub))</title>
      <style>\(Self.style)</style></head>
      <body><main>
      <h1>Mapping study: warehouse \(Self.escaped(study.hub))</h1>
      <p>From \(UTCTime.stamp(study.span.lowerBound, decimals: 3)) to \(UTCTime.stamp(study.span.upperBound, decimals: 3)), \("reading".counted(study.count)) of \
      \("location".counted(study.spots.count)). A value holds until the next one, but at most for three periods of its tag.</p>
      \(figures)
      \(study.doubt.map { "<p class=\"doubt\" role=\"note\">\(Self.escaped($0))</p>" } ?? "")
      <h2>\(study.monitorsTitle)</h2>
      <ul>\(monitors.joined())</ul>
      <h2>Locations</h2>
      <div class="wide" role="region" aria-label="Locations" tabindex="0"><table><thead>\(Self.line(WarehouseStudy.columns, "th"))</thead><tbody>
      \(study.spots.map { Self.line(study.row($0), "td") }.joined(separator: "\n"))
      </tbody></table></div>
      \(excursions)
      \(rules)
      <p>MKT is the mean kinetic temperature (Haynes, with ΔH/R = 10,000 K), weighted with time. Mapping under representative \
      conditions, in summer and in winter, is what the European guidelines for good distribution practice ask for before use.</p>
      <p class="seal">\(Self.escaped(study.seal)). <code>aneroid hub map FILE --verify REPORT</code> checks \
      whether this report and the stored readings are unchanged.</p>
      </main></body></html>

      """
  }

  /// Returns a row of a table.
  private static func line(_ cells: [String], _ element: String) -> String {
    "<tr>" + cells.map { "<\(element)>\(escaped($0))</\(element)>" }.joined() + "</tr>"
  }

  /// The storage rules that were applied; empty without any.
  private var rules: String {
    guard !study.rules.isEmpty else { return "" }
    let items = study.rules.map { name, words in
      "<li><b>\(Self.escaped(name))</b>: \(Self.escaped(words))</li>"
    }
    return "<h2>Storage rules</h2><ul>\(items.joined())</ul>"
  }

  /// The table of excursions; empty without any.
  private var excursions: String {
    let rows = study.excursions
    guard !rows.isEmpty else { return "" }
    return """
      <h2>Excursions</h2>
      <div class="wide" role="region" aria-label="Excursions" tabindex="0"><table><thead>\(Self.line(WarehouseStudy.excursionColumns, "th"))</thead><tbody>
      \(rows.map { Self.line($0, "td") }.joined(separator: "\n"))
      </tbody></table></div>
      """
  }

  /// The floor plans with the highest, the lowest and the mean kinetic temperatures.
  private var figures: String {
    let placed = study.spots.filter { $0.location != nil }
    guard !placed.isEmpty else { return "" }
    return """
      <div class="plans">\(plan(placed, "Highest temperatures", \.highest.temperature))
      \(plan(placed, "Lowest temperatures", \.lowest.temperature))
      \(plan(placed, "Mean kinetic temperatures", \.kineticMean))</div>
      """
  }

  private func plan(
    _ spots: [WarehouseStudy.Spot], _ title: String,
    _ value: (MappingStudy.Location) -> Double?
  ) -> String {
    let layout = PlanLayout(spots.compactMap(\.location))
    let values = spots.compactMap { value($0.found) }
    let (low, high) = (values.min() ?? 0, values.max() ?? 1)
    let marks = spots.compactMap { spot in spot.location.map { (spot.found, layout.point($0)) } }
      .map { found, at -> String in
        let name = Self.name(found.name, layout.letters(near: at))
        let (x, y) = (Decimal.rounded(at.x, 1), Decimal.rounded(at.y, 1))
        let start = "<g transform=\"translate(\(x) \(y))\">"
        guard let number = value(found) else {
          return start + "<circle r=\"20\" fill=\"none\" stroke=\"#888\"/>\(name)</g>"
        }
        let share = high > low ? (number - low) / (high - low) : 0.5
        return start + "<circle r=\"20\" fill=\"\(Self.colour(share))\"/>"
          + "<text y=\"5\" fill=\"\(share > 0.45 ? "#fff" : "#111")\">\(Decimal.rounded(number, 1))</text>"
          + "\(name)</g>"
      }
    return
      "<figure><svg viewBox=\"0 0 \(Decimal.rounded(PlanLayout.width, 0)) \(Decimal.rounded(layout.height, 0))\" "
      + "role=\"img\" aria-label=\"\(title)\">\(marks.joined())</svg><figcaption>\(title), °C</figcaption></figure>"
  }

  /// Returns a name below its location, on two lines or truncated to avoid overlap; the element's
  /// title contains the full name.
  private static func name(_ name: String, _ letters: Int) -> String {
    let title = "<title>\(escaped(name))</title>"
    let lines = PlanLayout.lines(name, letters).enumerated().map { index, line in
      "<text y=\"\(36 + 15 * index)\">\(escaped(line))</text>"
    }
    return title + lines.joined()
  }

  /// Returns a color of one hue, from pale for low values to dark for high values, which people
  /// with color vision deficiency can distinguish.
  private static func colour(_ share: Double) -> String {
    let (pale, dark) = ([253.0, 231, 200], [140.0, 45, 4])
    let parts = zip(pale, dark).map { Int($0 + ($1 - $0) * share) }
    return "rgb(\(parts[0]),\(parts[1]),\(parts[2]))"
  }

  private static let style = """
    body{font:16px/1.45 system-ui,sans-serif;max-width:72rem;margin:1rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
    table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{text-align:left;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #c5ccd3}
    .plans{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0;flex:1 1 18rem}svg{width:100%;border:1px solid #c5ccd3}
    .doubt{border-left:.25rem solid #8c2d04;padding-left:.75rem}
    svg text{text-anchor:middle;font-size:14px}figcaption{color:#57606a}
    .seal{overflow-wrap:anywhere;color:#57606a}
    .wide{overflow-x:auto}
    @media print{.wide{overflow:visible}body{margin:0;max-width:none;font-size:11px}figure,tr{break-inside:avoid}thead{display:table-header-group}}
    """

  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}

/// What makes a changed report, or changed readings below it, detectable.
///
/// It detects damage and carelessness; who can write the file can also seal it again.
package struct ReportSeal: Equatable {
  /// The period in nanoseconds since 1970.
  package let span: Range<Int64>
  /// The number of readings, and the digest of their table.
  package let count: Int, digest: String

  /// Creates the seal of a study.
  package init(_ study: WarehouseStudy) {
    (span, count, digest) = (study.span, study.count, study.digest)
  }

  /// The reason why a report cannot be verified.
  package struct Problem: Error, CustomStringConvertible {
    package let description: String
  }

  /// Reads the seal of a report.
  ///
  /// - Throws: `Problem` if the text is no report, or if it was changed.
  package init(reading html: String) throws(Problem) {
    guard let mark = html.range(of: Self.mark, options: .backwards) else {
      throw Problem(description: "it is no report of 'aneroid hub map', or its end is missing")
    }
    guard html == Self.sealed(String(html[..<mark.lowerBound])) else {
      throw Problem(description: "it was changed after it was written")
    }
    func content(_ name: String) -> Substring? {
      guard let start = html.range(of: "<meta name=\"aneroid-\(name)\" content=\"") else {
        return nil
      }
      return html[start.upperBound...].prefix { $0 != "\"" }
    }
    guard let from = content("from").flatMap({ Int64($0) }),
      let to = content("to").flatMap({ Int64($0) }), from < to,
      let count = content("readings").flatMap({ Int($0) }), let digest = content("digest")
    else { throw Problem(description: "it does not contain its period and its readings") }
    (span, self.count, self.digest) = (from..<to, count, String(digest))
  }

  /// The elements in the head of a report.
  var elements: String {
    [
      ("from", "\(span.lowerBound)"), ("to", "\(span.upperBound)"), ("readings", "\(count)"),
      ("digest", digest),
    ].map { "<meta name=\"aneroid-\($0)\" content=\"\($1)\">" }.joined(separator: "\n")
  }

  private static let mark = "<!-- SHA-256 of the lines above: "

  /// Returns a document with a last line that contains its digest.
  static func sealed(_ document: String) -> String {
    document + mark + SHA256.digits(document) + " -->\n"
  }
}

/// The layout of locations on a drawing of a given width, with the space available for their names.
struct PlanLayout {
  /// The width of the drawing.
  static let width = 520.0
  /// The margin around the outermost locations, for names and circles.
  private static let (side, top, bottom) = (66.0, 34.0, 66.0)

  private let origin: (x: Double, y: Double)
  private let start, scale: Double
  /// The positions of the locations on the drawing.
  private let points: [(x: Double, y: Double)]
  /// The height of the drawing.
  let height: Double

  /// Creates a layout of locations in meters; both axes have the same scale, which preserves the proportions of the
  /// plan.
  init(_ locations: [(x: Double, y: Double)]) {
    let (xs, ys) = (locations.map(\.x), locations.map(\.y))
    let origin = (x: xs.min() ?? 0, y: ys.min() ?? 0)
    let (wide, high) = ((xs.max() ?? 0) - origin.x, (ys.max() ?? 0) - origin.y)
    let room = Self.width - 2 * Self.side
    let scales = [wide > 0 ? room / wide : nil, high > 0 ? 480 / high : nil].compactMap(\.self)
    let scale = scales.min() ?? 1
    let start = Self.side + (room - wide * scale) / 2
    (self.origin, self.scale, self.start) = (origin, scale, start)
    height = Self.top + high * scale + Self.bottom
    points = locations.map { location in
      (start + (location.x - origin.x) * scale, Self.top + (location.y - origin.y) * scale)
    }
  }

  /// Returns the position of a location on the drawing.
  func point(_ location: (x: Double, y: Double)) -> (x: Double, y: Double) {
    (start + (location.x - origin.x) * scale, Self.top + (location.y - origin.y) * scale)
  }

  /// Returns the number of letters of a name that fit between a point and its neighbors.
  func letters(near point: (x: Double, y: Double)) -> Int {
    let distances = points.filter { abs($0.y - point.y) < 70 && $0.x != point.x }
      .map { abs($0.x - point.x) }
    return max(3, Int(min(distances.min() ?? .infinity, 2 * Self.side) / 7.5))
  }

  /// Splits a name into one or two lines; text that does not fit is replaced by an ellipsis.
  static func lines(_ name: String, _ letters: Int) -> [String] {
    func clipped(_ text: String) -> String {
      text.count <= letters ? text : String(text.prefix(max(1, letters - 1))) + "…"
    }
    guard name.count > letters else { return [name] }
    // The first line is split at the last break at which it fits.
    let breaks = name.indices.filter { " -_".contains(name[$0]) }
    let fitting = breaks.last { name.distance(from: name.startIndex, to: $0) < letters }
    guard let fitting else {
      let rest = String(name.dropFirst(letters))
      return [String(name.prefix(letters)), clipped(rest)]
    }
    let first = name[fitting] == " " ? name[..<fitting] : name[...fitting]
    return [String(first), clipped(String(name[name.index(after: fitting)...]))]
  }
}
