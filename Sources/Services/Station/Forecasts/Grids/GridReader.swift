/// Identifies the grid of a file.
struct GridReader {
  /// A grid, with the names of its dimensions in the file.
  struct Found {
    let grid: Grid
    /// The names of the dimensions of the rows and the columns.
    let rows, columns: String
    /// The names of all variables that were read.
    let variables: [String]
  }

  let file: NetCDFFile
  let variables: [String]

  func grid() throws(ForecastFileError) -> Found {
    let mapping = variables.first {
      file.text("grid_mapping_name", of: $0) == "rotated_latitude_longitude"
    }
    if let mapping, let found = try rotated(mapping) { return found }
    if let found = try curvilinear(byUnit: false) { return found }
    if let found = try regular() { return found }
    if let found = try curvilinear(byUnit: true) { return found }
    if let mapping {
      throw ForecastFileError(
        file: file.name,
        reason: "\(mapping) lacks the pole, or the axes grid_latitude and "
          + "grid_longitude are missing or not monotonic")
    }
    if let broken = try brokenAxis() {
      throw ForecastFileError(
        file: file.name,
        reason:
          "\(broken) is no axis: required are at least two values, in ascending or descending order"
      )
    }
    throw ForecastFileError(
      file: file.name,
      reason: "it has no grid; required are latitude and longitude (one or two dimensions), or a "
        + "rotated pole")
  }

  private func regular() throws(ForecastFileError) -> Found? {
    guard
      let rows = try axis("latitude", units: Self.northUnits, names: ["latitude", "lat"]),
      let columns = try axis("longitude", units: Self.eastUnits, names: ["longitude", "lon"]),
      rows.dimension != columns.dimension
    else { return nil }
    return Found(
      grid: .regular(rows: rows.axis, columns: columns.axis), rows: rows.dimension,
      columns: columns.dimension, variables: [rows.variable, columns.variable])
  }

  private func rotated(_ mapping: String) throws(ForecastFileError) -> Found? {
    guard let latitude = file.numbers("grid_north_pole_latitude", of: mapping).first,
      let longitude = file.numbers("grid_north_pole_longitude", of: mapping).first,
      let rows = try axis("grid_latitude", units: [], names: ["rlat", "grid_latitude"]),
      let columns = try axis("grid_longitude", units: [], names: ["rlon", "grid_longitude"]),
      rows.dimension != columns.dimension
    else { return nil }
    let grid = Grid.rotated(
      rows: rows.axis, columns: columns.axis,
      pole: RotatedPole(
        latitude: latitude, longitude: longitude,
        gridLongitude: file.numbers("north_pole_grid_longitude", of: mapping).first ?? 0))
    return Found(
      grid: grid, rows: rows.dimension, columns: columns.dimension,
      variables: [mapping, rows.variable, columns.variable])
  }

  /// The units that identify an axis of latitudes or longitudes, whatever the axis is called (CF
  /// 4.1 and 4.2).
  static let northUnits = [
    "degrees_north", "degree_north", "degrees_N", "degree_N", "degreesN", "degreeN",
  ]
  static let eastUnits = [
    "degrees_east", "degree_east", "degrees_E", "degree_E", "degreesE", "degreeE",
  ]

  /// Finds an axis by its standard name or its unit; an axis that has neither is found by its name.
  private func axis(_ standard: String, units: [String], names: [String])
    throws(ForecastFileError) -> (axis: Axis, dimension: String, variable: String)?
  {
    guard let found = try candidate(standard, units: units, names: names) else { return nil }
    var values = try file.values(found.variable)
    if standard == "longitude" { Self.unwrap(&values) }
    return Axis(values).map { ($0, found.dimension, found.variable) }
  }

  /// Finds the variable of an axis, whatever its values are.
  private func candidate(_ standard: String, units: [String], names: [String])
    throws(ForecastFileError) -> (variable: String, dimension: String)?
  {
    for variable in variables {
      let name = file.standardName(of: variable)
      let unit = file.text("units", of: variable)
      let isKnown =
        name == standard || unit.map(units.contains) ?? false
        || name == nil && names.contains(variable)
          && (unit == nil || units.isEmpty || unit == "degrees")
      let dimensions = try file.dimensions(of: variable)
      if isKnown, dimensions.count == 1 { return (variable, dimensions[0].name) }
    }
    return nil
  }

  /// Returns the latitudes or longitudes of a regular grid whose values form no axis; `nil` if there are none.
  private func brokenAxis() throws(ForecastFileError) -> String? {
    for (standard, units, names) in [
      ("latitude", Self.northUnits, ["latitude", "lat"]),
      ("longitude", Self.eastUnits, ["longitude", "lon"]),
    ] where try axis(standard, units: units, names: names) == nil {
      if let found = try candidate(standard, units: units, names: names) { return found.variable }
    }
    return nil
  }

  /// Makes longitudes continue across the meridian at which they begin again, as in 355, 357.5, 0, 2.5.
  private static func unwrap(_ values: inout [Double]) {
    for index in values.indices.dropFirst() {
      let turns = ((values[index] - values[index - 1]) / 360).rounded()
      if turns.isFinite { values[index] -= 360 * turns }
    }
  }

  private func curvilinear(byUnit: Bool) throws(ForecastFileError) -> Found? {
    guard let north = try plane("latitude", "XLAT", byUnit ? Self.northUnits : []),
      var east = try plane("longitude", "XLONG", byUnit ? Self.eastUnits : [])
    else { return nil }
    if east.dimensions == north.dimensions.reversed() {
      let values = east.values
      let (rows, columns) = (north.counts[0], north.counts[1])
      for row in 0..<rows {
        for column in 0..<columns {
          east.values[row * columns + column] = values[column * rows + row]
        }
      }
    }
    guard
      let grid = CurvilinearGrid(
        rows: north.counts[0], columns: north.counts[1], latitudes: north.values,
        longitudes: east.values)
    else {
      throw ForecastFileError(
        file: file.name, reason: "its two-dimensional latitudes and longitudes do not form a grid"
      )
    }
    return Found(
      grid: .curvilinear(grid), rows: north.dimensions[0], columns: north.dimensions[1],
      variables: [north.variable, east.variable])
  }

  /// A variable with a value for each row and column.
  private struct Plane {
    let variable: String
    let dimensions: [String]
    let counts: [Int]
    var values: [Double]
  }

  /// Returns the two-dimensional variable that has a standard name or a model's own name or,
  /// failing that, one of some units; if the variable also depends on time, only its first time is
  /// used.
  private func plane(_ standard: String, _ own: String, _ units: [String])
    throws(ForecastFileError) -> Plane?
  {
    let bounds = Set(variables.compactMap { file.text("bounds", of: $0) })
    let named = variables.filter { $0 == own || file.standardName(of: $0) == standard }
    let measured = variables.filter {
      file.standardName(of: $0) == nil && !bounds.contains($0)
        && file.text("units", of: $0).map(units.contains) ?? false
    }
    for variable in named + measured {
      let dimensions = try file.dimensions(of: variable)
      guard (2...3).contains(dimensions.count) else { continue }
      let last = Array(dimensions.suffix(2))
      let values = try file.values(
        variable, start: dimensions.map { _ in 0 },
        count: dimensions.dropLast(2).map { _ in 1 } + last.map(\.count))
      return Plane(
        variable: variable, dimensions: last.map(\.name), counts: last.map(\.count), values: values)
    }
    return nil
  }
}
