/// Determines the times of a file's steps.
struct TimeReader {
  /// The times of a file, with related data.
  struct Found {
    /// The times of the steps in seconds since 1970.
    var times: [Int] = []
    /// The start of the run in seconds since 1970; `nil` if the file does not contain it.
    var reference: Int?
    /// The name of the time dimension; `nil` for a single time without a dimension.
    var dimension: String?
    /// The name of the time axis's variable.
    var variable = ""
    /// The start and end of the interval that each step covers, either read from the bounds of the
    /// time axis or starting when the step's own run starts; `nil` if there are none.
    var bounds: [RainSpan]?
    /// `true` if each step belongs to a different run, as in a reanalysis.
    var hasRuns = false
    /// The names of all variables that were read: the axis, its bounds, and the start of the run.
    var variables: [String] = []
  }

  let file: NetCDFFile
  let variables: [String]

  func axis() throws(ForecastFileError) -> Found {
    var found = try steps()
    guard !found.times.isEmpty else {
      throw ForecastFileError(
        file: file.name,
        reason: "it has no times; required is a variable with units such as 'hours since "
          + "2013-10-01 00:00:00'")
    }
    for (one, next) in zip(found.times, found.times.dropFirst()) where next <= one {
      throw ForecastFileError(
        file: file.name,
        reason: "its times are not ascending: \(CivilTime.stamp(next)) follows "
          + CivilTime.stamp(one))
    }
    try findReference(&found)
    return found
  }

  private func steps() throws(ForecastFileError) -> Found {
    if variables.contains("Times"), try file.dimensions(of: "Times").count == 2 {
      return try written()
    }
    guard let variable = try axisVariable() else { return Found() }
    let units = try units(of: variable)
    var found = Found(variable: variable, variables: [variable])
    found.times = try moments(of: variable, units)
    found.dimension = try file.dimensions(of: variable).first { $0.count > 1 }?.name
    if found.dimension == nil {
      found.dimension = try file.dimensions(of: variable).last?.name
    }
    if let bounds = file.text("bounds", of: variable), variables.contains(bounds),
      try file.dimensions(of: bounds).map(\.count).reduce(1, *) == 2 * found.times.count
    {
      // Bounds have the units of their axis unless they declare different ones (CF 7.1).
      let own = file.text("units", of: bounds).flatMap(TimeUnits.init) ?? units
      let ends = try moments(of: bounds, own)
      found.variables.append(bounds)
      found.bounds = found.times.indices.map {
        RainSpan(
          start: min(ends[2 * $0], ends[2 * $0 + 1]), end: max(ends[2 * $0], ends[2 * $0 + 1]))
      }
    }
    return found
  }

  private func moments(of variable: String, _ units: TimeUnits) throws(ForecastFileError) -> [Int] {
    var times: [Int] = []
    for value in try file.values(variable) {
      guard let moment = units.seconds(value) else {
        throw ForecastFileError(
          file: file.name, reason: "\(variable) contains \(value), which is not a valid time")
      }
      times.append(moment)
    }
    return times
  }

  /// Finds the variable that contains the times.
  ///
  /// It is identified by the CF `standard_name` `time`, otherwise by its name, and otherwise by its
  /// unit alone. In each case, variables with a dimension come before single times. The start of
  /// the run is excluded, whatever its name.
  private func axisVariable() throws(ForecastFileError) -> String? {
    let known = variables.filter {
      file.standardName(of: $0) != "forecast_reference_time"
        && file.text("units", of: $0).flatMap(TimeUnits.init) != nil
    }
    let bounds = Set(variables.compactMap { file.text("bounds", of: $0) })
    // In a file of one message, cfgrib writes the start of the run as the single `time`.
    for single in [false, true] {
      if single, let valid = try singleValidTime(known) { return valid }
      for rank in 0..<3 {
        for name in known where !bounds.contains(name) {
          guard try isTime(name, rank) else { continue }
          let long = try file.dimensions(of: name).filter { $0.count > 1 }.count
          let all = try file.dimensions(of: name).count
          if single ? all == 0 : (all == 1 || all > 0 && long == 1) { return name }
        }
      }
    }
    // The error message names a time variable whose unit is unknown.
    for name in variables where file.standardName(of: name) == "time" || name == "time" {
      if try file.dimensions(of: name).count == 1 { return name }
    }
    return nil
  }

  /// Returns the single `valid_time`, without a dimension; `nil` if there is none.
  private func singleValidTime(_ known: [String]) throws(ForecastFileError) -> String? {
    guard known.contains("valid_time"), try file.dimensions(of: "valid_time").isEmpty else {
      return nil
    }
    return "valid_time"
  }

  /// Returns `true` if a variable is a time according to its standard name (rank 0), its name (1),
  /// or only its unit (2).
  private func isTime(_ name: String, _ rank: Int) throws(ForecastFileError) -> Bool {
    let standard = file.standardName(of: name)
    if rank == 0 { return standard == "time" }
    guard standard == nil else { return false }
    if rank == 1 { return ["time", "valid_time", "XTIME"].contains(name) }
    return try Self.isCoordinate(name, of: file)
  }

  /// Returns `true` if a variable is a time coordinate, whatever its name: it has a unit such as
  /// `days since ...` and is its own dimension (CF 4.4).
  static func isCoordinate(_ name: String, of file: NetCDFFile) throws(ForecastFileError) -> Bool {
    guard let units = file.text("units", of: name), TimeUnits(units) != nil else { return false }
    return try file.dimensions(of: name).map(\.name) == [name]
  }

  private func units(of variable: String) throws(ForecastFileError) -> TimeUnits {
    let calendar = (file.text("calendar", of: variable) ?? "standard").lowercased()
    guard ["standard", "gregorian", "proleptic_gregorian"].contains(calendar) else {
      throw ForecastFileError(
        file: file.name,
        reason: "\(variable) has the unknown calendar '\(calendar)' "
          + "(accepted: standard, gregorian, proleptic_gregorian)")
    }
    let text = file.text("units", of: variable) ?? ""
    guard let units = TimeUnits(text) else {
      throw ForecastFileError(
        file: file.name,
        reason: "\(variable) has the invalid units '\(text)'; use units such as 'hours since "
          + "2013-10-01 00:00:00'")
    }
    return units
  }

  /// Reads WRF's times, which are stored as text.
  private func written() throws(ForecastFileError) -> Found {
    let dimensions = try file.dimensions(of: "Times")
    var times: [Int] = []
    for row in 0..<dimensions[0].count {
      let text = try file.letters("Times", start: [row, 0], count: [1, dimensions[1].count])
      guard let moment = CivilTime.parse(text) else {
        throw ForecastFileError(
          file: file.name, reason: "Times contains '\(text)', which is not a valid time")
      }
      times.append(moment)
    }
    return Found(
      times: times, dimension: dimensions[0].name, variable: "Times", variables: ["Times"])
  }

  /// Finds the starts of the runs in a file in which each time has its own run; rain accumulates
  /// from these starts.
  private func findRuns(_ variable: String, _ found: inout Found) throws(ForecastFileError) {
    guard found.bounds == nil, found.times.count > 1,
      try file.dimensions(of: variable).map(\.name) == [found.dimension]
    else { return }
    let spans = zip(try moments(of: variable, try units(of: variable)), found.times)
      .map { RainSpan(start: $0, end: $1) }
    guard spans.count == found.times.count, spans.allSatisfy({ $0.start < $0.end }) else { return }
    (found.bounds, found.hasRuns) = (spans, true)
  }

  /// Finds the start of the run in a variable with the CF name, in wgrib2's attribute of the axis,
  /// or in WRF's attribute of the file.
  private func findReference(_ found: inout Found) throws(ForecastFileError) {
    if let variable = variables.first(where: {
      file.standardName(of: $0) == "forecast_reference_time"
    }), let value = try file.values(variable).first {
      found.reference = try units(of: variable).seconds(value)
      found.variables.append(variable)
      try findRuns(variable, &found)
      return
    }
    if found.variable == "valid_time", variables.contains("time"),
      try file.dimensions(of: "time").isEmpty, let value = try file.values("time").first
    {
      found.reference = try units(of: "time").seconds(value)
      found.variables.append("time")
      return
    }
    if let value = file.numbers("reference_time", of: found.variable).first,
      let units = file.text("units", of: found.variable).flatMap(TimeUnits.init)
    {
      found.reference = units.seconds(value)
      return
    }
    for name in ["SIMULATION_START_DATE", "START_DATE"] {
      if let text = file.text(name), let moment = CivilTime.parse(text) {
        found.reference = moment
        return
      }
    }
  }
}
