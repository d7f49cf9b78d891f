package import Barometry
package import Bench
package import Bridges
package import Diagnosis
package import Environment
package import I2C
import I2CTrace
package import Parts
package import Quantities
package import Rigs
import TraceTools
import VirtualI2C

/// An event of a run; times are in nanoseconds since the start of the run.
package enum RunEvent: Sendable {
  /// The run has started.
  case began(Rig, startMoment: Int64)
  /// A sensor was read.
  case reading(Reading)
  /// A sensor's result was compared with the result that a faulty program computes from the same
  /// bytes, or with the board's own thermometer.
  case comparison(Comparison)
  /// A sensor could not be read.
  case error(SensorError)
  /// The air left the output range of a sensor's calibration for the first time.
  case saturated(SaturatedReading)
  /// The readings of a cycle were averaged.
  case average(Average)
  /// The pressure of a backup source replaces that of a lost sensor.
  case standIn(StandIn)
  /// The thesis forecaster made a forecast, or could not make one.
  case forecast(ForecastResult)
  /// Another forecaster made a forecast.
  case otherForecast(OtherForecast)
  /// The status of a cabin changed, or the last reported reserve time (the time until the pressure
  /// reaches a limit) is outdated.
  case cabin(CabinReport)
  /// The pressure of a cabin left the habitable range, whether or not because of a leak.
  case level(CabinReport)
  /// A step of the search for a leak.
  case search(SearchStep)
  /// The reserve time (the time until the pressure reaches a limit) is short, so the crew goes to
  /// its safe haven.
  case haven(CabinReport)
  /// A notification that the rig configures was triggered.
  case notification(NotificationSent)
  /// The report on an injected fault, made when the fault is over or at the end of the run.
  case fault(FaultReport)
  /// The statistics, at the end of the run, of a board that connects a bus to the program.
  case board(BoardReport)
  /// The number of transfers on a bus so far.
  case traffic(TrafficReport)
  /// The result of the replay of a trace.
  case replay(ReplayReport)
  /// The run is over; the verdict contains the results of all expectations.
  case verdict(Verdict)
  /// A notice for the user about a program that uses the bench.
  case notice(Notice)
  /// The charge that a sensor used while a program ran.
  case charge(ChargeReport)
  /// A program used a sensor in a way that a real part would not tolerate.
  case warning(DriverWarning)
  /// Firmware sent a line over a serial port.
  case serial(SerialLine)
  /// Firmware changed the level of a pin that the rig expects something of.
  case pin(PinChange)
  /// The charge that one consumer drew from a battery while firmware ran.
  case consumption(Consumption)
  /// The memory that firmware used.
  case footprint(Footprint)
  /// What a display shows at the end.
  case screen(Screen)
  case ended(ProgramEnd)
  /// A program could not be run.
  case failure(RunFailure)

  /// One result of a sensor.
  package struct Reading: Sendable {
    /// The time at which all data of the result had been read.
    package let time: UInt64
    package let sensorID: Rig.SensorID
    /// The measured values.
    package let sample: Sample
    /// The air around the sensor at `time`; `nil` if unknown.
    package let air: Air?
    /// The rate at which the pressure changed over 30 s, corrected to constant temperature; `nil`
    /// without leak detection.
    package var leakRate: LeakAssessment.Rate?
    /// The charge in µC that the part has used since power-on; `nil` if unknown.
    package var charge: Double?
    /// The measured quantities that are outside the specified range of the part.
    package let outside: [Quantity]

    package init(
      time: UInt64, sensorID: Rig.SensorID, sample: Sample, air: Air? = nil,
      leakRate: LeakAssessment.Rate? = nil, charge: Double? = nil, outside: [Quantity] = []
    ) {
      self.outside = outside
      self.time = time
      self.sensorID = sensorID
      self.sample = sample
      self.air = air
      self.leakRate = leakRate
      self.charge = charge
    }
  }

  /// The values that are compared with the result of a sensor.
  package struct Comparison: Sendable {
    /// The result of the sensor.
    package let reading: Reading
    /// The result that a faulty program computes from the same bytes; `nil` if the rig configures
    /// none.
    package let shown: FaultyDecoder.Result?
    /// The board's own temperature in °C; `nil` if the board has no thermometer.
    package let board: Double?
  }

  /// A failure to read a sensor.
  package struct SensorError: Sendable {
    /// The time of the failure.
    package let time: UInt64
    package let sensorID: Rig.SensorID
    /// The failure of the driver.
    package let error: SensorFailure
    /// The reason why the board that connects the bus to the program could not be reached; `nil` if
    /// it could be reached or if there is no such board.
    package let absence: SimulatedGATTLink.Absence?

    package init(
      time: UInt64, sensorID: Rig.SensorID, error: SensorFailure,
      absence: SimulatedGATTLink.Absence? = nil
    ) {
      self.time = time
      self.sensorID = sensorID
      self.error = error
      self.absence = absence
    }

    /// The failure and its reason in words.
    package var sentence: String { error.sentence(absence: absence) }
  }

  /// Air outside the output range of a sensor's calibration.
  package struct SaturatedReading: Sendable {
    /// The time at which the result was read.
    package let time: UInt64
    package let sensorID: Rig.SensorID
    package let channel: Quantity
    /// The air value and the nearest value that the part can output, in Pa, °C or %.
    package let shortfall: Saturation
  }

  /// The average of a cycle.
  package struct Average: Sendable {
    /// The time at which the last sample of the cycle was read.
    package let time: UInt64
    /// The time at which the first sample of the cycle was triggered.
    package let start: UInt64
    package let sensorID: Rig.SensorID
    /// The number of samples.
    package let samples: Int
    /// For each quantity, the mean of the samples and the mean of the air at the same times, in °C,
    /// Pa and %; `nil` if the quantity is missing from a sample.
    package let means: PerQuantity<Mean?>
    /// The quantities that are outside the specified range of the part in at least one sample.
    package let outside: [Quantity]
    /// The means of the values that the sensor is compared with; `nil` if nothing is compared.
    package var compared: ComparedMeans?
  }

  /// The means, over a cycle, of the values that the sensor's results are compared with.
  package struct ComparedMeans: Sendable {
    /// The mean result of the faulty program, in °C, Pa and %; `nil` for a quantity that the
    /// program does not display.
    package let shown: AirReading
    /// `true` if the faulty program would have crashed in a language that traps on overflow.
    package let wouldTrap: Bool
    /// The mean of the board's own temperature in °C; `nil` if the board has no thermometer.
    package let board: Double?
  }

  /// The mean of one quantity as measured, and of the same quantity of the ambient air.
  package struct Mean: Sendable {
    /// The mean of the sensor's values.
    package let measured: Double
    /// The mean of the ambient air at the same times.
    package let air: Double
  }

  /// A pressure from the backup source that replaces the pressure of a lost sensor.
  package struct StandIn: Sendable {
    /// The time of the pressure.
    package let time: UInt64
    /// The lost sensor.
    package let sensorID: Rig.SensorID
    /// The pressure that is stored for the sensor, in Pa: the backup source's pressure plus
    /// `offset`.
    package let pascals: Double
    /// The last difference between sensor and source, in Pa; `nil` if both were never available at the same time.
    package let offset: Double?
    package let source: String

    /// Creates the report of a pressure.
    package init(
      time: UInt64, sensorID: Rig.SensorID, pascals: Double, offset: Double?, source: String
    ) {
      (self.time, self.sensorID, self.pascals) = (time, sensorID, pascals)
      (self.offset, self.source) = (offset, source)
    }
  }

  /// A forecast by the thesis forecaster, or the reason why there is no forecast.
  package struct ForecastResult: Sendable {
    /// The time of the forecast.
    package let time: UInt64
    /// The sensor whose pressures the forecast is based on.
    package let sensorID: Rig.SensorID
    /// The forecast, or the reason why there is none.
    package let result: Result<ThesisForecaster.Forecast, ThesisForecaster.ForecastError>
    /// The number of pressures from the backup source among those that the forecast is based on.
    package let standIns: Int
    /// The number of pressures that the forecast is based on.
    package let pressures: Int
  }

  /// A forecast by one of the other forecasters, in the terms of that forecaster.
  package struct OtherForecast: Hashable, Sendable {
    /// The time of the forecast.
    package let time: UInt64
    /// The sensor whose pressures the forecast is based on.
    package let sensorID: Rig.SensorID
    package let method: Pipeline.Forecaster
    /// The class, the letter or the code of the forecast, depending on the forecaster.
    package let word: String
    /// The meaning of `word`; empty if it is self-explanatory.
    package let text: String
    /// The rate of pressure change that the forecast is based on, in hPa/h.
    package let rate: Double
    /// The number of pressures from the backup source among those that the forecast is based on.
    package let standIns: Int
    /// The number of pressures that the forecast is based on.
    package let pressures: Int
  }

  /// A triggered notification.
  package struct NotificationSent: Sendable {
    /// The time of the event.
    package let time: UInt64
    /// The event: `forecast-change` or `alarm`.
    package let event: String
    /// The program and its arguments, with placeholders replaced.
    package let command: [String]
    /// `true` if the program was run, which needs `--allow-run`.
    package let wasRun: Bool
  }

  /// The statistics of a board that connects a bus to the program.
  package struct BoardReport: Hashable, Sendable {
    /// The end of the run.
    package let time: UInt64
    /// The number of the bus that the board is on.
    package let bus: Int
    /// The number of commands that the board received; its LED blinks once for each.
    package let commands: Int
    /// The number of reads that were longer than the limit of the board and returned no data.
    package let tooLong: Int
    /// The number of lost responses, and the number of operations attempted without a connection.
    package let lost: Int, refused: Int
    /// The state of charge of the board's battery in percent.
    package let battery: Int
    /// The number of operations attempted without a connection, by reason.
    package let refusals: [SimulatedGATTLink.Absence: Int]
    /// The charge that the board used, in mAh; `nil` if the battery is not modelled.
    package let charge: Double?
    /// The time at which the battery became empty, in nanoseconds; `nil` if it is not empty.
    package let flatSince: UInt64?
    /// The battery life in hours if the board continues to be used at the rate of this run: with
    /// its microcontroller always awake, and with it asleep between radio events; `nil` if the
    /// battery is not modelled.
    package let life: Double?, lifeAsleep: Double?
    /// The statistics of the Bluetooth stack; `nil` for a simulated link.
    package let radio: BoardRadios.Account?
  }

  /// The transfers on a bus.
  package struct TrafficReport: Hashable, Sendable {
    /// The end of the period in which transfers were counted.
    package let time: UInt64
    /// The number of the bus.
    package let bus: Int
    /// The number of transfers since the start of the run.
    package let transfers: Int
    /// The number of failed transfers.
    package let errors: Int
    /// `true` if the run is over and these are its totals.
    package let isFinal: Bool
  }

  /// The result of the replay of a trace: whether the pipeline made the recorded transfers.
  package struct ReplayReport: Hashable, Sendable {
    /// The end of the run.
    package let time: UInt64
    /// The number of the bus.
    package let bus: Int
    /// `true` if all transfers matched the trace.
    package let isSame: Bool
    /// The differences, and the transfers that were skipped, in words.
    package let lines: [String]
  }

  /// The result of a fault.
  package struct FaultReport: Hashable, Sendable {
    /// The time at which the fault was over, or the end of the run.
    package let time: UInt64
    /// The fault with its firings.
    package let fault: Fault
    /// The number of times that the fault fired.
    package var count: Int { fault.plan.fired }

    package init(time: UInt64, fault: Fault) { (self.time, self.fault) = (time, fault) }
  }
}

/// The results of the expectations of a run.
package struct Verdict: Hashable, Sendable {
  /// The result of one expectation.
  package struct Finding: Hashable, Sendable {
    package let expectation: Expectation
    /// `true` if the expectation was met.
    package let passed: Bool
    /// A description of the actual result.
    package let detail: String
    /// The time of the result, in nanoseconds since the start of the run; `nil` if the result
    /// concerns the whole run.
    package let time: UInt64?
    /// The faults to which the expectation refers, with their firings.
    package let faults: [RunEvent.FaultReport]
  }

  /// The end of the run, in nanoseconds since its start.
  package let time: UInt64
  /// One finding for each expectation, in the order of the rig.
  package let findings: [Finding]

  /// The number of expectations that were not met.
  package var failed: Int { findings.count { !$0.passed } }
  /// `true` if every expectation was met.
  package var passed: Bool { failed == 0 }
}

/// Events of firmware on the bench.
extension RunEvent {
  /// A line that firmware sent over a serial port.
  package struct SerialLine: Hashable, Sendable {
    /// The time at which the first byte of the line had been sent.
    package let time: UInt64
    /// The name of the port in the datasheet.
    package let port: String
    /// The line without its line ending.
    package let text: String

    package init(time: UInt64, port: String, text: String) {
      self.time = time
      self.port = port
      self.text = text
    }
  }

  /// A change of the level at a pin that an expectation names.
  package struct PinChange: Hashable, Sendable {
    package let time: UInt64
    /// The name of the pin in the datasheet.
    package let pin: String
    /// `true` for a change to high.
    package let isHigh: Bool

    package init(time: UInt64, pin: String, isHigh: Bool) {
      (self.time, self.pin, self.isHigh) = (time, pin, isHigh)
    }
  }

  /// What a display shows at the end of a run.
  package struct Screen: Hashable, Sendable {
    /// The end of the run.
    package let time: UInt64
    /// The number of the bus, and the address of the display.
    package let bus: Int, address: I2CAddress
    /// `true` if the panel is on.
    package let isLit: Bool
    /// The pixels by row, from the top left.
    package let pixels: [[Bool]]

    package init(time: UInt64, bus: Int, address: I2CAddress, isLit: Bool, pixels: [[Bool]]) {
      (self.time, self.bus, self.address) = (time, bus, address)
      (self.isLit, self.pixels) = (isLit, pixels)
    }
  }

  /// The charge that one consumer drew from a battery in a run.
  package struct Consumption: Hashable, Sendable {
    /// The end of the run.
    package let time: UInt64
    /// The consumer: a state of the microcontroller, or a sensor.
    package let consumer: String
    /// The time for which the consumer drew current, in nanoseconds; `nil` if unknown.
    package let duration: UInt64?
    /// The charge, in µC.
    package let microcoulombs: Double
    /// The fraction of the total charge, from 0 to 1.
    package let share: Double
    /// The source of the value of the current: the document, the table and the conditions.
    package let source: String

    /// Creates the report of a consumer.
    package init(
      time: UInt64, consumer: String, duration: UInt64?, microcoulombs: Double, share: Double,
      source: String
    ) {
      self.time = time
      self.consumer = consumer
      self.duration = duration
      self.microcoulombs = microcoulombs
      self.share = share
      self.source = source
    }
  }

  /// The memory that firmware used.
  package struct Footprint: Hashable, Sendable {
    /// The end of the run.
    package let time: UInt64
    /// The number of bytes used of each memory; memories whose use is unknown are not listed.
    package let bytes: [FirmwareMemory: Int]

    package init(time: UInt64, bytes: [FirmwareMemory: Int]) {
      self.time = time
      self.bytes = bytes
    }
  }
}

extension Rig.Bridge.Assembly {
  /// Creates the statistics of the board for a whole run.
  package func report(bus: Int, at time: UInt64) -> RunEvent.BoardReport {
    RunEvent.BoardReport(
      time: time, bus: bus, commands: board.commands, tooLong: board.tooLong, lost: link.lost,
      refused: link.refused, battery: Int(link.battery), refusals: link.refusals,
      charge: link.charge, flatSince: link.flatSince,
      life: link.life(sleeping: false), lifeAsleep: link.life(sleeping: true),
      radio: frames)
  }
}

extension SensorFailure {
  /// Describes the failure in a sentence, with the reason if the board that connects the bus to the
  /// program could not be reached.
  ///
  /// - Parameters:
  ///   - absence: the reason why the board cannot be reached; `nil` if it can be reached or if
  ///     there is no such board.
  ///   - withRemedy: whether the sentence includes a remedy. Default: `false`.
  /// - Returns: the sentence.
  package func sentence(
    absence: SimulatedGATTLink.Absence?, withRemedy: Bool = false
  ) -> String {
    guard let absence, case .wire(let error) = kind, error.kind == .noDevice else {
      return "\(self)"
    }
    let remedy = withRemedy ? "; \(absence.remedy)" : ""
    return "\(step): \(absence.reason) (\(error.errno))\(remedy)"
  }
}

extension RunEvent.ReplayReport {
  /// Creates the report of a bus; `nil` if the bus does not replay a trace.
  package init?(_ bus: Bench.Bus, at time: UInt64) {
    guard let replay = bus.replay else { return nil }
    let lines = replay.report("the trace").map { line in String(line.drop { $0 == " " }) }
    self.init(
      time: time, bus: bus.number, isSame: replay.difference == nil && replay.failure == nil,
      lines: lines)
  }
}
