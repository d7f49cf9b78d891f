package import Barometry
package import Bench
package import Bridges
package import DriverDefects
package import Environment
import I2C
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
  /// The result of a program with defects for the same bytes, and the board's own measurement.
  case comparison(Comparison)
  /// A sensor could not be read.
  case error(SensorError)
  /// The air left the output range of a sensor's calibration for the first time.
  case saturated(SaturatedReading)
  /// The readings of a cycle were averaged.
  case average(Average)
  /// The pressure of a backup source replaces that of a lost sensor.
  case standIn(StandIn)
  /// The forecaster of the thesis made a forecast, or could not.
  case forecast(ForecastResult)
  /// Another forecaster made a forecast.
  case otherForecast(OtherForecast)
  /// The status of a cabin changed, or the reported reserve time is outdated.
  case cabin(CabinReport)
  /// The pressure of a cabin left the habitable range, whether it falls or not.
  case level(CabinReport)
  /// A step of the search for a leak.
  case search(SearchStep)
  /// The reserve time is short: the crew goes to its safe haven.
  case haven(CabinReport)
  /// A notification of the rig was triggered.
  case notification(NotificationSent)
  /// A fault is over, or has not fired until the end of the run.
  case fault(FaultReport)
  /// The statistics of a board at the end of the run.
  case board(BoardReport)
  /// The transfers on a bus so far.
  case traffic(TrafficReport)
  /// The result of the replay of a trace.
  case replay(ReplayReport)
  /// The run is over; the results of its expectations.
  case verdict(Verdict)
  /// A notice for the user about a program that uses the bench.
  case notice(Notice)
  /// The charge that a sensor used while a program ran.
  case charge(ChargeReport)
  /// A program used a sensor in a way that a real part would not tolerate.
  case warning(DriverWarning)
  /// Firmware sent a line over a serial port.
  case serial(SerialLine)
  /// The charge that one consumer drew from a battery while firmware ran.
  case consumption(Consumption)
  /// The memory that firmware used.
  case footprint(Footprint)
  /// A program ended.
  case ended(ProgramEnd)
  /// A program was not run.
  case failure(RunFailure)

  /// One result of a sensor.
  package struct Reading: Sendable {
    /// The time at which its data had been read.
    package let time: UInt64
    /// The sensor.
    package let sensorID: Rig.SensorID
    /// The measured values.
    package let sample: Sample
    /// The air at that time; `nil` if unknown.
    package let air: Air?
    /// The change of pressure at constant temperature over 30 s; `nil` without leak detection.
    package var leakRate: LeakAssessment.Rate?
    /// The charge in µC that the part has used since power-on; `nil` if unknown.
    package var charge: Double?
    /// The quantities outside the specified range of the part.
    package let outside: [Quantity]

    /// Creates a result.
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

  /// The values that are compared with a result.
  package struct Comparison: Sendable {
    /// The result.
    package let reading: Reading
    /// The result of the program with defects; `nil` if there is none.
    package let shown: FaultyDecoder.Result?
    /// The board's own temperature in °C; `nil` if it has no thermometer.
    package let board: Double?
  }

  /// A failure to read a sensor.
  package struct SensorError: Sendable {
    /// The time of the failure.
    package let time: UInt64
    /// The sensor.
    package let sensorID: Rig.SensorID
    /// The failure of the driver.
    package let error: SensorFailure
    /// The reason why the board in between could not be reached; `nil` if it could, or without a board.
    package let absence: SimulatedGATTLink.Absence?

    /// Creates a failure.
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
    /// The sensor.
    package let sensorID: Rig.SensorID
    /// The quantity.
    package let channel: Quantity
    /// The value of the air and the nearest output of the part, in Pa, °C or %.
    package let shortfall: Saturation
  }

  /// The average of a cycle.
  package struct Average: Sendable {
    /// The time at which its last sample was read.
    package let time: UInt64
    /// The time at which its first sample was triggered.
    package let start: UInt64
    /// The sensor.
    package let sensorID: Rig.SensorID
    /// The number of samples.
    package let samples: Int
    /// The mean of each quantity in °C, Pa and %, and of the air at the same times; `nil` if a sample lacks the
    /// quantity.
    package let means: PerQuantity<Mean?>
    /// The quantities outside the specified range of the part in at least one sample.
    package let outside: [Quantity]
    /// The means of the compared values; `nil` if nothing is compared.
    package var compared: ComparedMeans?
  }

  /// The means of the compared values of a cycle.
  package struct ComparedMeans: Sendable {
    /// The result of the program with defects, in °C, Pa and %; `nil` for a quantity that it does not show.
    package let shown: AirReading
    /// Whether the program would have crashed in a language that traps on overflow.
    package let wouldTrap: Bool
    /// The mean of the board's own temperature in °C; `nil` if it has no thermometer.
    package let board: Double?
  }

  /// The mean of one quantity and of the ambient air.
  package struct Mean: Sendable {
    /// The mean of the sensor's values.
    package let measured: Double
    /// The mean of the air.
    package let air: Double
  }

  /// A pressure of the backup source that replaces that of a lost sensor.
  package struct StandIn: Sendable {
    /// The time of the pressure.
    package let time: UInt64
    /// The lost sensor.
    package let sensorID: Rig.SensorID
    /// The stored pressure in Pa: that of the source plus the offset.
    package let pascals: Double
    /// The last difference between sensor and source, in Pa; `nil` if both were never available at the same time.
    package let offset: Double?
    /// The source.
    package let source: String
  }

  /// A forecast of the thesis's forecaster, or the reason why there is none.
  package struct ForecastResult: Sendable {
    /// The time of the forecast.
    package let time: UInt64
    /// The sensor whose pressures it is based on.
    package let sensorID: Rig.SensorID
    /// The forecast or the reason.
    package let result: Result<ThesisForecaster.Forecast, ThesisForecaster.ForecastError>
    /// The number of pressures from the backup source that it is based on.
    package let standIns: Int
    /// The number of pressures that it is based on.
    package let pressures: Int
  }

  /// A forecast of another forecaster, in its own terms.
  package struct OtherForecast: Hashable, Sendable {
    /// The time of the forecast.
    package let time: UInt64
    /// The sensor whose pressures it is based on.
    package let sensorID: Rig.SensorID
    /// The forecaster.
    package let method: Pipeline.Forecaster
    /// The class, the letter or the code.
    package let word: String
    /// The meaning of ``word``; empty if it is self-explanatory.
    package let text: String
    /// The change of pressure that it is based on, in hPa/h.
    package let rate: Double
    /// The number of pressures from the backup source that it is based on.
    package let standIns: Int
    /// The number of pressures that it is based on.
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
    /// Whether the program was run, which needs `--allow-run`.
    package let wasRun: Bool
  }

  /// The statistics of a board.
  package struct BoardReport: Hashable, Sendable {
    /// The end of the run.
    package let time: UInt64
    /// The number of its bus.
    package let bus: Int
    /// The number of commands that it received; its LED blinks once for each.
    package let commands: Int
    /// The number of reads longer than its limit, which returned no data.
    package let tooLong: Int
    /// The number of lost responses, and of operations without a connection.
    package let lost: Int, refused: Int
    /// The state of charge of its battery in percent.
    package let battery: Int
    /// The number of operations without a connection, by reason.
    package let refusals: [SimulatedGATTLink.Absence: Int]
    /// The charge that it used in mAh; `nil` if the battery is not modelled.
    package let charge: Double?
    /// The time at which its battery became empty, in nanoseconds; `nil` if it is not empty.
    package let flatSince: UInt64?
    /// The battery life in hours at this rate with its microcontroller always awake, and asleep between radio
    /// events; `nil` if the battery is not modelled.
    package let life: Double?, lifeAsleep: Double?
    /// The statistics of the Bluetooth stack; `nil` for a simulated link.
    package let radio: BoardRadios.Account?
  }

  /// The transfers on a bus.
  package struct TrafficReport: Hashable, Sendable {
    /// The end of the counted time.
    package let time: UInt64
    /// The number of the bus.
    package let bus: Int
    /// The number of transfers since the start of the run.
    package let transfers: Int
    /// The number of failed transfers.
    package let errors: Int
    /// Whether the run is over and these are its totals.
    package let isFinal: Bool
  }

  /// The result of the replay of a trace: whether the pipeline made the recorded transfers.
  package struct ReplayReport: Hashable, Sendable {
    /// The end of the run.
    package let time: UInt64
    /// The number of the bus.
    package let bus: Int
    /// Whether all transfers matched the trace.
    package let isSame: Bool
    /// The differences, and the transfers that were skipped, in words.
    package let lines: [String]
  }

  /// The result of a fault.
  package struct FaultReport: Sendable {
    /// The time at which it was over, or the end of the run.
    package let time: UInt64
    /// Its number in the list of the rig, from 1.
    package let number: Int
    /// The configured fault.
    package let fault: Fault
    /// The number of times that it fired.
    package let count: Int
    /// The times of its first and last effect, in nanoseconds; `nil` if it did not fire.
    package let span: (first: UInt64, last: UInt64)?
  }
}

/// The results of the expectations of a run.
package struct Verdict: Hashable, Sendable {
  /// The result of one expectation.
  package struct Finding: Hashable, Sendable {
    /// The expectation.
    package let expectation: Expectation
    /// Whether it was met.
    package let passed: Bool
    /// A description of the actual result.
    package let detail: String
    /// The time of the result, in nanoseconds since the start of the run; `nil` if it concerns the whole run.
    package let time: UInt64?
  }

  /// The end of the run, in nanoseconds since its start.
  package let time: UInt64
  /// One finding for each expectation, in the order of the rig.
  package let findings: [Finding]

  /// The number of expectations that were not met.
  package var failed: Int { findings.count { !$0.passed } }
  /// Whether every expectation was met.
  package var passed: Bool { failed == 0 }
}

/// Events of firmware on the bench.
extension RunEvent {
  /// A line that firmware sent over a serial port.
  package struct SerialLine: Hashable, Sendable {
    /// The time at which its first byte had been sent.
    package let time: UInt64
    /// The name of the port in the datasheet.
    package let port: String
    /// The line without its line ending.
    package let text: String

    /// Creates a line.
    package init(time: UInt64, port: String, text: String) {
      self.time = time
      self.port = port
      self.text = text
    }
  }

  /// The charge that one consumer drew from a battery in a run.
  package struct Consumption: Hashable, Sendable {
    /// The end of the run.
    package let time: UInt64
    /// The consumer: a state of the microcontroller, or a sensor.
    package let consumer: String
    /// The time in which it drew current, in nanoseconds; `nil` if unknown.
    package let duration: UInt64?
    /// The charge, in µC.
    package let microcoulombs: Double
    /// The fraction of the total charge, from 0 to 1.
    package let share: Double
    /// The source of the current: document, table, condition.
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
    /// The bytes of each memory; unknown ones are missing.
    package let bytes: [FirmwareMemory: Int]

    /// Creates a footprint.
    package init(time: UInt64, bytes: [FirmwareMemory: Int]) {
      self.time = time
      self.bytes = bytes
    }
  }
}

extension Rig.Bridge.Assembly {
  /// Creates the statistics of a whole run.
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
  /// The failure as a sentence, with the reason if the board in between could not be reached.
  ///
  /// - Parameters:
  ///   - absence: the reason why it cannot be reached; `nil` if it can, or without a board.
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

extension RunEvent.FaultReport {
  /// Creates the report of a fault at a time in nanoseconds.
  package init(_ record: FaultRecord, at time: UInt64) {
    self.init(
      time: time, number: record.number, fault: record.fault, count: record.plan.fired,
      span: record.plan.span)
  }
}

extension RunEvent.ReplayReport {
  /// Creates the report of a bus; `nil` if it does not replay a trace.
  package init?(_ bus: Bench.Bus, at time: UInt64) {
    guard let replay = bus.replay else { return nil }
    let lines = replay.report("the trace").map { line in String(line.drop { $0 == " " }) }
    self.init(
      time: time, bus: bus.number, isSame: replay.difference == nil && replay.failure == nil,
      lines: lines)
  }
}
