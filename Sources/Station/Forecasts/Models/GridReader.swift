/// Finds the grid of a file.
struct GridReader {
  let file: NetCDFFile
  let variables: [String]

  func grid() throws(ForecastFileError) -> Grid {
    if let mapping = variables.first(where: {
      file.text("grid_mapping_name", of: $0) == "rotated_latitude_longitude"
    }) {
      return try rotated(mapping)
    }
    if let grid = try curvilinear() { return grid }
    guard let rows = try axis("latitude", units: Self.northUnits),
      let columns = try axis("longitude", units: Self.eastUnits)
    else {
      throw ForecastFileError(
        file: file.name,
        reason: "it has no grid: wanted are latitude and longitude (one or two dimensions), or a "
          + "rotated pole")
    }
    return .regular(rows: rows, columns: columns)
  }

  private func rotated(_ mapping: String) throws(ForecastFileError) -> Grid {
    guard let latitude = file.numbers("grid_north_pole_latitude", of: mapping).first,
      let longitude = file.numbers("grid_north_pole_longitude", of: mapping).first,
      let rows = try axis("grid_latitude", units: []),
      let columns = try axis("grid_longitude", units: [])
    else {
      throw ForecastFileError(
        file: file.name,
        reason: "\(mapping) lacks the pole, or there are no axes grid_latitude and "
          + "grid_longitude that rise or fall throughout")
    }
    return .rotated(
      rows: rows, columns: columns,
      pole: RotatedPole(
        latitude: latitude, longitude: longitude,
        gridLongitude: file.numbers("north_pole_grid_longitude", of: mapping).first ?? 0))
  }

  /// The units by which an axis is one of latitudes or longitudes, whatever it is called (CF 4.1 and 4.2).
  static let northUnits = [
    "degrees_north", "degree_north", "degrees_N", "degree_N", "degreesN", "degreeN",
  ]
  static let eastUnits = [
    "degrees_east", "degree_east", "degrees_E", "degree_E", "degreesE", "degreeE",
  ]

  private func axis(_ standard: String, units: [String]) throws(ForecastFileError) -> Axis? {
    for variable in variables {
      let isNamed = file.text("standard_name", of: variable) == standard
      let isMeasured = file.text("units", of: variable).map(units.contains) ?? false
      guard isNamed || isMeasured, try file.dimensions(of: variable).count == 1 else { continue }
      return Axis(try file.values(variable))
    }
    return nil
  }

  private func curvilinear() throws(ForecastFileError) -> Grid? {
    guard let north = try plane("latitude", "XLAT"), let east = try plane("longitude", "XLONG")
    else {
      return nil
    }
    guard
      let grid = CurvilinearGrid(
        rows: north.rows, columns: north.columns, latitudes: north.values, longitudes: east.values)
    else {
      throw ForecastFileError(
        file: file.name, reason: "its latitudes and longitudes of two dimensions do not make a grid"
      )
    }
    return .curvilinear(grid)
  }

  /// A variable over rows and columns; of one that also has times, the first of them.
  private func plane(_ standard: String, _ own: String) throws(ForecastFileError) -> (
    rows: Int, columns: Int, values: [Double]
  )? {
    for variable in variables
    where variable == own || file.text("standard_name", of: variable) == standard {
      let counts = try file.dimensions(of: variable).map(\.count)
      guard (2...3).contains(counts.count), let columns = counts.last else { continue }
      let rows = counts[counts.count - 2]
      let values = try file.values(
        variable, start: counts.map { _ in 0 },
        count: counts.count == 3 ? [1, rows, columns] : [rows, columns])
      return (rows, columns, values)
    }
    return nil
  }
}
