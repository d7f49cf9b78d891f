import Forecasts
import Quantities
import Readings

/// Writes the parts of a forecast.
struct ForecastTelling {
  let request: ForecastRequest
  let weather: Weather

  /// `GMT+1`, `GMT-3:30` and their like.
  static func abbreviation(_ shift: Int) -> String {
    guard shift != 0 else { return "GMT" }
    let minutes = abs(shift) / 60 % 60
    return "GMT\(shift > 0 ? "+" : "-")\(abs(shift) / 3600)"
      + (minutes == 0 ? "" : ":\(minutes < 10 ? "0" : "")\(minutes)")
  }

  /// A moment, in local time or as a number.
  private func time(_ moment: Int) -> JSON {
    if request.isUnixTime { return .int(moment) }
    return .string(CivilTime.text(moment + request.zone.offset(at: moment)))
  }

  private func day(_ local: Int) -> JSON {
    request.isUnixTime ? .int(utc(local)) : .string(CivilTime.dateText(of: local))
  }

  private var timeUnit: JSON { .string(request.isUnixTime ? "unixtime" : "iso8601") }

  /// The moment of a local midnight.
  private func utc(_ local: Int) -> Int {
    let guess = local - request.zone.offset(at: local)
    return local - request.zone.offset(at: guess)
  }

  /// What is now: the station's where it speaks for the place.
  func current(_ now: Int, _ snapshot: StationSnapshot?) -> [(String, JSON)] {
    let moment = now - CivilTime.modulo(now, 900)
    var units: [(String, JSON)] = [("time", timeUnit), ("interval", .string("seconds"))]
    var values: [(String, JSON)] = [("time", time(moment)), ("interval", .int(900))]
    for variable in request.current {
      units.append((variable.rawValue, .string(variable.unit(request.units))))
      let value: Double?
      switch variable {
      case .temperature:
        value = snapshot?.state.reading?.celsius.map { request.units.temperature($0) ?? $0 }
      case .humidity: value = snapshot?.state.reading?.humidity
      case .seaLevelPressure: value = snapshot?.state.seaLevel
      case .isDay: value = Sun.isUp(weather.forecast.place, at: moment) ? 1 : 0
      case .surfacePressure: value = snapshot?.state.reading?.pascals.map(Quantity.pressure.shown)
      case .precipitation:
        value = variable.value(
          weather, moment - CivilTime.modulo(moment, 3600) + 3600, request.units)
      default: value = nil
      }
      values.append(
        (
          variable.rawValue,
          .number(
            value ?? variable.value(weather, moment, request.units),
            variable.decimals(request.units))
        ))
    }
    return [("current_units", .object(units)), ("current", .object(values))]
  }

  /// The hours of all days.
  func hourly() -> [(String, JSON)] {
    let first = utc(request.days.first)
    let end = utc(request.days.first + request.days.count * 86400)
    let moments = Array(stride(from: first, to: end, by: 3600))
    var units: [(String, JSON)] = [("time", timeUnit)]
    var values: [(String, JSON)] = [("time", .array(moments.map(time)))]
    for variable in request.hourly {
      units.append((variable.rawValue, .string(variable.unit(request.units))))
      let decimals = variable.decimals(request.units)
      values.append(
        (
          variable.rawValue,
          .array(moments.map { .number(variable.value(weather, $0, request.units), decimals) })
        ))
    }
    return [("hourly_units", .object(units)), ("hourly", .object(values))]
  }

  /// The days.
  func daily() -> [(String, JSON)] {
    let days = (0..<request.days.count).map { request.days.first + $0 * 86400 }
    var units: [(String, JSON)] = [("time", timeUnit)]
    var values: [(String, JSON)] = [("time", .array(days.map(day)))]
    for variable in request.daily {
      units.append(
        (variable.rawValue, variable.hourly.map { .string($0.unit(request.units)) } ?? timeUnit))
      values.append((variable.rawValue, .array(days.map { value(variable, $0) })))
    }
    return [("daily_units", .object(units)), ("daily", .object(values))]
  }

  private func value(_ variable: DailyVariable, _ local: Int) -> JSON {
    let (first, end) = (utc(local), utc(local + 86400))
    guard let hourly = variable.hourly else {
      let crossing = Sun.crossing(
        weather.forecast.place, from: first, to: end, rising: variable == .sunrise)
      return crossing.map { time($0 - CivilTime.modulo($0, 60)) } ?? .null
    }
    let hours = Array(stride(from: first, to: end, by: 3600))
    return .number(
      variable.value(weather, hours, request.units), hourly.decimals(request.units))
  }
}
