import Reports
import Support

/// The self-contained HTML page of a campaign's results, without scripts.
struct CampaignPage {
  private let summary: CampaignSummary
  /// Returns the command that repeats a run.
  private let command: (Int) -> String

  init(_ summary: CampaignSummary, _ command: @escaping (Int) -> String) {
    (self.summary, self.command) = (summary, command)
  }

  /// The text of the page.
  var html: String {
    let header = summary.header
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
      <title>\(escaped(header.name)): \(summary.outcomes.count) runs</title>
      <style>\(PageStyle.page)\(Self.style)</style></head>
      <body><main>
      <h1>\(escaped(header.name))</h1>
      \(head)\(distributions)\(groups)\(messages)
      <footer>aneroid \(Version.text), campaign SHA-256 \(header.digest.prefix(16))…</footer>
      </main></body></html>

      """
  }

  private static let style = """
    .bars{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:.6rem;padding:.4rem}
    .bars rect{fill:var(--pressure,#2a6fb0)}.bars text{fill:var(--soft);font:13px system-ui,sans-serif}
    .bars line{stroke:var(--line)}.bars .middle{stroke:var(--ink);stroke-dasharray:4 4}
    code{font:13px/1.45 ui-monospace,monospace;overflow-wrap:anywhere}
    @media(max-width:30rem){.bars text{font-size:24px}}

    """

  private func escaped(_ text: String) -> String { XML.escaped(text) }

  private func share(_ count: Int, _ of: Int) -> String {
    of == 0 ? "" : " (\(Decimal.rounded(100 * Double(count) / Double(of), 2)) %)"
  }

  private var head: String {
    let all = summary.outcomes
    let look = all.failed + all.errors == 0 ? "ok" : all.errors == 0 ? "bad" : "warn"
    var rows = [
      ("runs", Self.number(all.count)),
      ("passed", Self.number(all.passed) + share(all.passed, all.count)),
      ("failed", Self.number(all.failed) + share(all.failed, all.count)),
    ]
    if all.errors > 0 {
      rows.append(("impossible", Self.number(all.errors) + share(all.errors, all.count)))
    }
    rows.append(("file", escaped(summary.header.campaign)))
    let verdict =
      all.failed + all.errors == 0
      ? "all passed" : "\(Self.number(all.failed + all.errors)) did not pass"
    return """
      <p><span class="verdict \(look)">\(verdict)</span></p>
      <dl>\(rows.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" }.joined())</dl>

      """
  }

  /// Returns a number with a space between groups of three digits.
  private static func number(_ count: Int) -> String {
    var digits = "\(count)"
    var groups: [Substring] = []
    while digits.count > 3 {
      groups.insert(digits.suffix(3), at: 0)
      digits.removeLast(3)
    }
    return ([digits[...]] + groups).joined(separator: "\u{202F}")
  }

  private static func short(_ number: Double) -> String {
    let size = abs(number)
    let decimals =
      size >= 1000 || number == number.rounded() ? 0 : size >= 10 ? 2 : size >= 0.1 ? 4 : 7
    return Decimal.rounded(number, decimals)
  }

  // MARK: Distributions

  private var distributions: String {
    summary.distributions.filter { $0.count > 0 }.map { distribution in
      let names = ["minimum"] + CampaignSummary.shares.map { Self.name($0) } + ["maximum", "mean"]
      let values =
        [distribution.minimum] + distribution.quantiles + [distribution.maximum, distribution.mean]
      let missing = summary.outcomes.count - distribution.count
      let note =
        missing > 0 ? "<p class=\"soft\">\(Self.number(missing)) runs without a value</p>" : ""
      return """
        <h2>\(escaped(distribution.name))</h2>
        \(distribution.histogram.map { bars($0, distribution) } ?? "")\(note)
        <div class="scroll"><table class="numbers"><thead><tr>\(names.map { "<th>\($0)</th>" }.joined())</tr></thead>
        <tbody><tr>\(zip(names, values).map { "<td data-label=\"\($0)\">\(Self.short($1))</td>" }.joined())</tr></tbody></table></div>
        \(worst(distribution))
        """
    }.joined()
  }

  private static func name(_ share: Double) -> String {
    share == 0.5 ? "median" : "\(Decimal.shortest(share * 100)) %"
  }

  private func worst(_ distribution: CampaignSummary.Distribution) -> String {
    guard !distribution.worst.isEmpty else { return "" }
    let rows = distribution.worst.map {
      "<tr><td>\($0.run)</td><td>\(Self.short($0.number))</td><td><code>\(escaped(command($0.run)))</code></td></tr>"
    }
    return """
      <div class="scroll"><table><thead><tr><th>worst run</th><th>value</th><th>command that repeats it</th></tr></thead>
      <tbody>\(rows.joined())</tbody></table></div>

      """
  }

  /// Returns a histogram as SVG, with a line at the median.
  private func bars(_ histogram: Histogram, _ distribution: CampaignSummary.Distribution) -> String
  {
    let (width, height, left, bottom) = (880.0, 200.0, 64.0, 34.0)
    let most = Double(histogram.counts.max() ?? 1)
    let slot = (width - left - 8) / Double(histogram.counts.count)
    func text(_ number: Double) -> String { Decimal.rounded(number, 2) }
    let rects = histogram.counts.enumerated().filter { $1 > 0 }.map { index, count in
      // A single run remains visible next to thousands.
      let size = max(Double(count) / most * (height - bottom - 14), 1.5)
      let start = histogram.start + Double(index) * histogram.width
      let range =
        histogram.isDiscrete
        ? Self.short(start + 0.5) : "\(Self.short(start)) to \(Self.short(start + histogram.width))"
      return
        "<rect x=\"\(text(left + Double(index) * slot))\" y=\"\(text(height - bottom - size))\" "
        + "width=\"\(text(max(slot - 1, 0.5)))\" height=\"\(text(size))\"><title>\(range): \("run".counted(count))</title></rect>"
    }
    let median = distribution.quantiles[CampaignSummary.shares.firstIndex(of: 0.5) ?? 0]
    let span = histogram.width * Double(histogram.counts.count)
    let middle = left + (median - histogram.start) / span * (width - left - 8)
    let end = histogram.start + span
    let edges =
      histogram.isDiscrete ? (distribution.minimum, distribution.maximum) : (histogram.start, end)
    let base = text(height - bottom)
    return """
      <figure><svg class="bars" viewBox="0 0 \(text(width)) \(text(height))" role="img" \
      aria-label="Histogram of \(escaped(distribution.name))">
      <line x1="\(text(left))" x2="\(text(width - 8))" y1="\(base)" y2="\(base)"/>
      \(rects.joined(separator: "\n"))
      <line class="middle" x1="\(text(middle))" x2="\(text(middle))" y1="8" y2="\(base)"/>
      <text x="\(text(left - 8))" y="20" text-anchor="end">\(Int(most))</text>
      <text x="\(text(left - 8))" y="\(base)" text-anchor="end">0</text>
      <text x="\(text(left))" y="\(text(height - 10))">\(Self.short(edges.0))</text>
      <text x="\(text(width - 8))" y="\(text(height - 10))" text-anchor="end">\(Self.short(edges.1))</text>
      </svg><figcaption class="soft">runs by \(escaped(distribution.name)); dashed: the median</figcaption></figure>

      """
  }

  // MARK: Keys and messages

  private var groups: String {
    summary.groups.map { group in
      let names = summary.header.measured
      let head = [group.key, "runs", "passed", "failed"] + names.map { "mean \($0)" }
      let rows = group.values.map { value in
        let cells =
          [
            value.value, Self.number(value.outcomes.count), Self.number(value.outcomes.passed),
            Self.number(value.outcomes.failed)
              + share(value.outcomes.failed, value.outcomes.count),
          ] + value.means.map { $0.map(Self.short) ?? "" }
        return "<tr>"
          + zip(head, cells).map { "<td data-label=\"\(escaped($0))\">\(escaped($1))</td>" }
          .joined()
          + "</tr>"
      }
      return """
        <h2>By \(escaped(group.key))</h2>
        <div class="scroll"><table class="numbers"><thead><tr>\(head.map { "<th>\(escaped($0))</th>" }.joined())</tr></thead>
        <tbody>\(rows.joined())</tbody></table></div>

        """
    }.joined()
  }

  private var messages: String {
    guard !summary.messages.isEmpty else { return "" }
    let rows = summary.messages.map {
      "<tr><td>\(Self.number($0.count))</td><td>\(escaped($0.text))</td><td><code>\(escaped(command($0.first)))</code></td></tr>"
    }
    let rest = summary.otherMessages
    let more = rest > 0 ? "<p class=\"soft\">\(Self.number(rest)) runs with other messages</p>" : ""
    return """
      <h2>Runs that did not pass</h2>
      <div class="scroll"><table><thead><tr><th>runs</th><th>reason</th><th>the first of them</th></tr></thead>
      <tbody>\(rows.joined())</tbody></table></div>\(more)

      """
  }
}
