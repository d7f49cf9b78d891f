extension ModelFile {
  /// What the file has, in which variables, what it lacks, and how its rain is counted, in one line.
  package var account: String { "\(outline); \(content)" }

  /// The grid and the times, in words.
  package var outline: String {
    let first = CivilTime.stamp(times[0])
    let last = CivilTime.stamp(times[times.count - 1])
    return "\(grid.kind) grid, "
      + (times.count == 1 ? "one time, \(first)" : "\(times.count) times from \(first) to \(last)")
  }

  /// ``account`` without grid and times.
  var content: String {
    var known: [String] = []
    var lacking: [String] = []
    for (name, words) in metrics {
      if let words { known.append("\(name) (\(words))") } else { lacking.append(name) }
    }
    return "it has \(known.joined(separator: ", "))"
      + (lacking.isEmpty ? "" : "; it lacks \(lacking.joined(separator: ", "))")
  }

  /// How rain is counted, in words; `nil` for a file without rain.
  package var rainAccount: String? {
    guard let source = sources[.rain], let rain else { return nil }
    let names = [source.variable, sources[.convectiveRain]?.variable].compactMap { $0 }
    let single =
      times.count < 2 && rain.kind != .byBounds ? ", of one time alone no rain follows" : ""
    return "\(names.joined(separator: " + ")): \(rain.evidence)\(single)"
  }

  /// The metrics of answers by name, with where each comes from; `nil` for one that the file lacks.
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
      ("pressure at sea level", name(.seaLevelPressure) ?? reduced),
      ("pressure at the ground", name(.surfacePressure)),
      ("height of the ground", name(.elevation)),
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
