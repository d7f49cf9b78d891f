/// One run of a model over one domain: a file, opened.
package final class ModelFile: Sendable {
  /// How long weather that lies at the same hours again and again is repeated for, in seconds.
  static let horizon = 180 * 3600

  /// The file.
  package let file: NetCDFFile
  /// Where its points lie.
  package let grid: Grid
  /// When the run began, in seconds since 1970.
  package let reference: Int
  /// The moments of its steps, in seconds since 1970, rising.
  package let times: [Int]
  /// Whether the weather in it is invented.
  package let isSynthetic: Bool

  let sources: [Field: FieldSource]
  /// For each step of ``times``, the step of the file.
  let steps: [Int]
  /// For each step of ``times``, the time over which its rain counts.
  let spans: [RainSpan]
  /// How rain is counted, and by what that is known; `nil` for a file without rain.
  let rain: (kind: RainKind, evidence: String)?
  /// The variables that describe the grid and the times.
  let describing: [String]

  /// Opens what a file says.
  ///
  /// - Throws: ``ForecastFileError`` for a file without a grid, a field or a calendar that is understood.
  package convenience init(_ file: NetCDFFile) throws(ForecastFileError) {
    let variables = try file.variables()
    let grid = try GridReader(file: file, variables: variables).grid()
    let time = try TimeReader(file: file, variables: variables).axis()
    let finder = FieldFinder(file: file, variables: variables, grid: grid, time: time)
    var sources: [Field: FieldSource] = [:]
    for field in Field.allCases { sources[field] = try finder.source(of: field) }
    // Showers are apart from the rain of WRF alone; other models' rain is all of it.
    if sources[.rain]?.variable != "RAINNC" { sources[.convectiveRain] = nil }
    guard sources.keys.contains(where: { $0 != .elevation }) else {
      throw ForecastFileError(
        file: file.name,
        reason: try finder.misplaced()
          ?? "it has no field that is known; wanted are variables with a standard_name such as "
          + "air_temperature, on the file's grid")
    }
    var rain: (kind: RainKind, evidence: String)?
    if let source = sources[.rain] {
      rain = try RainReader(file: file, source: source, time: time, grid: grid).kind()
    }
    let spans = (rain?.kind ?? .perStep).spans(
      time.times, reference: time.reference, bounds: time.bounds)
    self.init(
      file, grid.grid, time.reference ?? time.times[0], (time.times, Array(time.times.indices)),
      sources, (rain, spans), isSynthetic: file.text("synthetic") == "yes",
      describing: grid.variables + time.variables)
  }

  private init(
    _ file: NetCDFFile, _ grid: Grid, _ reference: Int, _ axis: (times: [Int], steps: [Int]),
    _ sources: [Field: FieldSource],
    _ rain: (kind: (kind: RainKind, evidence: String)?, spans: [RainSpan]), isSynthetic: Bool,
    describing: [String]
  ) {
    (self.file, self.grid, self.reference) = (file, grid, reference)
    (times, steps, self.sources) = (axis.times, axis.steps, sources)
    (self.rain, spans) = (rain.kind, rain.spans)
    (self.isSynthetic, self.describing) = (isSynthetic, describing)
  }

  /// A run that begins at another time with what this one holds for that hour, when its weather is repeated.
  ///
  /// - Parameters:
  ///   - reference: when the run begins, in seconds since 1970, on a full hour.
  ///   - period: after how many seconds the weather is the same again; the file has at least as much.
  /// - Returns: the run; `nil` where the file does not hold all of its hours.
  package func repeated(from reference: Int, every period: Int) -> ModelFile? {
    guard let first = times.first, times.count > 1 else { return nil }
    let step = times[1] - first
    // The small domains of a model are computed for three days only.
    let length = times[times.count - 1] - first >= Self.horizon ? Self.horizon : 72 * 3600
    guard step > 0, (reference - first) % step == 0 else { return nil }
    var (moments, rows): ([Int], [Int]) = ([], [])
    for offset in stride(from: 0, through: length, by: step) {
      let row = CivilTime.modulo(reference + offset - first, period) / step
      guard row < times.count else { return nil }
      moments.append(reference + offset)
      rows.append(row)
    }
    return ModelFile(
      file, grid, reference, (moments, rows), sources,
      (rain, (rain?.kind ?? .perStep).spans(moments, reference: nil, bounds: nil)),
      isSynthetic: isSynthetic, describing: describing)
  }

  /// The height of the model's ground at a place in m; `nil` where the file does not tell.
  package func elevation(in cell: GridCell) -> Double? {
    guard let source = sources[.elevation] else { return nil }
    guard let values = try? source.points(cell, times: 1, in: file), values.count >= 4 else {
      return nil
    }
    let height = cell.value((values[0], values[1], values[2], values[3]))
    return height.isFinite ? height : nil
  }
}
