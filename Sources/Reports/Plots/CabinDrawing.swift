package import Environment
package import Support

/// A drawing of a cabin: its modules as boxes, its hatches as lines between them, and the modules
/// suspected of a leak shaded.
package struct CabinDrawing {
  /// The location of a module in the drawing, in boxes from the upper left.
  fileprivate struct Spot: Hashable {
    var column: Int, row: Int

    func distance(to other: Spot) -> Int { abs(column - other.column) + abs(row - other.row) }

    /// Returns the spots between this one and another, along the row of this one and then along the
    /// column of the other.
    func path(to other: Spot) -> [Spot] {
      let across = (min(column, other.column)...max(column, other.column)).map {
        Spot(column: $0, row: row)
      }
      let down = (min(row, other.row)...max(row, other.row)).map {
        Spot(column: other.column, row: $0)
      }
      return Array(Set(across + down)).filter { $0 != self && $0 != other }
    }
  }

  private let plan: CabinPlan
  private let isOpen: [Bool]
  private let sensors: Set<Int>
  private let suspects: Set<Int>
  private let spots: [Spot]

  /// The locations of the modules of a plan, which are computed once for all drawings of it.
  package struct Layout: Sendable {
    fileprivate let spots: [Spot]

    /// Places joined modules next to each other as far as possible.
    package init(_ plan: CabinPlan) { spots = CabinDrawing.layout(plan) }
  }

  /// Creates a drawing.
  ///
  /// - Parameters:
  ///   - plan: the modules and hatches.
  ///   - isOpen: the state of each hatch.
  ///   - sensors: the indices of the modules with a barometer.
  ///   - suspects: the indices of the modules that may contain the leak; empty for none.
  ///   - layout: the locations of the modules. Default: computed.
  package init(
    _ plan: CabinPlan, isOpen: [Bool], sensors: Set<Int>, suspects: Set<Int>,
    layout: Layout? = nil
  ) {
    (self.plan, self.isOpen, self.sensors, self.suspects) = (plan, isOpen, sensors, suspects)
    spots = (layout ?? Layout(plan)).spots
  }

  /// Places joined modules next to each other as far as possible.
  private static func layout(_ plan: CabinPlan) -> [Spot] {
    var spots = plan.modules.indices.map { Spot(column: $0 % 4, row: $0 / 4) }
    guard spots.count > 1 else { return spots }
    let side = Int(Double(spots.count).squareRoot().rounded(.up)) + 1
    /// The sum of the gaps between joined modules; a line through another module costs more.
    func cost(_ spots: [Spot]) -> Int {
      var sum = 0
      for hatch in plan.hatches {
        let (one, other) = (spots[hatch.one], spots[hatch.other])
        let isStraight = one.column == other.column || one.row == other.row
        let crossed = one.path(to: other).count { spots.contains($0) }
        sum += 10 * (one.distance(to: other) - 1) + (isStraight ? 0 : 15) + 60 * crossed
      }
      // A compact drawing, wide rather than high.
      return sum + (spots.map(\.row).max() ?? 0) * 2 + (spots.map(\.column).max() ?? 0)
    }
    // The same plan always has the same drawing.
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var (best, least) = (spots, cost(spots))
    var current = least
    let rounds = min(4000, 400 * spots.count)
    for round in 0..<rounds {
      var next = spots
      let module = random(spots.count)
      let spot = Spot(column: random(side + 1), row: random(side))
      if let other = next.firstIndex(of: spot) { next[other] = next[module] }
      next[module] = spot
      let found = cost(next)
      // At first a worse drawing is accepted too, so that the search does not end in a bad one.
      guard found <= current + (rounds - round) * 12 / rounds else { continue }
      (spots, current) = (next, found)
      if found < least { (best, least) = (next, found) }
    }
    let (left, top) = (best.map(\.column).min() ?? 0, best.map(\.row).min() ?? 0)
    return best.map { Spot(column: $0.column - left, row: $0.row - top) }
  }

  // MARK: Terminal

  /// Returns the drawing for a terminal.
  ///
  /// - Parameters:
  ///   - columns: the available columns.
  ///   - rows: the available rows.
  ///   - style: the style of the terminal.
  /// - Returns: the lines and their widths; a list of the hatches if the drawing does not fit.
  package func lines(columns: Int, rows: Int, _ style: Style) -> [(text: String, width: Int)] {
    let inner = min(max(plan.modules.map(\.name.count).max() ?? 1, 4) + 3, 16)
    let (width, height) = (inner + 2 + 5, 4)
    let across = ((spots.map(\.column).max() ?? 0) + 1) * width - 5
    let down = ((spots.map(\.row).max() ?? 0) + 1) * height - 1
    guard across <= columns, down <= rows else { return list(columns, style) }
    var canvas = Canvas(columns: across, rows: down)
    for (index, hatch) in plan.hatches.enumerated() {
      let (one, other) = (spots[hatch.one], spots[hatch.other])
      let middle = { (spot: Spot) in
        (column: spot.column * width + (inner + 2) / 2, row: spot.row * height + 1)
      }
      canvas.connect(middle(one), middle(other), isOpen: isOpen[index])
    }
    for (index, module) in plan.modules.enumerated() {
      let isSuspect = suspects.contains(index)
      let name =
        (sensors.contains(index) ? "●" : " ") + String(module.name.visible.prefix(inner - 2))
      canvas.box(
        column: spots[index].column * width, row: spots[index].row * height, inner: inner,
        name: name, fill: isSuspect ? "░" : " ", look: isSuspect ? .red : nil)
    }
    return canvas.lines(style).map { ($0, across) }
  }

  /// The explanation of the signs in a drawing for a terminal.
  package static let legend = "● barometer  ░ may leak  ── open hatch  ─╳─ closed hatch"

  /// Lists the hatches, for a terminal that is too small for the drawing.
  private func list(_ columns: Int, _ style: Style) -> [(text: String, width: Int)] {
    func name(_ module: Int) -> String {
      (sensors.contains(module) ? "●" : "") + plan.modules[module].name.visible
        + (suspects.contains(module) ? "░" : "")
    }
    return plan.hatches.indices.map { index in
      let hatch = plan.hatches[index]
      let line = "\(name(hatch.one)) \(isOpen[index] ? "──" : "─╳─") \(name(hatch.other))"
      let text = String(line.prefix(columns))
      let isSuspect = suspects.contains(hatch.one) || suspects.contains(hatch.other)
      return (isSuspect ? style(.red, text) : text, text.count)
    }
  }

  /// A rectangle of characters, each with a colour.
  private struct Canvas {
    private var cells: [[(character: Character, look: Style.Look?)]]

    init(columns: Int, rows: Int) {
      cells = Array(repeating: Array(repeating: (" ", nil), count: columns), count: rows)
    }

    private mutating func put(
      _ character: Character, _ column: Int, _ row: Int, _ look: Style.Look?
    ) {
      guard cells.indices.contains(row), cells[row].indices.contains(column) else { return }
      cells[row][column] = (character, look)
    }

    /// Draws a line with at most one corner, and a cross on a closed hatch.
    mutating func connect(
      _ one: (column: Int, row: Int), _ other: (column: Int, row: Int), isOpen: Bool
    ) {
      let look: Style.Look? = isOpen ? nil : .yellow
      let (low, high) = (min(one.column, other.column), max(one.column, other.column))
      for column in low...high { put("─", column, one.row, look) }
      let (top, bottom) = (min(one.row, other.row), max(one.row, other.row))
      if top != bottom {
        for row in top...bottom { put("│", other.column, row, look) }
        if low != high {
          let isRight = other.column > one.column
          let isDown = other.row > one.row
          put(isRight ? (isDown ? "┐" : "┘") : (isDown ? "┌" : "└"), other.column, one.row, look)
        }
      }
      guard !isOpen else { return }
      // In the gap next to the second module.
      if top == bottom {
        put("╳", (low + high + 1) / 2, one.row, look)
      } else {
        put("╳", other.column, other.row > one.row ? other.row - 2 : other.row + 2, look)
      }
    }

    mutating func box(
      column: Int, row: Int, inner: Int, name: String, fill: Character, look: Style.Look?
    ) {
      let edge = String(repeating: "─", count: inner)
      let room = inner - name.count
      let text = name + String(repeating: fill, count: max(room, 0))
      for (offset, line) in ["┌\(edge)┐", "│\(text)│", "└\(edge)┘"].enumerated() {
        for (index, character) in line.enumerated() {
          put(character, column + index, row + offset, look)
        }
      }
    }

    func lines(_ style: Style) -> [String] {
      cells.map { row in
        var (text, run) = ("", "")
        var look: Style.Look?
        for cell in row + [(" ", nil)] {
          if cell.look != look {
            text += look.map { style($0, run) } ?? run
            (run, look) = ("", cell.look)
          }
          run.append(cell.character)
        }
        return text + String(run.dropLast())
      }
    }
  }

  // MARK: Page

  /// The drawing as an SVG element.
  package var svg: String {
    let (width, height, gap) = (150.0, 72.0, 40.0)
    let across = Double((spots.map(\.column).max() ?? 0) + 1) * (width + gap) - gap + 4
    let down = Double((spots.map(\.row).max() ?? 0) + 1) * (height + gap) - gap + 4
    func middle(_ index: Int) -> (x: Double, y: Double) {
      (
        2 + Double(spots[index].column) * (width + gap) + width / 2,
        2 + Double(spots[index].row) * (height + gap) + height / 2
      )
    }
    func text(_ number: Double) -> String { Decimal.fixed(number, 1) }
    var shapes = ""
    for (index, hatch) in plan.hatches.enumerated() {
      let (one, other) = (middle(hatch.one), middle(hatch.other))
      let look = isOpen[index] ? "" : " stroke-dasharray=\"3 6\""
      shapes +=
        "<path d=\"M\(text(one.x)) \(text(one.y))H\(text(other.x))V\(text(other.y))\" fill=\"none\" "
        + "stroke=\"var(--soft)\" stroke-width=\"8\" stroke-linejoin=\"round\"\(look)/>\n"
    }
    for (index, module) in plan.modules.enumerated() {
      let place = middle(index)
      let isSuspect = suspects.contains(index)
      shapes +=
        "<rect x=\"\(text(place.x - width / 2))\" y=\"\(text(place.y - height / 2))\" "
        + "width=\"\(text(width))\" height=\"\(text(height))\" rx=\"14\" fill=\"var(--card)\" "
        + "stroke=\"var(--\(isSuspect ? "bad" : "soft"))\" stroke-width=\"\(isSuspect ? 4 : 2)\"/>\n"
      if isSuspect {
        shapes +=
          "<rect x=\"\(text(place.x - width / 2))\" y=\"\(text(place.y - height / 2))\" "
          + "width=\"\(text(width))\" height=\"\(text(height))\" rx=\"14\" fill=\"var(--storm)\"/>\n"
      }
      let lines = [
        module.name, "\(Decimal.shortest(module.volume)) m³",
        sensors.contains(index) ? "barometer" : nil,
      ].compactMap { $0 }
      for (number, line) in lines.enumerated() {
        let y = place.y + 5 + 18 * (Double(number) - Double(lines.count - 1) / 2)
        shapes +=
          "<text x=\"\(text(place.x))\" y=\"\(text(y))\" text-anchor=\"middle\" "
          + "style=\"font-size:15px\"\(number == 0 ? " font-weight=\"600\"" : "")>\(XML.escaped(line))</text>\n"
      }
    }
    let names = suspects.sorted().map { plan.modules[$0].name }.joined(separator: ", ")
    let label = names.isEmpty ? "the modules of the cabin" : "suspected of the leak: \(names)"
    return "<svg class=\"plot\" viewBox=\"0 0 \(Int(across)) \(Int(down))\" "
      + "style=\"max-width:\(Int(across))px\" role=\"img\" aria-label=\"\(XML.escaped(label))\">\n"
      + "\(shapes)</svg>"
  }
}
