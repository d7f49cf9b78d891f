/// Finds out how a file's rain is counted: by what the file says, and if it says nothing, by its values.
struct RainReader {
  let file: NetCDFFile
  let source: FieldSource
  let time: TimeReader.Found
  let grid: GridReader.Found

  /// How rain is counted, and by what that is known, in words.
  func kind() throws(ForecastFileError) -> (kind: RainKind, evidence: String) {
    if let kind = file.text("aneroid_rain", of: source.variable).flatMap(RainKind.init(word:)) {
      return (kind, "as its extract says")
    }
    let method = CellMethods(file.text("cell_methods", of: source.variable) ?? "").method(
      of: ["time", time.variable, time.dimension ?? "time"])
    let hasBounds = time.bounds != nil
    if source.isRate {
      if let method, ["mean", "sum"].contains(method), hasBounds, !time.hasRuns {
        return (.byBounds, "a mean rate by the bounds of \(time.variable)")
      }
      return (.perStep, "a rate, taken for the step that ends at its time")
    }
    if hasBounds, method == "sum" || method == nil, !isWRF {
      return (
        .byBounds,
        time.hasRuns
          ? "since the start of each time's own run" : "by the bounds of \(time.variable)"
      )
    }
    if isWRF, method != "sum" {
      return (.sinceStart, "since the start of the run, as WRF counts it")
    }
    if let method, method != "point" {
      return (.perStep, "by the step, since cell_methods says \(method)")
    }
    return try byValues()
  }

  private var isWRF: Bool { ["RAINNC", "RAINC"].contains(source.variable) }

  /// What never falls is a sum since the start; what falls only where a period begins, one of each period; all else is
  /// counted by the step.
  private func byValues() throws(ForecastFileError) -> (kind: RainKind, evidence: String) {
    let falls = try fallingSteps()
    guard !falls.isEmpty else { return (.sinceStart, "since the start of the run: it never falls") }
    let times = time.times
    let origin = time.reference ?? times[0]
    for seconds in [24, 12, 6, 3].map({ $0 * 3600 }) {
      for phase in [origin, CivilTime.startOfDay(origin)].map({ CivilTime.modulo($0, seconds) }) {
        func begins(_ index: Int) -> Bool {
          CivilTime.modulo(times[index - 1] - phase, seconds) == 0
        }
        guard falls.allSatisfy(begins),
          times.indices.dropFirst().contains(where: { !begins($0) })
        else { continue }
        return (
          .sinceMultiple(seconds: seconds, phase: phase),
          "since the last of each \(seconds / 3600) h: it falls only there"
        )
      }
    }
    return (.perStep, "by the step: it falls, so it is no sum since the start")
  }

  /// The steps at which the rain of a point is less than before, on three rows of the grid.
  private func fallingSteps() throws(ForecastFileError) -> [Int] {
    guard source.hasTime else { return [] }
    let (rows, columns) = grid.grid.shape
    let packing = abs(file.packing(of: source.variable).scale)
    let least = max(0.05, 2 * (packing == 1 ? 0 : packing) * source.scale)
    var falls: [Int] = []
    var before: [Double] = []
    for step in time.times.indices {
      var now: [Double] = []
      for row in Set([rows / 4, rows / 2, 3 * rows / 4]).sorted() {
        now += try source.row(row, columns: columns, step: step, in: file)
      }
      if zip(before, now).contains(where: { $0 - $1 > least }) { falls.append(step) }
      // A missing value is none to compare with: the last one before it is.
      before = before.isEmpty ? now : zip(before, now).map { $1.isNaN ? $0 : $1 }
    }
    return falls
  }
}

/// The attribute `cell_methods` of CF 7.3: `time: sum (interval: 1 hour) area: mean`.
struct CellMethods {
  private var methods: [String: String] = [:]

  /// Reads the attribute.
  init(_ text: String) {
    var names: [String] = []
    var depth = 0
    for word in text.split(separator: " ") {
      let wasInside = depth > 0 || word.hasPrefix("(")
      depth += word.filter { $0 == "(" }.count - word.filter { $0 == ")" }.count
      if wasInside { continue }
      // "time:sum" without a blank is written too.
      let parts = word.split(separator: ":", omittingEmptySubsequences: false)
      if parts.count == 2 { names.append(String(parts[0])) }
      let method = parts.count == 2 ? parts[1] : parts[0]
      guard !method.isEmpty, !names.isEmpty else { continue }
      for name in names { methods[name] = method.lowercased() }
      names = []
    }
  }

  /// The method along the first of some axes that it has; `nil` if it says nothing of them.
  func method(of axes: [String]) -> String? { axes.lazy.compactMap { methods[$0] }.first }
}
