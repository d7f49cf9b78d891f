package import Support

extension RunEvent {
  /// The kinds of events, from which reports and the events page are generated.
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
    case notice, charge
    case warning = "remark"
    case uart, pin, energy, footprint, screen, end, failure
  }

  /// The kind of the event.
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
    case .warning: .warning
    case .serial: .uart
    case .pin: .pin
    case .consumption: .energy
    case .footprint: .footprint
    case .screen: .screen
    case .ended: .end
    case .failure: .failure
    }
  }
}

extension RunEvent.Kind {
  /// The name of the array that contains the events of this kind in the JSON report of a run.
  ///
  /// It is `nil` for kinds with at most one event in a run, and for events of programs that run on
  /// the buses.
  package var array: String? {
    switch self {
    case .rig, .verdict, .notice, .charge, .warning, .end, .failure: nil
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
    case .pin: "pins"
    case .energy: "energy"
    case .footprint: "footprints"
    case .screen: "screens"
    }
  }

  /// The singular and plural noun for the summary of a text report; `nil` for kinds that the
  /// summary does not count.
  package var words: (one: String, many: String)? {
    switch self {
    case .noForecast: ("missing forecast", "missing forecasts")
    case .saturated: ("value outside the output range", "values outside the output range")
    case .comparison: ("compared result", "compared results")
    case .cabin: ("cabin report", "cabin reports")
    case .search: ("search step", "search steps")
    case .haven: ("call to the safe haven", "calls to the safe haven")
    case .level: ("pressure alarm", "pressure alarms")
    case .uart: ("UART line", "UART lines")
    case .pin: ("pin change", "pin changes")
    case .traffic, .replay, .energy, .footprint, .screen: nil
    default: array == nil ? nil : (rawValue, rawValue + "s")
    }
  }

  /// `true` if the summary of a text report prints the count of this kind even if it is zero.
  package var isAlwaysReported: Bool { [.reading, .average, .forecast].contains(self) }

  /// The occasion on which an event of this kind is emitted.
  package var occasion: String {
    switch self {
    case .rig: "first"
    case .reading:
      "for each sample, when its data have been read; skipped channels are omitted"
    case .average: "for each cycle with at least half of its samples"
    case .forecast: "for each cycle, by each forecaster of the rig"
    case .noForecast: "for each cycle in which the thesis forecaster makes no forecast"
    case .error: "for each failed sample"
    case .saturated:
      "once for each quantity of a part when the air leaves the output range of its calibration"
    case .standIn: "for each cycle in which the backup source of the rig replaces a lost sensor"
    case .notification:
      "when the rig has a notification for a changed forecast or an alarm"
    case .fault: "once for each fault, when it is over or at the end"
    case .comparison:
      "for each sample, if the rig compares a program with defects or the board's thermometer"
    case .cabin:
      "when the status of a cabin changes, and when the reported reserve time is outdated"
    case .search: "for each step of the search for a leak"
    case .haven:
      "once, when the reserve time is so short that the crew goes to its safe haven, or none is left"
    case .level:
      "when the pressure of a cabin falls below the limit or rises far above the range of a cabin, "
        + "independent of its rate"
    case .board: "at the end, for each board between a bus and the program"
    case .traffic:
      "for each bus at the end, and except for buses of a fleet after each hundredth of the run"
    case .replay: "at the end, for each bus that replays a trace"
    case .verdict: "last, in the run of a rig"
    case .notice: "when there is a notice for the user about a program"
    case .charge: "at the end of a program, for each sensor whose current is known"
    case .warning:
      "at the end of a program, for each part that it used in a way that a real part would not tolerate"
    case .uart: "for each line that firmware sends over a serial port"
    case .pin: "for each change by firmware of the level at a pin that an expectation names"
    case .energy:
      "at the end of firmware with --energy or an expectation of energy, for each state of the "
        + "microcontroller and each sensor"
    case .footprint: "at the end of firmware"
    case .screen: "at the end, for each display of the rig"
    case .end: "last, in the run of a program or firmware"
    case .failure: "last, if no program could be run"
    }
  }

  /// The fields of an event of this kind, in order, after `event`.
  package var fields: [(name: String, meaning: String)] {
    switch self {
    case .rig: RunEvent.Beginning.fields.described()
    case .reading: RunEvent.Reading.fields.described()
    case .average: RunEvent.Average.fields.described()
    case .standIn: RunEvent.StandIn.fields.described()
    case .forecast: RunEvent.OtherForecast.fields.described()
    case .noForecast: RunEvent.ForecastResult.failureFields.described()
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
    case .warning: RunEvent.DriverWarning.fields.described()
    case .uart: RunEvent.SerialLine.fields.described()
    case .pin: RunEvent.PinChange.fields.described()
    case .energy: RunEvent.Consumption.fields.described()
    case .footprint: RunEvent.Footprint.fields.described()
    case .screen: RunEvent.Screen.fields.described()
    case .end: RunEvent.ProgramEnd.fields.described()
    case .failure: RunEvent.RunFailure.fields.described()
    }
  }
}

extension RunEvent {
  /// The event as one line of the JSON Lines report.
  package var json: JSONValue {
    switch self {
    case .began(let rig, _): Beginning(rig: rig).json(kind)
    case .reading(let reading): reading.json(kind)
    case .comparison(let event): event.json(kind)
    case .error(let error): error.json(kind)
    case .saturated(let event): event.json(kind)
    case .average(let average): average.json(kind)
    case .standIn(let event): event.json(kind)
    case .forecast(let forecast):
      kind == .noForecast
        ? forecast.json(kind, ForecastResult.failureFields) : forecast.json(kind)
    case .otherForecast(let forecast): forecast.json(kind)
    case .cabin(let report), .haven(let report), .level(let report): report.json(kind)
    case .search(let step): step.json(kind)
    case .notification(let notification): notification.json(kind)
    case .fault(let report): report.json(kind)
    case .board(let board): board.json(kind)
    case .traffic(let report): report.json(kind)
    case .replay(let report): report.json(kind)
    case .verdict(let verdict): verdict.json(kind)
    case .notice(let notice): notice.json(kind)
    case .charge(let report): report.json(kind)
    case .warning(let warning): warning.json(kind)
    case .serial(let line): line.json(kind)
    case .pin(let change): change.json(kind)
    case .consumption(let report): report.json(kind)
    case .footprint(let report): report.json(kind)
    case .screen(let screen): screen.json(kind)
    case .ended(let end): end.json(kind)
    case .failure(let failure): failure.json(kind)
    }
  }
}
