import Glibc

extension ModelFile {
  /// Reads what the run foretells for a place; `nil` where its grid has no cell around it.
  ///
  /// - Throws: ``ForecastFileError``, also when the file has been written to in between.
  package func column(at place: Place) throws(ForecastFileError) -> Column? {
    guard let cell = grid.cell(around: place) else { return nil }
    var fields: [Field: [Double]] = [:]
    for (field, source) in sources where field != .elevation {
      fields[field] = try corners(source, in: cell).map(cell.value)
    }
    if let (east, north) = try windOfSpeedAndDirection(in: cell) {
      (fields[.windEast], fields[.windNorth]) = (east, north)
    }
    if file.wasOverwritten {
      throw ForecastFileError(
        file: file.name, reason: "it was written to while it was read", wasReplaced: true)
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
    return Column(
      times: times, size: cell.size, reference: reference, elevation: height,
      isSynthetic: isSynthetic, values: values, rain: rain(fields))
  }

  /// A field at the four points of a cell, at all steps, in the unit of in here.
  private func corners(_ source: FieldSource, in cell: GridCell) throws(ForecastFileError)
    -> [(Double, Double, Double, Double)]
  {
    let count = source.hasTime ? (steps.max() ?? 0) + 1 : 1
    let numbers = try source.points(cell, times: count, in: file)
    let flat = (0..<count).map { step in
      let first = 4 * step
      return (numbers[first], numbers[first + 1], numbers[first + 2], numbers[first + 3])
    }
    return source.hasTime ? steps.map { flat[$0] } : flat
  }

  /// The wind of a file that has speed and direction: as a vector at each point, since 350° and 10° make 0°.
  private func windOfSpeedAndDirection(in cell: GridCell) throws(ForecastFileError) -> (
    east: [Double], north: [Double]
  )? {
    guard sources[.windEast] == nil, let speed = sources[.windSpeed], let from = sources[.windFrom]
    else { return nil }
    var (east, north): ([Double], [Double]) = ([], [])
    for (s, d) in zip(try corners(speed, in: cell), try corners(from, in: cell)) {
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

  /// Humidity from what else tells it: the dew point; or the water in the air, with pressure and temperature.
  private func humidity(_ fields: [Field: [Double]]) -> [Double]? {
    guard let temperature = fields[.temperature] else { return nil }
    func saturated(_ celsius: Double) -> Double {
      6.112 * exp(17.62 * celsius / (243.12 + celsius))
    }
    func relative(_ vapour: Double, _ index: Int) -> Double {
      // Of something missing no humidity follows: NaN would pass as a bound.
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

  /// The pressure at sea level of a file that has it only at the ground.
  private func reduced(_ fields: [Field: [Double]], _ height: Double?) -> [Double]? {
    guard let pressure = fields[.surfacePressure], let temperature = fields[.temperature],
      let height
    else { return nil }
    return zip(pressure, temperature).map {
      $0 * exp(9.80665 * height / (287.05287 * ($1 + 273.15 + 0.0065 * height / 2)))
    }
  }

  /// The account of rain: what has fallen up to moments.
  private func rain(_ fields: [Field: [Double]]) -> RainAccount {
    guard let source = sources[.rain], var values = fields[.rain], values.count == spans.count
    else { return RainAccount() }
    if let showers = fields[.convectiveRain], showers.count == values.count {
      values = zip(values, showers).map { $0 + $1 }
    }
    // A run that gives no sum at its start, as GRIB messages of ECMWF, has none there.
    if rain?.kind == .sinceStart, reference == times.first, values.first?.isNaN == true {
      values[0] = 0
    }
    if source.isRate { values = zip(values, spans).map { $0 * Double($1.length) } }
    return RainAccount(spans, values)
  }
}
