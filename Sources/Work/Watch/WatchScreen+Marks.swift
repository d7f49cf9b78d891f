import Text

extension WatchScreen {
  /// The lines of names below a graph: each mark at its moment, its name where there is room for it.
  ///
  /// The youngest marks get their names first; a mark without room for its name keeps its point in the first line.
  ///
  /// - Parameters:
  ///   - begin: the time in seconds at the left end of the graph.
  ///   - end: the time at its right end.
  ///   - columns: how wide it is.
  ///   - most: how many lines there may be.
  /// - Returns: the lines, none where nothing is marked; and whether every mark has its whole name.
  func marks(
    from begin: Double, to end: Double, columns: Int, most: Int
  ) -> (lines: [String], isWhole: Bool) {
    var lanes: [[Character]] = []
    var isWhole = true
    let blank = Array(repeating: Character(" "), count: columns)
    /// Puts a text where it and a blank on both its sides are free.
    func put(_ text: [Character], at start: Int) -> Bool {
      for lane in 0..<most {
        if lane == lanes.count { lanes.append(blank) }
        let around = max(start - 1, 0)..<min(start + text.count + 1, columns)
        guard lanes[lane][around].allSatisfy({ $0 == " " }) else { continue }
        lanes[lane].replaceSubrange(start..<(start + text.count), with: text)
        return true
      }
      return false
    }
    let seen = state.marks.filter { $0.time >= begin && $0.time <= end }
    for mark in seen.reversed() {
      let here = min(Int((mark.time - begin) / (end - begin) * Double(columns)), columns - 1)
      let room = max(columns / 2 - 1, 12)
      let name = mark.name.count > room ? mark.name.prefix(room - 1) + "…" : mark.name[...]
      // To the right of its point, else to the left.
      let isNamed =
        here + 1 + name.count <= columns && put(Array("▲\(name)"), at: here)
        || here >= name.count && put(Array("\(name)▲"), at: here - name.count)
      if isNamed {
        isWhole = isWhole && name.count == mark.name.count
      } else {
        isWhole = false
        if lanes.isEmpty { lanes.append(blank) }
        if lanes[0][here] == " " { lanes[0][here] = "▲" }
      }
    }
    return (lanes.map { String($0) }, isWhole)
  }

  /// A page of the marks in place of the watch: when, and what; the youngest first.
  ///
  /// - Parameters:
  ///   - page: which, from 0 on; after the last comes the first.
  ///   - width: the columns that there are.
  ///   - room: the rows that there are.
  /// - Returns: its lines.
  func list(page: Int, _ width: Int, _ room: Int) -> [Line] {
    guard !state.marks.isEmpty else { return wrapped("nothing is marked yet", width, .faint) }
    let pages = markPages(width, room)
    return pages[page % pages.count]
  }

  /// The pages of all marks.
  func markPages(_ width: Int, _ room: Int) -> [[Line]] {
    Self.pages(
      of: state.marks.reversed().map {
        wrapped("\(clock($0.time, isShort: true))  \($0.name)", width)
      }, room)
  }

  /// Pages of blocks of lines, none of which is divided.
  static func pages(of blocks: [[Line]], _ room: Int) -> [[Line]] {
    var pages: [[Line]] = [[]]
    for block in blocks {
      if pages[pages.count - 1].count + block.count > room { pages.append([]) }
      pages[pages.count - 1] += block
    }
    return pages
  }
}
