package import BME280Model
package import Quantities
package import Support

/// The values that a program displayed for one measurement, with their precision.
package struct Observation: Hashable, Sendable {
  /// The interval of the values that a program may have computed, as it follows from the displayed number.
  package struct Band: Hashable, Sendable {
    /// The bounds, in C, Pa or %RH.
    package let low: Double, high: Double
    /// `true` for a single number, whose digits determine the interval; `false` for a range.
    let isRounded: Bool

    /// Creates a band.
    ///
    /// - Parameters:
    ///   - low: the lower bound.
    ///   - high: the upper bound.
    ///   - isRounded: `true` for a single number, whose digits may have been truncated instead of rounded.
    package init(low: Double, high: Double, isRounded: Bool = false) {
      self.low = low
      self.high = high
      self.isRounded = isRounded
    }

    /// Returns `true` if the band contains a value.
    package func contains(_ value: Double) -> Bool { low <= value && value <= high }

    /// Returns `true` if a program that computes a value would display the observed number, by rounding or truncating.
    func showsOrCuts(_ value: Double) -> Bool { contains(value) || cuts(value) }

    /// Returns `true` if a program that computes a value and truncates it towards 0 would display the observed number.
    func cuts(_ value: Double) -> Bool {
      let half = (high - low) / 2
      let middle = low + half
      return isRounded && abs(value) >= abs(middle) && abs(value) < abs(middle) + 2 * half
        && (value < 0) == (middle < 0)
    }

    /// Parses `1789hPa`, `26.21C`, `40%` or a range `1300..1800hPa`.
    ///
    /// A single value represents all values that round to its digits.
    ///
    /// - Parameters:
    ///   - text: the value with its unit.
    ///   - quantity: the quantity that determines the accepted units.
    package init?(_ text: String, of quantity: Quantity) {
      var units = quantity.units.map { (symbol: "\($0.symbol)", unit: $0) }
      if quantity == .humidity { units.append(("%RH", units[0].unit)) }
      let found = units.inOrder { $0.symbol.count > $1.symbol.count }
        .first { text.lowercased().hasSuffix($0.symbol.lowercased()) }
      guard let (symbol, unit) = found else { return nil }
      let number = text.dropLast(symbol.count).filter { $0 != " " }
      func band(_ text: Substring) -> (low: Double, high: Double)? {
        guard let value = Double(text), value.isFinite, text.first != "+" else { return nil }
        let decimals = text.firstIndex(of: ".").map { text[$0...].count - 1 } ?? 0
        var half = 0.5
        for _ in 0..<decimals { half /= 10 }
        // A different order of operations may change the rounding of a half.
        half *= 1.000001
        return (value - half, value + half)
      }
      let ends: (low: Double, high: Double)?
      if let dots = number.firstRange(of: "..") {
        let (first, last) = (Double(number[..<dots.lowerBound]), Double(number[dots.upperBound...]))
        ends = first.flatMap { first in last.map { (min(first, $0), max(first, $0)) } }
      } else {
        ends = band(number[...])
      }
      guard let ends else { return nil }
      self.init(
        low: unit.kept(ends.low), high: unit.kept(ends.high),
        isRounded: number.firstRange(of: "..") == nil)
    }

    /// Parses a pressure in hPa, Pa, kPa, mbar, mmHg, inHg or atm.
    package static func pressure(_ text: String) -> Band? { Band(text, of: .pressure) }

    /// Parses a temperature in C, F or K.
    package static func temperature(_ text: String) -> Band? { Band(text, of: .temperature) }

    /// Parses a relative humidity in % or %RH.
    package static func humidity(_ text: String) -> Band? { Band(text, of: .humidity) }
  }

  /// The time at which the values were displayed, in seconds since the start of the trace, if known.
  package var time: Double?
  /// The temperature in C.
  package var temperature: Band?
  /// The pressure in Pa.
  package var pressure: Band?
  /// The relative humidity in %.
  package var humidity: Band?

  /// The quantities for which the program displayed no value, NaN or a dash, although it usually displays them.
  package var absent: QuantitySet = []

  package init(
    time: Double? = nil, temperature: Band? = nil, pressure: Band? = nil, humidity: Band? = nil
  ) {
    self.time = time
    self.temperature = temperature
    self.pressure = pressure
    self.humidity = humidity
  }

  /// The number of values, including missing values.
  var count: Int { [temperature, pressure, humidity].count { $0 != nil } + absent.count }

  /// The quantities of the values, including quantities for which no value was displayed.
  var quantities: QuantitySet {
    var quantities = absent
    if temperature != nil { quantities.insert(.temperature) }
    if pressure != nil { quantities.insert(.pressure) }
    if humidity != nil { quantities.insert(.humidity) }
    return quantities
  }

  /// Returns the displayed value of a quantity, or `nil` if there is none.
  func band(of quantity: QuantitySet) -> Band? {
    switch quantity {
    case .temperature: temperature
    case .pressure: pressure
    default: humidity
    }
  }

  /// Returns whether a program that computes a value would display the observed value if it rounds, and if it
  /// truncates.
  func fits(
    _ value: Double?, _ quantity: QuantitySet, isKnown: Bool
  ) -> (rounded: Bool, cut: Bool) {
    if absent.contains(quantity) { return (value == nil, value == nil) }
    guard let band = band(of: quantity), let value, isKnown else { return (false, false) }
    return (band.contains(value), band.cuts(value))
  }

  /// Returns the limits in C, Pa or %RH to which programs clamp their results; many defects produce these values.
  static func limits(of quantity: QuantitySet) -> [Double] {
    switch quantity {
    case .temperature: [-40, 85]
    case .pressure: [30_000, 110_000]
    default: [0, 100]
    }
  }
}

/// A table of the values that a program displayed, as CSV with a header.
package enum ObservationTable {
  private enum Column {
    case time
    case temperature(unit: String)
    case pressure(unit: String)
    case humidity
    case other
  }

  /// Parses a table.
  ///
  /// The columns are `t` in seconds, `temperature` (`_c`, `_f`), `pressure` (`_pa`, `_hpa`) and `humidity` (`_rh`),
  /// named as in `aneroid read --format csv`; other columns are ignored. An empty cell, `nan` or `-` means that the
  /// program displayed no value.
  ///
  /// - Throws: `CSV.FormatError` with the line and the column.
  package static func read(_ text: String) throws(CSV.FormatError) -> [Observation] {
    do {
      return try read(CSV(Array(text.utf8), CSV.Form(hasComments: true, isPadded: true)))
    } catch let problem as CSV.FormatError {
      throw problem
    } catch {
      throw CSV.FormatError(line: 1, message: "\(error)")
    }
  }

  private static func read(_ table: CSV) throws -> [Observation] {
    var table = table
    guard try table.nextRow() else {
      throw CSV.FormatError(line: 1, message: "the table is empty; a header is required")
    }
    let columns = try table.texts().map(column)
    guard columns.contains(where: { if case .other = $0 { false } else { true } }) else {
      throw CSV.FormatError(
        line: table.line,
        message:
          "unknown columns (accepted: t, temperature_c, pressure_hpa, pressure_pa, humidity_rh)")
    }
    var observations: [Observation] = []
    while try table.nextRow() {
      let cells = try table.texts()
      guard cells.count == columns.count else {
        throw CSV.FormatError(
          line: table.line,
          message: "the row has \(cells.count) fields, the header \(columns.count)")
      }
      var observation = Observation()
      for (index, cell) in cells.enumerated() {
        try take(cell, columns[index], &observation) { table.problem(index, $0) }
      }
      observations.append(observation)
    }
    guard !observations.isEmpty else {
      throw CSV.FormatError(line: 2, message: "the table has no rows")
    }
    return observations
  }

  private static func column(_ name: String) -> Column {
    let parts = name.lowercased().split(separator: "_", maxSplits: 1).map(String.init)
    let unit = parts.count > 1 ? parts[1] : nil
    switch parts.first {
    case "t", "time": return .time
    case "temperature": return .temperature(unit: unit == "f" ? "F" : unit == "k" ? "K" : "C")
    case "pressure":
      return .pressure(unit: unit == "pa" ? "Pa" : unit == "kpa" ? "kPa" : "hPa")
    case "humidity": return .humidity
    default: return .other
    }
  }

  private static func take(
    _ cell: String, _ column: Column, _ observation: inout Observation,
    _ problem: (String) -> CSV.FormatError
  ) throws(CSV.FormatError) {
    let isNothing = ["", "nan", "-", "null", "none"].contains(cell.lowercased())
    func wrong(_ what: String) -> CSV.FormatError {
      problem("'\(cell.clipped)' is not a valid \(what)")
    }
    switch column {
    case .other: break
    case .time:
      guard let time = Double(cell), time >= 0, time.isFinite else {
        throw wrong("time in seconds")
      }
      observation.time = time
    case .temperature(let unit):
      observation.temperature = .temperature("\(cell)\(unit)")
      if isNothing { observation.absent.insert(.temperature) }
      guard isNothing || observation.temperature != nil else { throw wrong("temperature") }
    case .pressure(let unit):
      observation.pressure = .pressure("\(cell)\(unit)")
      if isNothing { observation.absent.insert(.pressure) }
      guard isNothing || observation.pressure != nil else { throw wrong("pressure") }
    case .humidity:
      observation.humidity = .humidity("\(cell)%")
      if isNothing { observation.absent.insert(.humidity) }
      guard isNothing || observation.humidity != nil else { throw wrong("humidity") }
    }
  }
}

/// The measurements to which each observation may belong, by quantity.
struct Alignment {
  /// An observation, with the indices of the measurements to which each of its quantities may belong.
  struct Pair {
    let observation: Observation
    let measurements: [UInt8: [Int]]

    func measurements(of quantity: QuantitySet) -> [Int] { measurements[quantity.rawValue] ?? [] }
  }

  let pairs: [Pair]
  /// `true` if a reading may combine values of several measurements, as with drivers that read the quantities one by
  /// one.
  let isLoose: Bool

  /// Aligns observations with measurements.
  ///
  /// A program reads values and displays them in the same order. If there are as many readings as observations, each
  /// observation belongs to one reading. If there are twice as many, each observation belongs to two, since some
  /// drivers read the temperature again for the pressure.
  init(_ evidence: Evidence, _ observations: [Observation]) {
    let readings = evidence.part.readings
    let count = min(readings.count, Diagnosis.most)
    var rounds: [UInt8: [Int]] = [:]
    for (quantity, _) in QuantitySet.named {
      let fresh = readings.indices.filter { readings[$0].fresh.contains(quantity) }
      rounds[quantity.rawValue] = fresh.isEmpty ? Array(readings.indices) : fresh
    }
    isLoose = readings.prefix(count).contains {
      $0.fresh != .all && $0.fresh != [.temperature, .pressure]
    }
    pairs = observations.prefix(Diagnosis.most).enumerated().compactMap { index, observation in
      let measurements = rounds.mapValues { rounds in
        Self.measurements(observation, index, rounds, observations.count, evidence.times)
          .filter { $0 < count }
      }
      let isFar = measurements.values.allSatisfy(\.isEmpty) && observation.time == nil
      return isFar ? nil : Pair(observation: observation, measurements: measurements)
    }
  }

  private static func measurements(
    _ observation: Observation, _ index: Int, _ rounds: [Int], _ observations: Int,
    _ times: [Double]
  ) -> [Int] {
    let (each, more) = rounds.count.quotientAndRemainder(dividingBy: observations)
    // One observation of many measurements may belong to any of them.
    if more == 0, each > 0 { return Array(rounds[(index * each)..<((index + 1) * each)]) }
    if let time = observation.time {
      return rounds.last { times[$0] <= time + 0.001 }.map { [$0] } ?? []
    }
    // The first measurement may have been discarded, or the last not been shown.
    guard more <= each else { return rounds }
    return Array(rounds[(index * each)..<((index + 1) * each + more)])
  }
}
