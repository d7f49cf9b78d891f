import Forecasts
import Quantities
import Readings
import Support

/// The values of a part of a forecast response, such as the hourly ones, in any format.
struct ForecastTable {
  /// A variable with its values.
  struct Column {
    /// The name, as the client spells it.
    let name: String
    let unit: ResponseUnit
    /// The number of decimals in JSON.
    let decimals: Int
    /// The values; times are in seconds since 1970.
    let values: [Double?]
    /// `true` if the values are times.
    var isTime = false
    /// The variable, its height above ground in m and its statistic, in the format of FlatBuffers.
    var number: UInt8 = 0, height: Int16 = 0, statistic: UInt8 = 0
  }

  /// The name of the part in JSON.
  let name: String
  /// The time in seconds between two values.
  let interval: Int
  /// The times in seconds since 1970.
  let times: [Int]
  let columns: [Column]
  /// `true` for one moment, whose values are no lists in JSON.
  var isMoment = false
  /// `true` if times are written as dates.
  var hasDates = false
}

/// Computes the tables of a forecast response.
struct ForecastTables {
  /// The interval of current values in seconds, over which their rain and snow are summed.
  private static let quarter = 900

  let request: ForecastRequest
  let weather: Weather

  private func column(
    _ asked: ForecastRequest.Asked<HourlyVariable>, _ values: (HourlyVariable) -> [Double?],
    _ count: Int
  ) -> ForecastTable.Column {
    guard let variable = asked.variable else {
      return .init(
        name: asked.name, unit: .undefined, decimals: 0, values: Array(repeating: nil, count: count)
      )
    }
    let (number, height) = variable.identity
    return .init(
      name: asked.name, unit: variable.unit(request.units),
      decimals: variable.decimals(request.units), values: values(variable), number: number,
      height: height)
  }

  /// Returns the current values, which are the station's, or computed from them, if the station applies to the location.
  func current(_ now: Int, _ snapshot: StationSnapshot?) -> ForecastTable {
    moment("current", request.current, now, snapshot)
  }

  /// Returns the current weather in Open-Meteo's earlier form, whose names have no heights.
  func currentWeather(_ now: Int, _ snapshot: StationSnapshot?) -> ForecastTable {
    let names: [(String, HourlyVariable)] = [
      ("temperature", .temperature), ("windspeed", .windSpeed), ("winddirection", .windDirection),
      ("is_day", .isDay), ("weathercode", .code),
    ]
    return moment("current_weather", names.map { .init(name: $0, variable: $1) }, now, snapshot)
  }

  private func moment(
    _ name: String, _ asked: [ForecastRequest.Asked<HourlyVariable>], _ now: Int,
    _ snapshot: StationSnapshot?
  ) -> ForecastTable {
    let moment = now - CivilTime.modulo(now, Self.quarter)
    var weather = weather
    weather.present = snapshot?.state.reading.map { (moment, $0) }
    return ForecastTable(
      name: name, interval: Self.quarter, times: [moment],
      columns: asked.map { asked in
        column(asked, { [value($0, weather, moment, snapshot)] }, 1)
      }, isMoment: true)
  }

  private func value(
    _ variable: HourlyVariable, _ weather: Weather, _ moment: Int, _ snapshot: StationSnapshot?
  ) -> Double? {
    let own: Double?
    switch variable {
    case .seaLevelPressure: own = snapshot?.state.seaLevel
    case .isDay: own = Sun.isUp(weather.forecast.location, at: moment) ? 1 : 0
    case .surfacePressure: own = snapshot?.state.reading?.pascals.map(Quantity.pressure.shown)
    default: own = nil
    }
    return own ?? variable.value(weather, moment, over: Self.quarter, request.units)
  }

  /// Returns the hourly values of the requested times.
  func hourly() -> ForecastTable { series("hourly", request.hourly, request.hours, step: 3600) }

  /// Returns the 15-minute values of the requested times: rain and snow of the last 15 minutes, and
  /// other values between those of the forecast's hours.
  func quarters() -> ForecastTable {
    series("minutely_15", request.minutely, request.quarters, step: Self.quarter)
  }

  private func series(
    _ name: String, _ asked: [ForecastRequest.Asked<HourlyVariable>], _ range: Range<Int>, step: Int
  ) -> ForecastTable {
    let times = Array(stride(from: range.lowerBound, to: range.upperBound, by: step))
    return ForecastTable(
      name: name, interval: step, times: times,
      columns: asked.map { asked in
        column(
          asked,
          { variable in times.map { variable.value(weather, $0, over: step, request.units) } },
          times.count)
      })
  }

  /// Returns the daily values of all requested days.
  ///
  /// A day's time is its midnight by the offset of the whole response, also across a change of the clocks: clients add that
  /// offset to get the date.
  func daily() -> ForecastTable {
    let days = (0..<request.days.count).map { request.days.first + $0 * 86400 }
    let zone = request.zone
    let columns = request.daily.map { asked -> ForecastTable.Column in
      func times(_ rising: Bool, _ number: UInt8) -> ForecastTable.Column {
        let crossings = days.map { day -> Double? in
          let crossing = Sun.crossing(
            weather.forecast.location, from: zone.utc(day), to: zone.utc(day + 86400),
            rising: rising)
          return crossing.map { Double($0 - CivilTime.modulo($0, 60)) }
        }
        return .init(
          name: asked.name, unit: request.timeUnit, decimals: 0, values: crossings, isTime: true,
          number: number)
      }
      switch asked.variable {
      case nil:
        return .init(
          name: asked.name, unit: .undefined, decimals: 0,
          values: Array(repeating: nil, count: days.count))
      case .sunrise: return times(true, 40)
      case .sunset: return times(false, 41)
      case .daylight:
        let lengths = days.map {
          Sun.daylight(weather.forecast.location, from: zone.utc($0), to: zone.utc($0 + 86400))
        }
        return .init(name: asked.name, unit: .seconds, decimals: 0, values: lengths, number: 7)
      case .statistic(let hourly, let statistic):
        let values = days.map { day in
          let hours = Array(stride(from: zone.utc(day), to: zone.utc(day + 86400), by: 3600))
          return DailyVariable.value(of: hourly, statistic, weather, hours, request.units)
        }
        let isCount = statistic == .hours
        return .init(
          name: asked.name, unit: isCount ? .hours : hourly.unit(request.units),
          decimals: isCount ? 0 : hourly.decimals(request.units), values: values,
          number: isCount ? 25 : hourly.identity.number, height: hourly.identity.height,
          statistic: statistic.number)
      }
    }
    return ForecastTable(
      name: "daily", interval: 86400, times: days.map { $0 - request.shift }, columns: columns,
      hasDates: true)
  }
}

extension ForecastRequest {
  /// The unit of times in the response.
  var timeUnit: ResponseUnit { isUnixTime ? .unixTime : .iso8601 }

  /// Encodes a time, either in local time or as a number.
  private func time(_ moment: Int, asDate: Bool = false) -> JSONValue {
    if isUnixTime { return .integer(moment) }
    if asDate { return .string(CivilTime.dateText(of: moment + shift)) }
    return .string(CivilTime.text(moment + zone.offset(at: moment)))
  }

  /// Encodes a table as JSON: the units, and the values.
  func members(_ table: ForecastTable) -> [(key: String, value: JSONValue)] {
    var units: [(key: String, value: JSONValue)] = [("time", .string(timeUnit.text))]
    let times = table.times.map { time($0, asDate: table.hasDates) }
    var values: [(key: String, value: JSONValue)] = [
      ("time", table.isMoment ? times[0] : .array(times))
    ]
    if table.isMoment {
      units.append(("interval", .string("seconds")))
      values.append(("interval", .integer(table.interval)))
    }
    for column in table.columns {
      units.append((column.name, .string(column.unit.text)))
      let list = column.values.map { value -> JSONValue in
        column.isTime ? value.map { time(Int($0)) } ?? .null : .rounded(value, column.decimals)
      }
      values.append((column.name, table.isMoment ? list[0] : .array(list)))
    }
    return [("\(table.name)_units", .object(units)), (table.name, .object(values))]
  }

  /// Returns the abbreviation of a time zone's offset, such as `GMT+1` or `GMT-3:30`.
  static func abbreviation(_ shift: Int) -> String {
    guard shift != 0 else { return "GMT" }
    let minutes = abs(shift) / 60 % 60
    return "GMT\(shift > 0 ? "+" : "-")\(abs(shift) / 3600)"
      + (minutes == 0 ? "" : ":\(minutes < 10 ? "0" : "")\(minutes)")
  }
}
