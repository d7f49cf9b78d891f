extension RunEvent {
  /// The kinds of events: one table, of which every report and the page of events is made.
  package enum Kind: String, CaseIterable, Sendable {
    case rig
    case reading, average, forecast
    case noForecast = "no-forecast"
    case error
    case saturated = "out-of-reach"
    case standIn = "stand-in"
    case notification, fault
    case comparison = "beside"
    case cabin, search
    case haven = "safe-haven"
    case level = "pressure-alarm"
    case board, traffic, replay, verdict
    case notice, charge, remark, uart, energy, footprint, end, failure
  }

  /// Its kind.
  package var kind: Kind {
    switch self {
    case .began: .rig
    case .reading: .reading
    case .comparison: .comparison
    case .error: .error
    case .saturated: .saturated
    case .average: .average
    case .standIn: .standIn
    case .forecast(let forecast): (try? forecast.result.get()) == nil ? .noForecast : .forecast
    case .otherForecast: .forecast
    case .cabin: .cabin
    case .search: .search
    case .haven: .haven
    case .level: .level
    case .notification: .notification
    case .fault: .fault
    case .board: .board
    case .traffic: .traffic
    case .replay: .replay
    case .verdict: .verdict
    case .notice: .notice
    case .charge: .charge
    case .remark: .remark
    case .serial: .uart
    case .consumption: .energy
    case .footprint: .footprint
    case .ended: .end
    case .failure: .failure
    }
  }
}

extension RunEvent.Kind {
  /// The array that holds such events in the JSON report of a run; `nil` for those of which there is one each, and for
  /// those of other programs.
  package var array: String? {
    switch self {
    case .rig, .verdict, .notice, .charge, .remark, .end, .failure: nil
    case .reading: "readings"
    case .average: "averages"
    case .standIn: "stand_ins"
    case .forecast: "forecasts"
    case .noForecast: "no_forecasts"
    case .error: "errors"
    case .saturated: "out_of_reach"
    case .notification: "notifications"
    case .fault: "faults"
    case .comparison: "beside"
    case .cabin: "cabin"
    case .search: "search"
    case .haven: "safe_haven"
    case .level: "pressure_alarms"
    case .board: "boards"
    case .traffic: "traffic"
    case .replay: "replays"
    case .uart: "uart"
    case .energy: "energy"
    case .footprint: "footprints"
    }
  }

  /// One of them and many of them, in words; `nil` where the text of a run does not count them.
  package var words: (one: String, many: String)? {
    switch self {
    case .noForecast: ("forecast not made", "forecasts not made")
    case .saturated: ("value out of reach", "values out of reach")
    case .comparison: ("result to compare", "results to compare")
    case .cabin: ("report of the cabin", "reports of the cabin")
    case .search: ("step of the search", "steps of the search")
    case .haven: ("call to the safe haven", "calls to the safe haven")
    case .level: ("alarm of the pressure", "alarms of the pressure")
    case .uart: ("line of a UART", "lines of UARTs")
    case .traffic, .replay, .energy, .footprint: nil
    default: array == nil ? nil : (rawValue, rawValue + "s")
    }
  }

  /// Whether the text says so even of none.
  package var isAlwaysTold: Bool { [.reading, .average, .forecast].contains(self) }

  /// When such an event is told.
  package var occasion: String {
    switch self {
    case .rig: "first"
    case .reading:
      "for each sample, when its data have been read; channels that are skipped are left out"
    case .average: "for each cycle of which at least half of the samples came"
    case .forecast: "for each cycle, by each forecaster of the rig"
    case .noForecast: "for each cycle where the thesis's forecaster has no forecast"
    case .error: "for each sample that failed"
    case .saturated:
      "once for each quantity of a part whose calibration cannot express the air"
    case .standIn: "for each cycle in which the rig's backup stands in for a sensor that is lost"
    case .notification:
      "when a forecast changes, or a sensor is lost or back, and the rig wants somebody told"
    case .fault: "once for each planned failure, when it is over or at the end"
    case .comparison:
      "for each sample, where the rig shows a program with defects or the board's thermometer"
    case .cabin:
      "when the status of a cabin changes, and when the reserve time that was told no longer serves"
    case .search: "for each step of the search for a leak"
    case .haven:
      "once, when the reserve time is so short that the crew goes to its safe haven, or none is left"
    case .level:
      "when the pressure of a cabin comes to lie below the limit or far above what a cabin has, whatever its rate is"
    case .board: "at the end, for each board between a bus and its reader"
    case .traffic:
      "for each bus at the end, and for all but those of a fleet each time a hundredth of the run has "
        + "passed"
    case .replay: "at the end, for each bus on which a trace answers"
    case .verdict: "last, where a rig was run"
    case .notice: "when a user should know something of a program"
    case .charge: "at the end of a program, for each sensor whose current is known"
    case .remark:
      "at the end of a program, for each part with which it did what a real part punishes"
    case .uart: "for each line that firmware sends over a serial port"
    case .energy:
      "at the end of firmware with --energy, or of which energy is expected, for each state of it and each sensor"
    case .footprint: "at the end of firmware"
    case .end: "last, where a program or firmware was run"
    case .failure: "last, where no program was run"
    }
  }

  /// The fields of such events, in order, behind `event`.
  package var fields: [(name: String, meaning: String)] {
    switch self {
    case .rig: RunEvent.Beginning.fields.described()
    case .reading: RunEvent.Reading.fields.described()
    case .average: RunEvent.Average.fields.described()
    case .standIn: RunEvent.StandIn.fields.described()
    case .forecast: RunEvent.OtherForecast.fields.described()
    case .noForecast: RunEvent.ForecastResult.refusalFields.described()
    case .error: RunEvent.SensorError.fields.described()
    case .saturated: RunEvent.SaturatedReading.fields.described()
    case .notification: RunEvent.NotificationSent.fields.described()
    case .fault: RunEvent.FaultReport.fields.described()
    case .comparison: RunEvent.Comparison.fields.described()
    case .cabin, .haven, .level: RunEvent.CabinReport.fields.described()
    case .search: RunEvent.SearchStep.fields.described()
    case .board: RunEvent.BoardReport.fields.described()
    case .traffic: RunEvent.TrafficReport.fields.described()
    case .replay: RunEvent.ReplayReport.fields.described()
    case .verdict: Verdict.fields.described()
    case .notice: RunEvent.Notice.fields.described()
    case .charge: RunEvent.ChargeReport.fields.described()
    case .remark: RunEvent.Remark.fields.described()
    case .uart: RunEvent.SerialLine.fields.described()
    case .energy: RunEvent.Consumption.fields.described()
    case .footprint: RunEvent.Footprint.fields.described()
    case .end: RunEvent.ProgramEnd.fields.described()
    case .failure: RunEvent.RunFailure.fields.described()
    }
  }
}
