import Barometry
import PlainHTTP
import Quantities
package import Rigs
package import Support

/// Reads the pressure from a weather source in Open-Meteo's format.
package struct BackupWeather {
  package let source: BackupSource
  /// `true` to read the pressure at sea level instead of the pressure at the surface.
  package let isReduced: Bool

  /// The maximum age of a current value, in nanoseconds: 3 h.
  static let oldest = 3 * TimeSpan.hour

  /// Creates a reader of a source.
  package init(_ source: BackupSource, isReduced: Bool) {
    (self.source, self.isReduced) = (source, isReduced)
  }

  /// Reads the pressure at a date.
  ///
  /// - Parameter moment: the date in nanoseconds since 1970; `nil` if unknown, for the current value.
  /// - Returns: the pressure in Pa.
  /// - Throws: `Failure` if the source cannot be read or has no value for this date.
  package func pascals(at moment: Int64?) throws(Failure) -> Double {
    let bytes: [UInt8]
    switch source {
    case .file(let path): bytes = try TextFile.bytes(path)
    case .server(let address): bytes = try HTTPClient.get(address)
    }
    guard let reply = JSONValue(reading: bytes) else {
      let fault = UTF8Fault(in: bytes)
      throw failure(
        fault.map { "the response is \($0.finding)" } ?? "the response is not valid JSON")
    }
    return try pascals(in: reply, at: moment)
  }

  /// Reads the pressure at a date from a response, in Pa.
  ///
  /// - Throws: `Failure` if the response has no value for this date or the value is out of range.
  package func pascals(in reply: JSONValue, at moment: Int64?) throws(Failure) -> Double {
    guard let found = current(reply, at: moment) ?? moment.flatMap({ hourly(reply, at: $0) }) else {
      throw failure("the response has no \(key) for this date")
    }
    guard let unit = found.unit else {
      throw failure("the unit '\(found.symbol.clipped)' of \(key) is not a unit of pressure")
    }
    let pascals = unit.kept(found.value)
    guard Self.range.contains(pascals) else {
      let (low, high) = (unit.number(Self.range.lowerBound), unit.number(Self.range.upperBound))
      throw failure(
        "\(key) is \(Decimal.shortest(found.value)) \(unit.symbol), out of range: "
          + "\(Decimal.shortest(low)) to \(Decimal.shortest(high)) \(unit.symbol)")
    }
    return pascals
  }

  /// The range of accepted pressures in Pa, which is wider than that of real weather.
  private static var range: ClosedRange<Double> { 30_000...110_000 }

  /// A number in a response, and its unit.
  private struct Found {
    let value: Double
    let symbol: String

    /// The unit; `nil` if the symbol is not that of a unit of pressure.
    var unit: QuantityUnit? { Quantity.pressure.units.first { "\($0.symbol)" == symbol } }
  }

  private var key: String { isReduced ? "pressure_msl" : "surface_pressure" }

  private func failure(_ what: String) -> Failure {
    Failure(.badContent, "\(source.name): \(what)")
  }

  private func current(_ reply: JSONValue, at moment: Int64?) -> Found? {
    guard let current = reply["current"], let value = current[key]?.double else { return nil }
    if let moment {
      guard let time = current["time"].flatMap(Self.time), abs(time - moment) <= Self.oldest else {
        return nil
      }
    }
    return found(value, reply["current_units"])
  }

  /// Returns the value of the hourly table at a date, interpolated linearly.
  private func hourly(_ reply: JSONValue, at moment: Int64) -> Found? {
    guard let hourly = reply["hourly"], let times = hourly["time"]?.array,
      let values = hourly[key]?.array, times.count == values.count
    else { return nil }
    var before: (time: Int64, value: Double)?
    for (time, value) in zip(times, values) {
      guard let time = Self.time(time), let value = value.double else { continue }
      if time == moment { return found(value, reply["hourly_units"]) }
      if time > moment {
        guard let before, time - before.time <= Self.oldest else { return nil }
        let share = Double(moment - before.time) / Double(time - before.time)
        return found(before.value + (value - before.value) * share, reply["hourly_units"])
      }
      before = (time, value)
    }
    return nil
  }

  /// Creates a value with the unit that the response gives for it.
  ///
  /// Default unit: hPa.
  private func found(_ value: Double, _ units: JSONValue?) -> Found {
    Found(value: value, symbol: units?[key]?.text ?? "hPa")
  }

  /// Parses a date: ISO 8601 or seconds since 1970.
  private static func time(_ value: JSONValue) -> Int64? {
    if let text = value.text { return UTCTime.parseLoosely(text) }
    return value.whole(Int64.self).flatMap {
      let (moment, isTooLarge) = $0.multipliedReportingOverflow(by: TimeSpan.second)
      return isTooLarge ? nil : moment
    }
  }
}
