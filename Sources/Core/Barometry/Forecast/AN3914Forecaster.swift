import Quantities

/// The forecaster of Freescale's AN3914: a sample a minute, averages of five minutes near each half hour.
///
/// The reference is the average of the first five minutes. At the minutes 35, 65, 95, 125, 155 and 185 the change
/// since then is divided by the hours since then. Then the average of minute 125 becomes the reference, so that
/// later rounds look back 1.5 to 4 hours. Before minute 35 nothing is foretold.
public struct AN3914Forecaster: Sendable {
  /// A forecast and the rate in hPa/h behind it.
  public struct Forecast: Hashable, Sendable {
    /// The class of the rate, with the boundaries that the thesis closed; the note leaves them open.
    public let trend: PressureTrend
    /// The rate of change in hPa/h.
    public let rate: Double
  }

  /// The forecast in force; `nil` before minute 35.
  public private(set) var forecast: Forecast?

  private var minute = 0
  private var isFirstRound = true
  private var recent = InlineArray<5, Double>(repeating: 0)
  private var reference = 0.0
  private var nextReference = 0.0

  /// Creates a forecaster that has seen nothing.
  public init() {}

  /// Forgets everything: after a gap nothing is known.
  public mutating func restart() { self = AN3914Forecaster() }

  /// Takes the pressure of one more minute in Pa.
  ///
  /// - Returns: whether a new forecast was made.
  @discardableResult
  public mutating func take(_ pascals: Double) -> Bool {
    recent[minute % 5] = pascals
    minute += 1
    if minute == 5, isFirstRound { reference = average }
    guard minute >= 35, (minute - 35).isMultiple(of: 30) else { return false }
    let hours = Double(minute - 5) / 60 + (isFirstRound ? 0 : 1)
    let rate = Quantity.pressure.shown(average - reference) / hours
    forecast = Forecast(trend: PressureTrend(rate: rate), rate: rate)
    if minute == 125 { nextReference = average }
    if minute == 185 {
      reference = nextReference
      isFirstRound = false
      minute = 5
    }
    return true
  }

  private var average: Double {
    var sum = 0.0
    for index in recent.indices { sum += recent[index] }
    return sum / 5
  }
}
