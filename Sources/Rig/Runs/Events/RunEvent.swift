package import Barometry
package import Bridges
package import DriverDefects
package import Environment
package import Parts
package import Quantities
package import Rigs

/// What happens in a run; times in nanoseconds since its start.
package enum RunEvent: Sendable {
  /// The run begins.
  case began(Rig, startMoment: Int64)
  /// A sensor was read.
  case reading(Reading)
  /// What a program with defects makes of the same bytes, and what the board itself measures.
  case comparison(Comparison)
  /// A sensor could not be read.
  case error(SensorError)
  /// A sensor met air that its calibration cannot express, for the first time.
  case saturated(SaturatedReading)
  /// The readings of a cycle were averaged.
  case average(Average)
  /// The pressure of a backup source stands in for a sensor that is lost.
  case standIn(StandIn)
  /// A forecast was made, or refused.
  case forecast(ForecastResult)
  /// What another forecaster than that of the thesis says.
  case otherForecast(OtherForecast)
  /// The status of a cabin changed, or the reserve time that was told no longer serves.
  case cabin(CabinReport)
  /// The pressure of a cabin is one that people cannot be in, whether it falls or not.
  case level(CabinReport)
  /// A step of the search for a leak.
  case search(SearchStep)
  /// The reserve time is short: the crew goes to its safe haven.
  case haven(CabinReport)
  /// A forecast changed and somebody is to be told.
  case notification(NotificationSent)
  /// A planned failure is over, or never happened.
  case fault(FaultReport)
  /// What a board did in the whole run.
  case board(BoardReport)
  /// How busy a bus has been so far.
  case traffic(TrafficReport)
  /// How a recorded bus was replayed.
  case replay(ReplayReport)
  /// The run is over and judged.
  case verdict(Verdict)
  /// What a user should know of a program that uses the bench.
  case notice(Notice)
  /// The charge that a sensor used while a program ran.
  case charge(ChargeReport)
  /// What a program did with a sensor that a real part punishes.
  case remark(Remark)
  /// Firmware sent a line over a serial port.
  case serial(SerialLine)
  /// What one consumer took of a battery while firmware ran.
  case consumption(Consumption)
  /// What firmware took of memories.
  case footprint(Footprint)
  /// A program ended.
  case ended(ProgramEnd)
  /// A program was not run.
  case failure(RunFailure)

  /// One result of a sensor.
  package struct Reading: Sendable {
    /// When its data had been read.
    package let time: UInt64
    /// Which sensor.
    package let place: Rig.SensorID
    /// What it says.
    package let sample: Sample
    /// The air at that time; `nil` where nobody knows it.
    package let air: Air?
    /// The change of pressure at constant temperature over half a minute, where somebody watches for leaks.
    package var leakRate: LeakAssessment.Rate?
    /// The charge in µC that the part has used since power came on; `nil` where nobody knows.
    package var charge: Double?
    /// The quantities of it for which the part is not specified: nobody vouches for their numbers.
    package let outside: [Quantity]

    /// Creates a result.
    package init(
      time: UInt64, place: Rig.SensorID, sample: Sample, air: Air? = nil,
      leakRate: LeakAssessment.Rate? = nil, charge: Double? = nil, outside: [Quantity] = []
    ) {
      self.outside = outside
      self.time = time
      self.place = place
      self.sample = sample
      self.air = air
      self.leakRate = leakRate
      self.charge = charge
    }
  }

  /// What is compared with a result.
  package struct Comparison: Sendable {
    /// The result.
    package let reading: Reading
    /// What the program with defects shows; `nil` where there is none.
    package let shown: FaultyDecoder.Result?
    /// The board's own temperature in C; `nil` where it has no thermometer.
    package let board: Double?
  }

  /// A failure to read a sensor.
  package struct SensorError: Sendable {
    /// When.
    package let time: UInt64
    /// Which sensor.
    package let place: Rig.SensorID
    /// What happened on the wire.
    package let error: SensorFailure
    /// Why the board in between could not be reached; `nil` where it could, or where there is none.
    package let absence: SimulatedGATTLink.Absence?

    /// Creates a failure.
    package init(
      time: UInt64, place: Rig.SensorID, error: SensorFailure,
      absence: SimulatedGATTLink.Absence? = nil
    ) {
      self.time = time
      self.place = place
      self.error = error
      self.absence = absence
    }

    /// What happened, and why, in words.
    package var sentence: String { error.told(behind: absence) }
  }

  /// Air that a part cannot express.
  package struct SaturatedReading: Sendable {
    /// When the result was read.
    package let time: UInt64
    /// Which sensor.
    package let place: Rig.SensorID
    /// Which quantity.
    package let channel: Quantity
    /// What the air was, and what the part can say, in Pa, C or %RH.
    package let shortfall: Saturation
  }

  /// The average of a cycle.
  package struct Average: Sendable {
    /// When its last sample was read.
    package let time: UInt64
    /// When its first sample was triggered.
    package let start: UInt64
    /// Which sensor.
    package let place: Rig.SensorID
    /// How many samples it has.
    package let samples: Int
    /// The mean of each quantity in °C, Pa and %RH, and of the air at the same times; `nil` where it was not measured each time.
    package let means: PerQuantity<Mean?>
    /// The quantities for which the part is not specified in one of the samples or more.
    package let outside: [Quantity]
    /// What is compared with them, where something is.
    package var compared: ComparedMeans?
  }

  /// The averages of what is compared with a cycle.
  package struct ComparedMeans: Sendable {
    /// What the program with defects would have shown, in C, Pa and %RH; `nil` where it shows none.
    package let shown: AirReading
    /// Whether a language that traps on overflow would have ended the program.
    package let wouldTrap: Bool
    /// The mean of the board's own temperature in C; `nil` where it has no thermometer.
    package let board: Double?
  }

  /// The mean of one channel and of the air around.
  package struct Mean: Sendable {
    /// What the sensor said.
    package let measured: Double
    /// What the air was.
    package let air: Double
  }

  /// A pressure that does not come from the sensor.
  package struct StandIn: Sendable {
    /// When it was taken.
    package let time: UInt64
    /// For which sensor it stands.
    package let place: Rig.SensorID
    /// The pressure in Pa as it is kept: that of the source and what the sensor differed from it.
    package let pascals: Double
    /// By how much the sensor differed from the source when both were known, in Pa; `nil` where they never were.
    package let offset: Double?
    /// The source.
    package let source: String
  }

  /// A forecast, or why there is none.
  package struct ForecastResult: Sendable {
    /// When it was made.
    package let time: UInt64
    /// From which sensor.
    package let place: Rig.SensorID
    /// The forecast or the refusal.
    package let result: Result<ThesisForecaster.Forecast, ThesisForecaster.ForecastError>
    /// How many of the pressures behind it stand in for those of a sensor that was lost.
    package let standIns: Int
    /// How many pressures are behind it in all.
    package let pressures: Int
  }

  /// What a forecaster says in its own words.
  package struct OtherForecast: Hashable, Sendable {
    /// When it said so.
    package let time: UInt64
    /// From which sensor.
    package let place: Rig.SensorID
    /// Which forecaster.
    package let method: Pipeline.Forecaster
    /// The class, the letter or the code.
    package let word: String
    /// What that means, if it needs words.
    package let text: String
    /// The change of pressure behind it, in hPa/h.
    package let rate: Double
    /// How many of the pressures behind it stand in for those of a sensor that was lost.
    package let standIns: Int
    /// How many pressures are behind it in all.
    package let pressures: Int
  }

  /// A program that is to be told.
  package struct NotificationSent: Sendable {
    /// When.
    package let time: UInt64
    /// Why.
    package let event: String
    /// The program and its arguments, with everything replaced.
    package let command: [String]
    /// Whether it was run, which needs leave.
    package let wasRun: Bool
  }

  /// What a board did.
  package struct BoardReport: Hashable, Sendable {
    /// The end of the run.
    package let time: UInt64
    /// N of its bus.
    package let bus: Int
    /// The commands that it took; its light blinked once for each.
    package let commands: Int
    /// The reads that were longer than its limit, and stayed without data.
    package let tooLong: Int
    /// The answers that were lost on the air, and the operations that met no connection.
    package let lost: Int, refused: Int
    /// The charge of its battery in percent.
    package let battery: Int
    /// Why the operations that met no connection met none.
    package let refusals: [SimulatedGATTLink.Absence: Int]
    /// The charge that it used in mAh; `nil` where nobody keeps account of it.
    package let charge: Double?
    /// Since when its battery has been empty, in nanoseconds; `nil` while it is not.
    package let flatSince: UInt64?
    /// How long its battery lasts in hours at this rate with its microcontroller
    /// always awake, and asleep between radio events; `nil` where nobody keeps account of it.
    package let life: Double?, lifeAsleep: Double?
    /// What went over real frames; `nil` where none did.
    package let radio: BoardRadios.Account?
  }

  /// How busy a bus has been.
  package struct TrafficReport: Hashable, Sendable {
    /// Until when.
    package let time: UInt64
    /// N of the bus.
    package let bus: Int
    /// How many transfers were asked for since the start of the run.
    package let transfers: Int
    /// How many of them failed.
    package let errors: Int
    /// Whether the run is over: these are its totals.
    package let isFinal: Bool
  }

  /// How a recorded bus was replayed: whether the pipeline did what was recorded.
  package struct ReplayReport: Hashable, Sendable {
    /// The end of the run.
    package let time: UInt64
    /// N of the bus.
    package let bus: Int
    /// Whether nothing was other than recorded.
    package let isSame: Bool
    /// What differed, and what was bridged, in words.
    package let lines: [String]
  }

  /// The end of a planned failure.
  package struct FaultReport: Sendable {
    /// When it was over, or the end of the run.
    package let time: UInt64
    /// Which one it is: its place in the rig's list, from 1.
    package let number: Int
    /// What was planned.
    package let fault: Fault
    /// How many transfers it spoilt.
    package let count: Int
    /// When it spoilt the first and the last of them, in nanoseconds.
    package let span: (first: UInt64, last: UInt64)?
  }
}
