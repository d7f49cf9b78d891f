/// Where a field lies in a file, and how its numbers become those of ``Field``.
struct FieldSource: Sendable {
  /// How rain is counted.
  enum RainKind: Sendable {
    /// In the step that ends at the time.
    case perStep
    /// Since the start of the run.
    case sinceStart
    /// By the second, in the step that ends at the time.
    case rate
  }

  let variable: String
  let scale, offset: Double
  /// The variable's dimensions before the row: 0 for one that has the time, else of length 1.
  let leading: [Bool]
  /// Whether a wind is that of the grid's rows and columns.
  let alongGrid: Bool
  let rain: RainKind

  /// Whether it has a value for each time.
  var hasTime: Bool { leading.contains(true) }

  /// Its numbers at the four points of a cell as they are in the file: for each time the first row's two, the second's.
  func points(_ cell: GridCell, times: Int, in file: NetCDFFile) throws(ForecastFileError)
    -> [Double]
  {
    func window(_ column: Int, _ width: Int) throws(ForecastFileError) -> [Double] {
      try file.values(
        variable, start: leading.map { _ in 0 } + [cell.row, column],
        count: leading.map { $0 ? times : 1 } + [2, width])
    }
    if cell.nextColumn == cell.column + 1 { return try window(cell.column, 2) }
    // Where the grid closes around the Earth, the two columns lie apart in the file.
    let (left, right) = (try window(cell.column, 1), try window(cell.nextColumn, 1))
    return zip(left, right).flatMap { [$0, $1] }
  }

  /// Finds a field in a file; `nil` where the file does not have it.
  ///
  /// - Throws: ``ForecastFileError`` for a unit that is not understood.
  static func find(
    _ field: Field, in file: NetCDFFile, variables: [String], grid: Grid, time: String?
  ) throws(ForecastFileError) -> FieldSource? {
    guard let variable = try name(of: field, in: file, variables: variables, grid: grid, time: time)
    else { return nil }
    let unit = file.text("units", of: variable) ?? ""
    let plain = unit.split(separator: " ").joined(separator: " ")
    guard let conversion = field.units[plain] else {
      throw ForecastFileError(
        file: file.name,
        reason: "\(variable) has the unit '\(unit)', which \(field.rawValue) cannot have here;"
          + " understood are \(field.units.keys.sorted().filter { !$0.isEmpty }.joined(separator: ", "))"
      )
    }
    let standard = file.text("standard_name", of: variable) ?? ""
    let isGeographic = ["eastward_wind", "northward_wind"].contains(standard)
    let leading = try file.dimensions(of: variable).dropLast(2).map { $0.name == time }
    return FieldSource(
      variable: variable, scale: conversion.scale, offset: conversion.offset, leading: leading,
      alongGrid: !isGeographic && isAlongGrid(standard, grid),
      rain: rainKind(of: variable, unit: plain, in: file))
  }

  /// Why a variable that is called as a field is none; `nil` where no variable is called so.
  static func misplaced(
    in file: NetCDFFile, variables: [String]
  ) throws(ForecastFileError) -> String? {
    let fields = Field.allCases.filter { $0 != .elevation }.map(\.names)
    let found = variables.first { variable in
      let name = file.text("standard_name", of: variable)
      return fields.contains {
        name.map($0.standard.contains) ?? $0.own.contains(variable)
      }
    }
    guard let found else { return nil }
    let dimensions = try file.dimensions(of: found).map { "\($0.name) \($0.count)" }
    return
      "\(found) has the dimensions \(dimensions.joined(separator: ", ")); wanted are the times, the rows of "
      + "the grid (latitude), then its columns (longitude); all others have the length 1"
  }

  private static func isAlongGrid(_ standard: String, _ grid: Grid) -> Bool {
    if ["x_wind", "y_wind", "grid_eastward_wind", "grid_northward_wind"].contains(standard) {
      return true
    }
    // WRF's U10 and V10 without a standard name are those of its grid.
    if case .regular = grid { return false }
    return true
  }

  private static func name(
    of field: Field, in file: NetCDFFile, variables: [String], grid: Grid, time: String?
  ) throws(ForecastFileError) -> String? {
    let (standard, own) = field.names
    var fitting: [String] = []
    for variable in variables {
      let name = file.text("standard_name", of: variable)
      guard name.map(standard.contains) ?? own.contains(variable) else { continue }
      let dimensions = try file.dimensions(of: variable)
      guard dimensions.count >= 2,
        dimensions.suffix(2).map(\.count) == [grid.shape.rows, grid.shape.columns],
        dimensions.dropLast(2).allSatisfy({ $0.count == 1 || $0.name == time })
      else { continue }
      fitting.append(variable)
    }
    // Of several, the one that a model's own name tells.
    return fitting.first { own.contains($0) } ?? fitting.first
  }

  private static func rainKind(of variable: String, unit: String, in file: NetCDFFile) -> RainKind {
    if Field.isRate(unit) { return .rate }
    let methods = file.text("cell_methods", of: variable) ?? ""
    guard methods.contains("time: sum") else {
      return ["RAINNC", "RAINC", "tp"].contains(variable) || methods.isEmpty
        ? .sinceStart : .perStep
    }
    // With bounds that all begin together the sum is one since the start.
    if let bounds = file.text("bounds", of: "time"), let values = try? file.values(bounds),
      values.count >= 6, values[2] == values[0], values[4] == values[0]
    {
      return .sinceStart
    }
    return .perStep
  }
}
