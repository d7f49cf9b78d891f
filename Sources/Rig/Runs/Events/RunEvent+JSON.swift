import Environment
package import Parts
package import Barometry
import DriverDefects
import Files
import I2C
package import Rigs
package import Text
import VirtualI2C

extension RunEvent {
  /// The event as one line of the JSON Lines report.
  package var json: JSONValue {
    switch self {
    case .began(let rig, _):
      .object([
        ("event", .string("rig")), ("name", .string(rig.name)), ("seed", .integer(rig.seed)),
        ("clock", .string(rig.clock.rawValue)),
      ])
    case .reading(let reading): reading.json
    case .beside(let beside): beside.json
    case .error(let error): error.json
    case .outOfReach(let event): event.json
    case .average(let average): average.json
    case .forecast(let forecast): forecast.json
    case .outlook(let outlook): outlook.json
    case .cabin(let report): report.json(.cabin)
    case .search(let step): step.json
    case .haven(let report): report.json(.haven)
    case .notification(let notification): notification.json
    case .fault(let report):
      report.json
    case .board(let board):
      .object([
        ("event", .string(Kind.board.rawValue)), ("t", .seconds(board.time)),
        ("bus", .integer(board.bus)),
        ("commands", .integer(board.commands)), ("too_long", .integer(board.tooLong)),
        ("lost", .integer(board.lost)), ("refused", .integer(board.refused)),
        ("battery_percent", .integer(board.battery)),
      ])
    case .verdict(let verdict): verdict.json
    case .notice(let notice): notice.json
    case .charge(let report): report.json
    case .remark(let remark): remark.json
    case .ended(let end): end.json
    case .failure(let failure): failure.json
    }
  }

  /// The first keys of every event that belongs to a sensor.
  package static func head(
    _ kind: Kind, _ time: UInt64, _ place: Rig.SensorPlace
  ) -> [(key: String, value: JSONValue)] {
    [
      ("event", .string(kind.rawValue)), ("t", .seconds(time)), ("bus", .integer(place.bus)),
      ("address", .integer(place.address.rawValue)),
    ]
  }

  /// The keys of measured values, those that were measured.
  fileprivate static func values(
    _ temperature: Double?, _ pressure: Double?, _ humidity: Double?
  ) -> [(key: String, value: JSONValue)] {
    let all = [
      ("temperature_c", temperature), ("pressure_pa", pressure), ("humidity_rh", humidity),
    ]
    return all.compactMap { key, value in value.map { (key, .decimal($0)) } }
  }
}

extension RunEvent.Reading {
  fileprivate var json: JSONValue {
    .object(
      RunEvent.head(.reading, time, place)
        + RunEvent.values(
          sample.celsius, sample.pascals, sample.relativeHumidity)
        + [("raw", sample.codes.json)])
  }
}

extension RunEvent.Beside {
  fileprivate var json: JSONValue {
    var fields = RunEvent.head(.beside, reading.time, reading.place)
    if let shown {
      fields += RunEvent.values(shown.temperature, shown.pressure, shown.humidity)
      fields.append(("would_trap", .bool(shown.wouldTrap)))
    }
    if let board { fields.append(("board_temperature_c", .decimal(board))) }
    return .object(fields)
  }
}

extension Sample.Codes {
  /// The codes that there are, under the names of the datasheets.
  package var json: JSONValue {
    let all = [("adc_T", temperature), ("adc_P", pressure), ("adc_H", humidity)]
    return .object(all.compactMap { key, code in code.map { (key, .integer($0)) } })
  }
}

extension RunEvent.SensorError {
  fileprivate var json: JSONValue {
    .object(
      RunEvent.head(.error, time, place)
        + [
          ("step", .string(error.step)), ("error", .string(error.cause)),
        ])
  }
}

extension RunEvent.OutOfReach {
  fileprivate var json: JSONValue {
    .object(
      RunEvent.head(.outOfReach, time, place)
        + [
          ("quantity", .string(channel.rawValue)), ("asked", .decimal(shortfall.asked)),
          ("nearest", .decimal(shortfall.nearest)), ("unit", .string(channel.unit)),
        ])
  }
}

extension RunEvent.Average {
  fileprivate var json: JSONValue {
    .object(
      RunEvent.head(.average, time, place)
        + RunEvent.values(temperature?.measured, pressure?.measured, humidity?.measured)
        + [("samples", .integer(samples))])
  }
}

extension RunEvent.ForecastResult {
  fileprivate var json: JSONValue {
    switch result {
    case .success(let forecast):
      .object(
        RunEvent.head(.forecast, time, place)
          + [
            ("forecast", .string("\(forecast.trend.name)")),
            ("rate_hpa_per_h", .decimal(forecast.rate)), ("method", .string("thesis")),
          ])
    case .failure(let refusal):
      .object(
        RunEvent.head(.noForecast, time, place)
          + [("reason", .string(refusal.sentence)), ("method", .string("thesis"))])
    }
  }
}

extension RunEvent.Outlook {
  fileprivate var json: JSONValue {
    .object(
      RunEvent.head(.forecast, time, place)
        + [
          ("forecast", .string(word)), ("text", .string(text)), ("rate_hpa_per_h", .decimal(rate)),
          ("method", .string(method.rawValue)),
        ])
  }
}

extension RunEvent.NotificationSent {
  fileprivate var json: JSONValue {
    .object([
      ("event", .string(RunEvent.Kind.notification.rawValue)), ("t", .seconds(time)),
      ("on", .string(event)),
      ("command", .array(command.map { .string($0) })), ("run", .bool(wasRun)),
    ])
  }
}

extension Verdict {
  fileprivate var json: JSONValue {
    .object([
      ("event", .string("verdict")), ("t", .seconds(time)), ("passed", .bool(passed)),
      ("expectations", .integer(findings.count)), ("failed", .integer(failed)),
      ("findings", .array(findings.map(\.json))),
    ])
  }
}

extension Verdict.Finding {
  fileprivate var json: JSONValue {
    .object([
      ("expectation", .string(expectation.title)), ("line", .integer(expectation.line)),
      ("passed", .bool(passed)), ("detail", .string(detail)),
    ])
  }
}

extension ThesisForecaster.Refusal {
  /// Why there is no forecast, in words.
  package var sentence: String {
    func minutes(_ nanoseconds: Int64) -> String {
      Decimal.shortest((Double(nanoseconds) / 6e9).rounded() / 10) + " min"
    }
    return switch self {
    case .noData: "no pressure is stored yet"
    case .tooShort(let span, let needed):
      "the history spans \(minutes(span)), \(minutes(needed)) are needed"
    case .tooOld(let age, let allowed):
      "the youngest pressure is \(minutes(age)) old, \(minutes(allowed)) are allowed"
    case .gap(let length, let span, let needed):
      "after a gap of \(minutes(length)) the history spans \(minutes(span)), "
        + "\(minutes(needed)) are needed"
    }
  }
}

extension RunEvent.FaultReport {
  /// The object of the event; one that lasts to the end has no planned count.
  fileprivate var json: JSONValue {
    var fields: [(key: String, value: JSONValue)] = [
      ("event", .string(RunEvent.Kind.fault.rawValue)), ("t", .seconds(time)),
      ("fault", .string(fault.name)), ("number", .integer(number)), ("bus", .integer(fault.bus)),
      ("fired", .bool(count > 0)), ("count", .integer(count)),
      ("complete", .bool(fault.hasFired(count))),
    ]
    if fault.plan.count != PlannedFault.unlimited {
      fields.append(("planned", .integer(fault.plan.count)))
    }
    if let address = fault.plan.address { fields.append(("address", .integer(address.rawValue))) }
    if let span {
      fields += [("first_t", .seconds(span.first)), ("last_t", .seconds(span.last))]
    }
    return .object(fields)
  }
}
