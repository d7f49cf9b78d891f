public import Quantities
public import Parts
public import Barometry
public import DriverDefects
public import Rigs
public import Environment

/// What happens in a run; times in nanoseconds since its start.
public enum RunEvent: Sendable {
  /// The run begins.
  case began(Rig, startMoment: Int64)
  /// A sensor was read.
  case reading(Reading)
  /// What a program with defects makes of the same bytes, and what the board itself measures.
  case beside(Beside)
  /// A sensor could not be read.
  case error(SensorError)
  /// A sensor met air that its calibration cannot express, for the first time.
  case outOfReach(SaturatedReading)
  /// The readings of a cycle were averaged.
  case average(Average)
  /// A forecast was made, or refused.
  case forecast(ForecastResult)
  /// What another forecaster than that of the thesis says.
  case outlook(Outlook)
  /// The status of a cabin changed, or the reserve time that was told no longer serves.
  case cabin(CabinReport)
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
  /// A program ended.
  case ended(ProgramEnd)
  /// A program was not run.
  case failure(RunFailure)

  /// One result of a sensor.
  public struct Reading: Sendable {
    /// When its data had been read.
    public let time: UInt64
    /// Which sensor.
    public let place: Rig.SensorID
    /// What it says.
    public let sample: Sample
    /// The air at that time; nothing where nobody knows it.
    public let air: Air?
    /// The change of pressure at constant temperature over half a minute, where somebody watches for leaks.
    public var leakRate: LeakAssessment.Rate?
    /// The charge in µC that the part has used since power came on; `nil` where nobody knows.
    public var charge: Double?

    /// Creates a result.
    package init(
      time: UInt64, place: Rig.SensorID, sample: Sample, air: Air? = nil,
      leakRate: LeakAssessment.Rate? = nil, charge: Double? = nil
    ) {
      self.time = time
      self.place = place
      self.sample = sample
      self.air = air
      self.leakRate = leakRate
      self.charge = charge
    }
  }

  /// What stands beside a result.
  public struct Beside: Sendable {
    /// The result.
    public let reading: Reading
    /// What the program with defects shows; nothing where there is none.
    public let shown: FaultyDecoder.Result?
    /// The board's own temperature in C; nothing where it has no thermometer.
    public let board: Double?
  }

  /// A failure to read a sensor.
  public struct SensorError: Sendable {
    /// When.
    public let time: UInt64
    /// Which sensor.
    public let place: Rig.SensorID
    /// What happened on the wire.
    public let error: SensorFailure

    /// Creates a failure.
    package init(time: UInt64, place: Rig.SensorID, error: SensorFailure) {
      self.time = time
      self.place = place
      self.error = error
    }
  }

  /// Air that a part cannot express.
  public struct SaturatedReading: Sendable {
    /// When the result was read.
    public let time: UInt64
    /// Which sensor.
    public let place: Rig.SensorID
    /// Which quantity.
    public let channel: Quantity
    /// What the air was, and what the part can say, in Pa, C or %RH.
    public let shortfall: Saturation
  }

  /// The average of a cycle.
  public struct Average: Sendable {
    /// When its last sample was read.
    public let time: UInt64
    /// When its first sample was triggered.
    public let start: UInt64
    /// Which sensor.
    public let place: Rig.SensorID
    /// How many samples it has.
    public let samples: Int
    /// The mean of each quantity in °C, Pa and %RH, and of the air at the same times; `nil` where it was not measured each time.
    public let means: PerQuantity<Mean?>
  }

  /// The mean of one channel and of the air around.
  public struct Mean: Sendable {
    /// What the sensor said.
    public let measured: Double
    /// What the air was.
    public let air: Double
  }

  /// A forecast, or why there is none.
  public struct ForecastResult: Sendable {
    /// When it was made.
    public let time: UInt64
    /// From which sensor.
    public let place: Rig.SensorID
    /// The forecast or the refusal.
    public let result: Result<ThesisForecaster.Forecast, ThesisForecaster.Refusal>
  }

  /// What a forecaster says in its own words.
  public struct Outlook: Hashable, Sendable {
    /// When it said so.
    public let time: UInt64
    /// From which sensor.
    public let place: Rig.SensorID
    /// Which forecaster.
    public let method: Pipeline.Forecaster
    /// The class, the letter or the code.
    public let word: String
    /// What that means, if it needs words.
    public let text: String
    /// The change of pressure behind it, in hPa/h.
    public let rate: Double
  }

  /// A program that is to be told.
  public struct NotificationSent: Sendable {
    /// When.
    public let time: UInt64
    /// Why.
    public let event: String
    /// The program and its arguments, with everything replaced.
    public let command: [String]
    /// Whether it was run, which needs leave.
    public let wasRun: Bool
  }

  /// What a board did.
  public struct BoardReport: Hashable, Sendable {
    /// The end of the run.
    public let time: UInt64
    /// N of its bus.
    public let bus: Int
    /// The commands that it took; its light blinked once for each.
    public let commands: Int
    /// The reads that were longer than its limit, and stayed without data.
    public let tooLong: Int
    /// The answers that were lost on the air, and the operations that met no connection.
    public let lost: Int, refused: Int
    /// The charge of its battery in percent.
    public let battery: Int
  }

  /// How busy a bus has been.
  public struct TrafficReport: Hashable, Sendable {
    /// Until when.
    public let time: UInt64
    /// N of the bus.
    public let bus: Int
    /// How many transfers were asked for since the start of the run.
    public let transfers: Int
    /// How many of them failed.
    public let errors: Int
    /// Whether the run is over: these are its totals.
    public let isFinal: Bool
  }

  /// How a recorded bus was replayed: whether the pipeline did what was recorded.
  public struct ReplayReport: Hashable, Sendable {
    /// The end of the run.
    public let time: UInt64
    /// N of the bus.
    public let bus: Int
    /// Whether nothing was other than recorded.
    public let isSame: Bool
    /// What differed, and what was bridged, in words.
    public let lines: [String]
  }

  /// The end of a planned failure.
  public struct FaultReport: Sendable {
    /// When it was over, or the end of the run.
    public let time: UInt64
    /// Which one it is: its place in the rig's list, from 1.
    public let number: Int
    /// What was planned.
    public let fault: Fault
    /// How many transfers it spoilt.
    public let count: Int
    /// When it spoilt the first and the last of them, in nanoseconds.
    public let span: (first: UInt64, last: UInt64)?
  }
}
