import Glibc

/// One model run over one domain, read from an opened file.
package final class ModelFile: Sendable {
  /// The length in seconds of the runs for which the weather of the sample is repeated.
  static let horizon = 180 * 3600

  package let file: NetCDFFile
  package let grid: Grid
  /// The start of the run, in seconds since 1970.
  package let reference: Int
  /// The times of the run's steps in seconds since 1970, ascending.
  package let times: [Int]
  /// `true` if the weather is synthetic.
  package let isSynthetic: Bool

  let sources: [Field: FieldSource]
  /// For each of `times`, the index of its step in the file.
  let steps: [Int]
  /// The accumulation period of the rain at each of `times`.
  let spans: [RainSpan]
  /// The kind of rain accumulation, with the evidence for it; `nil` for a file without rain.
  let rain: RainFinding?
  /// The start of the run as the file declares it; `nil` if it does not.
  let declaredReference: Int?
  /// The files of a run that comes in several, in order of their times; empty for a run in one file.
  let parts: [ModelFile]
  /// The names of the variables that define the grid and the times.
  let describing: [String]
  /// The other variables on the grid, of no known name, each with its unit: `T_max (K)`.
  package let unused: [String]

  /// Interprets an opened file.
  ///
  /// - Throws: `ForecastFileError` if the file has no supported grid, field or calendar.
  package convenience init(_ file: NetCDFFile) throws(ForecastFileError) {
    let variables = try file.variables()
    let grid = try GridReader(file: file, variables: variables).grid()
    let time = try TimeReader(file: file, variables: variables).axis()
    let finder = FieldFinder(file: file, variables: variables, grid: grid, time: time)
    var sources: [Field: FieldSource] = [:]
    for field in Field.allCases { sources[field] = try finder.source(of: field) }
    // Only WRF accumulates convective rain separately; in other models, the rain includes it.
    if sources[.rain]?.variable != "RAINNC" { sources[.convectiveRain] = nil }
    guard sources.keys.contains(where: { $0 != .elevation }) else {
      let others = try finder.unused(by: sources).joined(separator: ", ")
      throw ForecastFileError(
        file: file.name,
        reason: try finder.misplaced()
          ?? "it has no known field; required are variables with a standard_name such as "
          + "air_temperature, on the file's grid"
          + (others.isEmpty ? "" : " (on the grid, but unknown: \(others))"))
    }
    var rain: RainFinding?
    if let source = sources[.rain] {
      rain = try RainReader(file: file, source: source, time: time, grid: grid).finding()
    }
    let spans = (rain?.kind ?? .perStep).spans(
      time.times, reference: time.reference, bounds: time.bounds)
    self.init(
      file, grid.grid, time.reference ?? time.times[0], (time.times, Array(time.times.indices)),
      sources, (rain, spans), isSynthetic: file.text("synthetic") == "yes",
      describing: grid.variables + time.variables, unused: try finder.unused(by: sources),
      declaredReference: time.reference)
  }

  private init(
    _ file: NetCDFFile, _ grid: Grid, _ reference: Int, _ axis: (times: [Int], steps: [Int]),
    _ sources: [Field: FieldSource],
    _ rain: (kind: RainFinding?, spans: [RainSpan]), isSynthetic: Bool,
    describing: [String], unused: [String], declaredReference: Int?, parts: [ModelFile] = []
  ) {
    (self.file, self.grid, self.reference) = (file, grid, reference)
    (times, steps, self.sources) = (axis.times, axis.steps, sources)
    (self.rain, spans) = (rain.kind, rain.spans)
    (self.isSynthetic, self.describing, self.unused) = (isSynthetic, describing, unused)
    (self.declaredReference, self.parts) = (declaredReference, parts)
  }

  /// Returns a run that starts at a different time, with the values of this run at the same hour of
  /// its periodic weather.
  ///
  /// - Parameters:
  ///   - reference: The start of the run in seconds since 1970, on a full hour.
  ///   - period: The period of the weather in seconds, which must not be longer than the file.
  /// - Returns: The run; `nil` if the file does not contain all of the run's hours.
  package func repeated(from reference: Int, every period: Int) -> ModelFile? {
    guard let first = times.first, times.count > 1 else { return nil }
    let step = times[1] - first
    // The small domains of the model cover only three days.
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
      isSynthetic: isSynthetic, describing: describing, unused: unused,
      declaredReference: declaredReference)
  }

  /// Returns the elevation of the model's surface at a point in m; `nil` if the file does not contain it.
  package func elevation(in cell: GridCell) -> Double? {
    if !parts.isEmpty { return parts.lazy.compactMap { $0.elevation(in: cell) }.first }
    guard let source = sources[.elevation] else { return nil }
    guard let values = try? source.points(cell, times: 1, in: file), values.count >= 4 else {
      return nil
    }
    let height = cell.value((values[0], values[1], values[2], values[3]))
    return height.isFinite ? height : nil
  }
}

extension ModelFile {
  /// Reads the forecast for a point; returns `nil` if the grid has no cell around the point.
  ///
  /// - Throws: `ForecastFileError`, for example if the file was overwritten in the meantime.
  package func column(at location: GeoPoint) throws(ForecastFileError) -> Column? {
    guard let cell = grid.cell(around: location) else { return nil }
    var fields: [Field: [Double]] = [:]
    for field in sources.keys where field != .elevation {
      fields[field] = try corners(field, in: cell).map(cell.value)
    }
    if let (east, north) = try windOfSpeedAndDirection(in: cell) {
      (fields[.windEast], fields[.windNorth]) = (east, north)
    }
    if file.wasOverwritten || parts.contains(where: \.file.wasOverwritten) {
      throw ForecastFileError(
        file: file.name, reason: "it was overwritten while it was read", wasReplaced: true)
    }
    let height = elevation(in: cell)
    var values = [[Float]](repeating: [], count: Column.Quantity.allCases.count)
    func set(_ quantity: Column.Quantity, _ series: [Double]?) {
      values[quantity.rawValue] = (series ?? []).map { Float($0) }
    }
    set(.temperature, fields[.temperature])
    set(
      .humidity,
      fields[.humidity]?.map { $0.isNaN ? .nan : min(100, max(0, $0)) } ?? humidity(fields))
    set(.cloud, fields[.cloud]?.map { $0.isNaN ? .nan : min(100, max(0, $0)) })
    set(.surfacePressure, fields[.surfacePressure])
    set(.seaLevelPressure, fields[.seaLevelPressure] ?? reduced(fields, height))
    let wind = wind(fields, cell)
    set(.windSpeed, wind?.speed)
    set(.windDirection, wind?.direction)
    set(.windGust, fields[.windGust])
    return Column(
      times: times, size: cell.size, reference: reference, elevation: height,
      isSynthetic: isSynthetic, values: values, rain: rain(fields))
  }

  /// Reads a field at the four corners of a cell, at all steps and in the internal unit; NaN where a part of the run lacks it.
  private func corners(_ field: Field, in cell: GridCell) throws(ForecastFileError)
    -> [(Double, Double, Double, Double)]
  {
    if !parts.isEmpty {
      var all: [(Double, Double, Double, Double)] = []
      for part in parts { all += try part.corners(field, in: cell) }
      return all
    }
    guard let source = sources[field] else {
      return Array(repeating: (.nan, .nan, .nan, .nan), count: times.count)
    }
    let count = source.hasTime ? (steps.max() ?? 0) + 1 : 1
    let numbers = try source.points(cell, times: count, in: file)
    let flat = (0..<count).map { step in
      let first = 4 * step
      return (numbers[first], numbers[first + 1], numbers[first + 2], numbers[first + 3])
    }
    return source.hasTime ? steps.map { flat[$0] } : flat
  }

  /// Converts wind speed and direction to a vector at each corner, because directions such as 350°
  /// and 10° cannot be averaged.
  private func windOfSpeedAndDirection(in cell: GridCell) throws(ForecastFileError) -> (
    east: [Double], north: [Double]
  )? {
    guard sources[.windEast] == nil, sources[.windSpeed] != nil, sources[.windFrom] != nil
    else { return nil }
    var (east, north): ([Double], [Double]) = ([], [])
    for (s, d) in zip(try corners(.windSpeed, in: cell), try corners(.windFrom, in: cell)) {
      let angle = (d.0 * .pi / 180, d.1 * .pi / 180, d.2 * .pi / 180, d.3 * .pi / 180)
      east.append(
        cell.value(
          (-s.0 * sin(angle.0), -s.1 * sin(angle.1), -s.2 * sin(angle.2), -s.3 * sin(angle.3))))
      north.append(
        cell.value(
          (-s.0 * cos(angle.0), -s.1 * cos(angle.1), -s.2 * cos(angle.2), -s.3 * cos(angle.3))))
    }
    return (east, north)
  }

  private func wind(_ fields: [Field: [Double]], _ cell: GridCell) -> (
    speed: [Double], direction: [Double]
  )? {
    if let along = fields[.windEast], let across = fields[.windNorth] {
      let turn = sources[.windEast]?.alongGrid == true ? cell.turn : 0
      let directions = zip(along, across).map { x, y in
        let east = x * cos(turn) - y * sin(turn)
        let north = x * sin(turn) + y * cos(turn)
        return fmod(atan2(-east, -north) * 180 / .pi + 360, 360)
      }
      return (zip(along, across).map { ($0 * $0 + $1 * $1).squareRoot() }, directions)
    }
    guard let speed = fields[.windSpeed] else { return nil }
    return (speed, [])
  }

  /// Computes the humidity from the dew point, or from the water content together with pressure and
  /// temperature.
  private func humidity(_ fields: [Field: [Double]]) -> [Double]? {
    guard let temperature = fields[.temperature] else { return nil }
    func saturated(_ celsius: Double) -> Double {
      6.112 * exp(17.62 * celsius / (243.12 + celsius))
    }
    func relative(_ vapour: Double, _ index: Int) -> Double {
      // Without this check, NaN would pass the clamping; a missing input must result in a missing
      // humidity.
      let humidity = 100 * vapour / saturated(temperature[index])
      return humidity.isNaN ? .nan : min(100, max(0, humidity))
    }
    if let dew = fields[.dewPoint] {
      return dew.indices.map { relative(saturated(dew[$0]), $0) }
    }
    guard let pressure = fields[.surfacePressure] else { return nil }
    if let ratio = fields[.mixingRatio] {
      return ratio.indices.map { relative(ratio[$0] * pressure[$0] / (0.622 + ratio[$0]), $0) }
    }
    guard let water = fields[.specificHumidity] else { return nil }
    return water.indices.map {
      relative(water[$0] * pressure[$0] / (0.622 + 0.378 * water[$0]), $0)
    }
  }

  /// Computes the pressure at sea level from the pressure at the surface.
  private func reduced(_ fields: [Field: [Double]], _ height: Double?) -> [Double]? {
    guard let pressure = fields[.surfacePressure], let temperature = fields[.temperature],
      let height
    else { return nil }
    return zip(pressure, temperature).map {
      $0 * exp(9.80665 * height / (287.05287 * ($1 + 273.15 + 0.0065 * height / 2)))
    }
  }

  /// Computes the accumulated rain from the rain fields.
  private func rain(_ fields: [Field: [Double]]) -> RainAccount {
    guard let source = sources[.rain], var values = fields[.rain], values.count == spans.count
    else { return RainAccount() }
    if let showers = fields[.convectiveRain], showers.count == values.count {
      values = zip(values, showers).map { $0 + $1 }
    }
    // If a run has no value at its start, as in ECMWF's GRIB messages, the accumulation starts with
    // 0.
    if rain?.kind == .sinceStart, reference == times.first, values.first?.isNaN == true {
      values[0] = 0
    }
    if source.isRate { values = zip(values, spans).map { $0 * Double($1.length) } }
    return RainAccount(spans, values)
  }
}

extension ModelFile {
  /// What files of one run have in common: its start, their grid, and the fields.
  private struct Family: Hashable {
    let reference: Int
    let grid: [Double]
    var fields: Set<Field>
  }

  /// The family of the file; `nil` if the file does not declare the start of its run.
  private var family: Family? {
    guard let declaredReference, !isSynthetic else { return nil }
    let (rows, columns) = grid.shape
    let corners = [(0, 0), (0, columns - 1), (rows - 1, 0), (rows - 1, columns - 1)].map {
      grid.point(row: $0.0, column: $0.1)
    }
    return Family(
      reference: declaredReference,
      grid: [Double(rows), Double(columns)] + corners.flatMap { [$0.latitude, $0.longitude] },
      fields: Set(sources.keys))
  }

  /// Joins the files of runs that come in several, such as one for each step, with times that do not overlap.
  ///
  /// A file may lack fields that the others have, as the one of a run's start lacks rain.
  ///
  /// - Parameter files: The files.
  /// - Returns: The runs, and the files that could not be joined.
  /// - Throws: `ForecastFileError` if a file can no longer be read.
  package static func joined(_ files: [ModelFile]) throws(ForecastFileError) -> [ModelFile] {
    var runs = files.filter { $0.family == nil }
    var families: [Family: [ModelFile]] = [:]
    for file in files {
      if let family = file.family { families[family, default: []].append(file) }
    }
    for family in families.keys.sorted(by: { $0.fields.count < $1.fields.count }) {
      let members = families[family] ?? []
      let larger = families.keys.first { other in
        other != family && (other.reference, other.grid) == (family.reference, family.grid)
          && other.fields.isStrictSuperset(of: family.fields)
          && areDisjoint((families[other] ?? []) + members)
      }
      guard let larger else { continue }
      families[larger, default: []] += members
      families[family] = nil
    }
    for members in families.values {
      guard members.count > 1, areDisjoint(members) else {
        runs += members
        continue
      }
      runs.append(try ModelFile(joining: members.sorted { $0.times[0] < $1.times[0] }))
    }
    return runs
  }

  /// Returns `true` if no two files have times in one another's range.
  private static func areDisjoint(_ files: [ModelFile]) -> Bool {
    let spans = files.map { ($0.times[0], $0.times[$0.times.count - 1]) }.sorted { $0 < $1 }
    return zip(spans, spans.dropFirst()).allSatisfy { $0.1 < $1.0 }
  }

  /// Joins the files of one run, in order of their times.
  private convenience init(joining parts: [ModelFile]) throws(ForecastFileError) {
    let (first, times) = (parts[0], parts.flatMap(\.times))
    let sources = parts.reduce(into: [Field: FieldSource]()) { all, part in
      all.merge(part.sources) { one, _ in one }
    }
    let findings = parts.compactMap(\.rain)
    var rain = findings.first
    var spans = parts.flatMap(\.spans)
    if let known = rain, known.kind != .byBounds || !findings.allSatisfy({ $0.kind == .byBounds }) {
      let isStated = findings.allSatisfy { $0.kind == known.kind && !$0.isFromValues }
      let found = isStated ? known : try Self.rain(in: parts, times)
      spans = found.kind.spans(times, reference: first.reference, bounds: nil)
      rain = found
    }
    self.init(
      first.file, first.grid, first.reference, (times, Array(times.indices)), sources,
      (rain, spans), isSynthetic: false, describing: first.describing, unused: first.unused,
      declaredReference: first.reference, parts: parts)
  }

  /// Returns how the rain of a run in several files is accumulated, according to its values.
  private static func rain(
    in parts: [ModelFile], _ times: [Int]
  ) throws(ForecastFileError) -> RainFinding {
    let steps = parts.flatMap { part in part.steps.map { (part, $0) } }
    let (rows, columns) = parts[0].grid.shape
    let least = parts.compactMap { part in
      part.sources[.rain].map { RainReader.leastFall(of: $0, in: part.file) }
    }.max()
    return try RainReader.finding(
      in: times, reference: parts[0].reference, rows: rows, least: least ?? 0.05
    ) { row, step throws(ForecastFileError) in
      let (part, own) = steps[step]
      guard let source = part.sources[.rain] else {
        return Array(repeating: .nan, count: columns)
      }
      return try source.row(row, columns: columns, step: own, in: part.file)
    }
  }

  /// The name of the file, and the number of the other files of its run.
  package var name: String {
    parts.isEmpty ? file.name : "\(file.name) and \(parts.count - 1) more of its run"
  }

  /// A one-line summary that lists the grid, the times, the fields with their variables, missing
  /// fields, and the accumulation of rain.
  package var account: String { "\(outline); \(content)" }

  /// The reason why the forecast of a place takes long to read: compressed chunks with many places; `nil` if it does not.
  package var slowness: String? {
    for field in Field.allCases {
      guard let variable = sources[field]?.variable,
        let count = file.compressedChunk(of: variable), count > Self.largestChunk
      else { continue }
      return "\(variable) is compressed in chunks of \(count) values"
    }
    return nil
  }

  /// The number of values in a compressed chunk above which reading a place is slow.
  private static let largestChunk = 50_000

  /// The region of the grid, and the size of its cells: `36.0 to 43.0° N, -10.0 to -5.0° E, cells of 27 km`.
  package var area: String {
    let (rows, columns) = grid.shape
    let edge =
      (0..<rows).flatMap { [($0, 0), ($0, columns - 1)] }
      + (0..<columns).flatMap { [(0, $0), (rows - 1, $0)] }
    let points = edge.map { grid.point(row: $0.0, column: $0.1) }
    func range(_ values: [Double]) -> String {
      "\(Self.tenths(values.min() ?? 0)) to \(Self.tenths(values.max() ?? 0))"
    }
    let (latitude, longitude) = grid.middle
    let cell = GeoPoint(latitude: latitude, longitude: longitude).flatMap { grid.cell(around: $0) }
    return "\(rows) x \(columns) points, \(range(points.map(\.latitude)))° N, "
      + "\(range(points.map(\.longitude)))° E"
      + (cell.map { ", cells of \(Self.tenths($0.size)) km" } ?? "")
  }

  /// Returns a number with one decimal.
  package static func tenths(_ value: Double) -> String {
    let tenths = Int((abs(value) * 10).rounded())
    return (value < 0 && tenths > 0 ? "-" : "") + "\(tenths / 10).\(tenths % 10)"
  }

  /// The summary of the grid and the times.
  package var outline: String {
    let first = CivilTime.stamp(times[0])
    let last = CivilTime.stamp(times[times.count - 1])
    return "\(grid.kind) grid, "
      + (times.count == 1 ? "one time, \(first)" : "\(times.count) times from \(first) to \(last)")
  }

  /// `account` without the grid and the times.
  var content: String {
    var known: [String] = []
    var lacking: [String] = []
    for (name, words) in metrics {
      if let words { known.append("\(name) (\(words))") } else { lacking.append(name) }
    }
    return "it has \(known.joined(separator: ", "))"
      + (lacking.isEmpty ? "" : "; it lacks \(lacking.joined(separator: ", "))")
  }

  /// The description of how the rain is accumulated; `nil` for a file without rain.
  package var rainAccount: String? {
    guard let source = sources[.rain], let rain else { return nil }
    let names = [source.variable, sources[.convectiveRain]?.variable].compactMap { $0 }
    let single =
      times.count < 2 && rain.kind != .byBounds
      ? ", no rain can be computed from a single time" : ""
    return "\(names.joined(separator: " + ")): \(rain.evidence)\(single)"
  }

  /// The metrics of responses by name, with the variables that they are read from; `nil` for
  /// metrics that the file does not contain.
  package var metrics: [(name: String, words: String?)] {
    func name(_ field: Field) -> String? { sources[field]?.variable }
    let speed = name(.windSpeed).map { speed in
      name(.windFrom).map { "\(speed), \($0)" } ?? "\(speed), no direction"
    }
    let vector = name(.windEast).flatMap { east in name(.windNorth).map { "\(east), \($0)" } }
    let reduced = name(.surfacePressure).flatMap { ground in
      name(.elevation).flatMap { height in
        name(.temperature).map { "computed from \(ground), \(height) and \($0)" }
      }
    }
    return [
      ("temperature", name(.temperature)), ("humidity", name(.humidity) ?? computedHumidity),
      ("rain", rainAccount), ("cloud", name(.cloud)), ("wind", vector ?? speed),
      ("gusts", name(.windGust)),
      ("pressure at sea level", name(.seaLevelPressure) ?? reduced),
      ("surface pressure", name(.surfacePressure)),
      ("surface elevation", name(.elevation)),
    ]
  }

  private var computedHumidity: String? {
    guard let temperature = sources[.temperature]?.variable else { return nil }
    if let dew = sources[.dewPoint]?.variable { return "computed from \(dew) and \(temperature)" }
    guard let pressure = sources[.surfacePressure]?.variable,
      let water = sources[.mixingRatio]?.variable ?? sources[.specificHumidity]?.variable
    else { return nil }
    return "computed from \(water), \(pressure) and \(temperature)"
  }
}
