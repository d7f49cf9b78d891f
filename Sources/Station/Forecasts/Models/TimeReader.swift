/// Finds the moments of a file's steps.
struct TimeReader {
  /// The moments, when the run began, and the dimension along which they lie.
  struct Found {
    let times: [Int]
    let reference: Int
    let dimension: String?
  }

  let file: NetCDFFile
  let variables: [String]

  func axis() throws(ForecastFileError) -> Found {
    let found = try steps()
    for (one, next) in zip(found.times, found.times.dropFirst()) where next <= one {
      throw ForecastFileError(
        file: file.name,
        reason: "its times do not rise: \(CivilTime.stamp(next)) follows "
          + CivilTime.stamp(one))
    }
    return Found(
      times: found.times, reference: try reference() ?? found.times.first ?? 0,
      dimension: found.dimension)
  }

  private func steps() throws(ForecastFileError) -> (times: [Int], dimension: String?) {
    if variables.contains("Times") { return try written() }
    guard let variable = try axisVariable() else { return ([], nil) }
    let units = try units(of: variable)
    var times: [Int] = []
    for value in try file.values(variable) {
      guard let moment = units.seconds(value) else {
        throw ForecastFileError(
          file: file.name, reason: "\(variable) holds \(value), which is no time")
      }
      times.append(moment)
    }
    return (times, try file.dimensions(of: variable).first?.name)
  }

  private func axisVariable() throws(ForecastFileError) -> String? {
    for name in variables where file.text("standard_name", of: name) == "time" || name == "time" {
      if try file.dimensions(of: name).count == 1 { return name }
    }
    for name in variables where try Self.isCoordinate(name, of: file) { return name }
    return nil
  }

  /// Whether a variable is an axis of times by its unit alone, whatever it is called: `days since ...` along itself (CF 4.4).
  static func isCoordinate(_ name: String, of file: NetCDFFile) throws(ForecastFileError) -> Bool {
    guard let units = file.text("units", of: name), TimeUnits(units) != nil else { return false }
    return try file.dimensions(of: name).map(\.name) == [name]
  }

  private func units(of variable: String) throws(ForecastFileError) -> TimeUnits {
    let calendar = (file.text("calendar", of: variable) ?? "standard").lowercased()
    guard ["standard", "gregorian", "proleptic_gregorian"].contains(calendar) else {
      throw ForecastFileError(
        file: file.name,
        reason: "\(variable) counts by the calendar '\(calendar)'; only the Gregorian "
          + "one is understood")
    }
    let text = file.text("units", of: variable) ?? ""
    guard let units = TimeUnits(text) else {
      throw ForecastFileError(
        file: file.name,
        reason: "\(variable) has the units '\(text)'; wanted is such as 'hours since "
          + "2013-10-01 00:00:00'")
    }
    return units
  }

  /// WRF's times in letters.
  private func written() throws(ForecastFileError) -> (times: [Int], dimension: String?) {
    let dimensions = try file.dimensions(of: "Times")
    guard dimensions.count == 2 else {
      throw ForecastFileError(file: file.name, reason: "Times has not two dimensions")
    }
    var times: [Int] = []
    for row in 0..<dimensions[0].count {
      let text = try file.letters("Times", start: [row, 0], count: [1, dimensions[1].count])
      guard let moment = CivilTime.parse(text) else {
        throw ForecastFileError(file: file.name, reason: "Times holds '\(text)', which is no time")
      }
      times.append(moment)
    }
    return (times, dimensions[0].name)
  }

  private func reference() throws(ForecastFileError) -> Int? {
    if let variable = variables.first(where: {
      file.text("standard_name", of: $0) == "forecast_reference_time"
    }), let value = try file.values(variable).first {
      return try units(of: variable).seconds(value)
    }
    for name in ["SIMULATION_START_DATE", "START_DATE"] {
      if let text = file.text(name), let moment = CivilTime.parse(text) { return moment }
    }
    return nil
  }
}
