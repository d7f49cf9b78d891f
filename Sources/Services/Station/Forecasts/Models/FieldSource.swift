/// The source of a field in a file: its variable, the variable's dimensions, and the conversion to
/// the unit of `Field`.
struct FieldSource: Sendable {
  /// The role of one of the variable's dimensions.
  enum Role: Sendable {
    case time, row, column
    /// A dimension of length 1 that is neither time nor part of the grid.
    case single
  }

  let variable: String
  let scale, offset: Double
  /// The dimensions of the variable, slowest first.
  let roles: [Role]
  /// `true` if a wind component refers to the rows and columns of the grid instead of east and
  /// north.
  let alongGrid: Bool
  /// `true` if the unit is an amount per time.
  let isRate: Bool
  /// The range of possible values; values outside are treated as missing.
  let possible: ClosedRange<Double>

  /// `true` if the field has a value for each time.
  var hasTime: Bool { roles.contains(.time) }

  /// Reads the values at the four corners of a cell, in the internal unit: for each time, the two
  /// points in the first row, then the two in the second.
  func points(_ cell: GridCell, times: Int, in file: NetCDFFile) throws(ForecastFileError)
    -> [Double]
  {
    func window(_ column: Int, _ width: Int) throws(ForecastFileError) -> [Double] {
      try values(
        times: 0..<(hasTime ? times : 1), rows: cell.row..<(cell.row + 2),
        columns: column..<(column + width), in: file)
    }
    if cell.nextColumn == cell.column + 1 { return try window(cell.column, 2) }
    // If the grid closes around the Earth, the two columns may not be adjacent in the file.
    let (left, right) = (try window(cell.column, 1), try window(cell.nextColumn, 1))
    return zip(left, right).flatMap { [$0, $1] }
  }

  /// Reads a row of the grid at a step.
  func row(_ row: Int, columns: Int, step: Int, in file: NetCDFFile) throws(ForecastFileError)
    -> [Double]
  {
    let first = hasTime ? step : 0
    return try values(
      times: first..<(first + 1), rows: row..<(row + 1), columns: 0..<columns, in: file)
  }

  /// Reads a window, ordered by times, then rows, then columns, whatever the order in the file;
  /// missing or impossible values become NaN.
  private func values(
    times: Range<Int>, rows: Range<Int>, columns: Range<Int>, in file: NetCDFFile
  ) throws(ForecastFileError) -> [Double] {
    let ranges = roles.map { role -> Range<Int> in
      switch role {
      case .time: times
      case .row: rows
      case .column: columns
      case .single: 0..<1
      }
    }
    let numbers = try file.values(
      variable, start: ranges.map(\.lowerBound), count: ranges.map(\.count))
    func converted(_ number: Double) -> Double {
      let value = number * scale + offset
      return possible.contains(value) ? value : .nan
    }
    var strides: [Role: Int] = [:]
    var stride = 1
    for (role, range) in zip(roles, ranges).reversed() {
      strides[role] = stride
      stride *= range.count
    }
    let (byTime, byRow, byColumn) = (
      strides[.time] ?? 0, strides[.row] ?? 0, strides[.column] ?? 0
    )
    var found: [Double] = []
    found.reserveCapacity(numbers.count)
    for time in 0..<times.count {
      for row in 0..<rows.count {
        for column in 0..<columns.count {
          found.append(converted(numbers[time * byTime + row * byRow + column * byColumn]))
        }
      }
    }
    return found
  }
}

/// Finds the fields of a file by their standard names and by the models' own names; dimensions are
/// identified by name, never by length.
struct FieldFinder {
  let file: NetCDFFile
  let variables: [String]
  let grid: GridReader.Found
  let time: TimeReader.Found

  /// Finds a field; `nil` if the file does not contain it.
  ///
  /// - Throws: `ForecastFileError` for an unknown unit.
  func source(of field: Field) throws(ForecastFileError) -> FieldSource? {
    guard let (variable, roles) = try variable(of: field) else { return nil }
    let unit = file.text("units", of: variable) ?? ""
    let plain = Field.plain(unit)
    guard let conversion = field.units[plain] else {
      throw ForecastFileError(
        file: file.name,
        reason: "\(variable) has the unknown unit '\(unit)' for \(field.rawValue)"
          + " (accepted: \(field.units.keys.sorted().filter { !$0.isEmpty }.joined(separator: ", ")))"
      )
    }
    let standard = file.standardName(of: variable) ?? ""
    let isGeographic = ["eastward_wind", "northward_wind"].contains(standard)
    return FieldSource(
      variable: variable, scale: conversion.scale, offset: conversion.offset, roles: roles,
      alongGrid: isOfGrid(variable) ?? (!isGeographic && isAlongGrid(standard)),
      isRate: Field.isRate(plain),
      possible: Field.isRate(plain) && (field == .rain || field == .convectiveRain)
        ? -1...1 : field.possible)
  }

  /// Returns the reason why a variable that has the name of a field cannot be used; `nil` if there
  /// is no such variable.
  func misplaced() throws(ForecastFileError) -> String? {
    let fields = Field.allCases.filter { $0 != .elevation }
    guard let found = variables.first(where: { name in fields.contains { isCalled(name, $0) } })
    else { return nil }
    let dimensions = try file.dimensions(of: found).map { "\($0.name) \($0.count)" }
    return
      "\(found) has the dimensions \(dimensions.joined(separator: ", ")); required are the rows of the grid "
      + "(\(grid.rows)), its columns (\(grid.columns)) and the times"
      + (time.dimension.map { " (\($0))" } ?? "") + ", in any order, and all others of length 1 "
      + "(of levels or members of an ensemble, choose one, or their mean)"
  }

  /// Returns the variables on the grid that no field is read from, with their units; those that describe the grid are left
  /// out.
  func unused(by sources: [Field: FieldSource]) throws(ForecastFileError) -> [String] {
    let known = Set(sources.values.map(\.variable) + grid.variables + time.variables)
    var found: [String] = []
    for name in variables where !known.contains(name) {
      let dimensions = try file.dimensions(of: name).map(\.name)
      guard dimensions.contains(grid.rows), dimensions.contains(grid.columns) else { continue }
      found.append("\(name) (\(file.text("units", of: name) ?? "no unit"))")
    }
    return found
  }

  /// Returns `true` if the GRIB message from which a wind component was converted is relative to
  /// the grid; `nil` if the component was not converted from GRIB.
  ///
  /// cfgrib names both components `eastward_wind` and `northward_wind`, whatever the message.
  private func isOfGrid(_ variable: String) -> Bool? {
    file.numbers("GRIB_uvRelativeToGrid", of: variable).first.map { $0 == 1 }
  }

  private func isAlongGrid(_ standard: String) -> Bool {
    if ["x_wind", "y_wind", "grid_eastward_wind", "grid_northward_wind"].contains(standard) {
      return true
    }
    // WRF's U10 and V10, if they have no standard name, refer to the grid.
    if case .regular = grid.grid { return false }
    return true
  }

  /// Returns the names of a variable: the variable's own name, and the name of the GRIB record it
  /// was converted from.
  private func ownNames(_ variable: String) -> [String] {
    [variable, file.text("GRIB_shortName", of: variable)].compactMap { $0 }
  }

  /// Returns `true` if a variable has the name of a field: the standard name or, if the variable
  /// has none, one of the models' own names.
  private func isCalled(_ variable: String, _ field: Field) -> Bool {
    let names = field.names
    if let name = file.standardName(of: variable) { return names.standard.contains(name) }
    return ownNames(variable).contains(where: names.own.contains)
  }

  private func variable(of field: Field) throws(ForecastFileError)
    -> (name: String, roles: [FieldSource.Role])?
  {
    var fitting: [(name: String, roles: [FieldSource.Role])] = []
    // A gust is the highest speed of a time in any case.
    for variable in variables
    where isCalled(variable, field) && (field == .windGust || !isExtreme(variable)) {
      if let roles = try roles(of: variable) { fitting.append((variable, roles)) }
    }
    // Of several variables, the one with a model's own name is used.
    for own in field.names.own {
      if let found = fitting.first(where: { ownNames($0.name).contains(own) }) { return found }
    }
    // Of several heights, that of the field is used, whatever the order in the file.
    let height = field.height
    return fitting.first { height != nil && self.height(of: $0.name) == height }
      ?? fitting.first { self.height(of: $0.name) == nil } ?? fitting.first
  }

  /// Returns the height above ground in m at which a variable is valid, from its scalar coordinate, or from its name, such as
  /// `air_temperature_2m`; `nil` if neither names one.
  private func height(of variable: String) -> Double? {
    let coordinates = (file.text("coordinates", of: variable) ?? "").split(separator: " ")
    for name in coordinates.map(String.init) where variables.contains(name) {
      let isHeight = file.standardName(of: name) == "height" || name.hasPrefix("height")
      guard isHeight, let count = try? file.dimensions(of: name).map(\.count).reduce(1, *),
        count == 1, let value = (try? file.values(name))?.first
      else { continue }
      return value
    }
    for word in variable.split(separator: "_") where word.last == "m" || word.last == "M" {
      if let value = Double(word.dropLast()) { return value }
    }
    // On levels of pressure or of the model, the height is another one in any case.
    let isLevel = variable.split(separator: "_").contains { ["pl", "ml"].contains($0) }
    return isLevel ? -1 : nil
  }

  /// Returns `true` if a variable contains the maxima or minima over its steps instead of the
  /// values at its times.
  private func isExtreme(_ variable: String) -> Bool {
    let method = CellMethods(file.text("cell_methods", of: variable) ?? "").method(
      of: ["time", time.variable, time.dimension ?? "time"])
    return ["maximum", "minimum", "range", "variance", "standard_deviation"].contains(method ?? "")
  }

  /// Returns the role of each dimension of a variable; `nil` if the variable is not on the grid or
  /// has dimensions other than time.
  private func roles(of variable: String) throws(ForecastFileError) -> [FieldSource.Role]? {
    var roles: [FieldSource.Role] = []
    for dimension in try file.dimensions(of: variable) {
      switch dimension.name {
      case grid.rows: roles.append(.row)
      case grid.columns: roles.append(.column)
      case time.dimension: roles.append(.time)
      default:
        guard dimension.count == 1 else { return nil }
        roles.append(.single)
      }
    }
    let isWhole =
      [.row, .column].allSatisfy { role in roles.filter { $0 == role }.count == 1 }
      && roles.filter { $0 == .time }.count <= 1
    return isWhole ? roles : nil
  }
}
