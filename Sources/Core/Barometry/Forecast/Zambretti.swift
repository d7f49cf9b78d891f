import Quantities

/// The forecaster of Negretti and Zambra (1915): sea-level pressure, its trend, the wind and the season select one of
/// 26 forecasts.
///
/// The formulas are a published straight-line fit to the instrument's scales, with the constants of
/// pywws, for pressures from 950 to 1050 hPa.
public struct Zambretti: Hashable, Sendable {
  /// The hemisphere, which determines the effect of wind and season.
  public enum Hemisphere: UInt8, Hashable, Sendable, CaseIterable {
    /// The northern hemisphere.
    case north
    /// The southern hemisphere.
    case south
  }

  /// The hemisphere.
  ///
  /// Default: north.
  public var hemisphere: Hemisphere

  /// Creates a forecaster.
  public init(hemisphere: Hemisphere = .north) { self.hemisphere = hemisphere }

  /// The rate in hPa/h below which the pressure counts as steady: 0.1.
  public static var steady: Double { 0.1 }

  /// Returns the forecast for the next twelve hours.
  ///
  /// - Parameters:
  ///   - seaLevel: the pressure at sea level in Pa.
  ///   - rate: the rate of change of this pressure in hPa/h.
  ///   - wind: the direction the wind blows from, in degrees; `nil` if the air is calm or the
  ///     direction is unknown. Non-finite values are ignored.
  ///   - month: the month, 1 to 12.
  /// - Returns: the forecast.
  public func forecast(seaLevel: Double, rate: Double, wind: Double? = nil, month: Int)
    -> ZambrettiForecast
  {
    var pressure = Quantity.pressure.shown(seaLevel)
    if let wind { pressure += correction(of: wind) }
    let isSummer = (4...9).contains(month) == (hemisphere == .north)
    if rate >= Self.steady {
      if isSummer { pressure += 3.2 }
      return Self.pick(
        0.1740 * (1031.40 - pressure), [0, 1, 1, 2, 5, 6, 8, 9, 11, 12, 12, 16, 19, 24])
    }
    if rate <= -Self.steady {
      if isSummer { pressure -= 3.2 }
      return Self.pick(0.1553 * (1029.95 - pressure), [1, 3, 7, 14, 17, 20, 21, 23, 23, 25])
    }
    return Self.pick(
      0.2314 * (1030.81 - pressure),
      [0, 1, 1, 1, 4, 10, 13, 13, 15, 15, 18, 22, 22, 23, 23, 23, 25])
  }

  /// Returns the pressure correction in hPa for a wind direction, rounded to one of 16 compass
  /// points.
  private func correction(of wind: Double) -> Double {
    let points: InlineArray<16, Double> = [
      5.2, 4.2, 3.2, 1.05, -1.1, -3.15, -5.2, -8.35, -11.5, -9.4, -7.3, -5.25, -3.2, -1.15, 0.9,
      3.05,
    ]
    let turned = hemisphere == .north ? wind : wind + 180
    guard turned.isFinite else { return 0 }
    let point = Int((turned.truncatingRemainder(dividingBy: 360) / 22.5).rounded()) % 16
    return points[point < 0 ? point + 16 : point]
  }

  private static func pick<let count: Int>(
    _ position: Double, _ letters: InlineArray<count, UInt8>
  ) -> ZambrettiForecast {
    let index = position.isNaN ? 0 : Int(min(max(position + 0.5, 0), Double(count - 1)))
    return ZambrettiForecast(rawValue: letters[index]) ?? .settledFine
  }
}

/// The 26 forecasts of the instrument, from A, the best, to Z, the worst.
public enum ZambrettiForecast: UInt8, Hashable, Sendable, CaseIterable {
  /// A: settled fine.
  case settledFine
  /// B: fine weather.
  case fine
  /// C: becoming fine.
  case becomingFine
  /// D: fine, becoming less settled.
  case fineBecomingLessSettled
  /// E: fine, possible showers.
  case finePossibleShowers
  /// F: fairly fine, improving.
  case fairlyFineImproving
  /// G: fairly fine, possible showers early.
  case fairlyFinePossibleShowersEarly
  /// H: fairly fine, showery later.
  case fairlyFineShoweryLater
  /// I: showery early, improving.
  case showeryEarlyImproving
  /// J: changeable, mending.
  case changeableMending
  /// K: fairly fine, showers likely.
  case fairlyFineShowersLikely
  /// L: rather unsettled, clearing later.
  case ratherUnsettledClearingLater
  /// M: unsettled, probably improving.
  case unsettledProbablyImproving
  /// N: showery, bright intervals.
  case showeryBrightIntervals
  /// O: showery, becoming less settled.
  case showeryBecomingLessSettled
  /// P: changeable, some rain.
  case changeableSomeRain
  /// Q: unsettled, short fine intervals.
  case unsettledShortFineIntervals
  /// R: unsettled, rain later.
  case unsettledRainLater
  /// S: unsettled, some rain.
  case unsettledSomeRain
  /// T: mostly very unsettled.
  case mostlyVeryUnsettled
  /// U: occasional rain, worsening.
  case occasionalRainWorsening
  /// V: rain at times, very unsettled.
  case rainAtTimesVeryUnsettled
  /// W: rain at frequent intervals.
  case rainAtFrequentIntervals
  /// X: rain, very unsettled.
  case rainVeryUnsettled
  /// Y: stormy, may improve.
  case stormyMayImprove
  /// Z: stormy, much rain.
  case stormyMuchRain

  /// The letter of the forecast, `A` to `Z`.
  public var letter: Unicode.Scalar { Unicode.Scalar(65 + rawValue) }

  /// The wording printed on the instrument.
  public var text: StaticString {
    switch self {
    case .settledFine: "settled fine"
    case .fine: "fine weather"
    case .becomingFine: "becoming fine"
    case .fineBecomingLessSettled: "fine, becoming less settled"
    case .finePossibleShowers: "fine, possible showers"
    case .fairlyFineImproving: "fairly fine, improving"
    case .fairlyFinePossibleShowersEarly: "fairly fine, possible showers early"
    case .fairlyFineShoweryLater: "fairly fine, showery later"
    case .showeryEarlyImproving: "showery early, improving"
    case .changeableMending: "changeable, mending"
    case .fairlyFineShowersLikely: "fairly fine, showers likely"
    case .ratherUnsettledClearingLater: "rather unsettled, clearing later"
    case .unsettledProbablyImproving: "unsettled, probably improving"
    case .showeryBrightIntervals: "showery, bright intervals"
    case .showeryBecomingLessSettled: "showery, becoming less settled"
    case .changeableSomeRain: "changeable, some rain"
    case .unsettledShortFineIntervals: "unsettled, short fine intervals"
    case .unsettledRainLater: "unsettled, rain later"
    case .unsettledSomeRain: "unsettled, some rain"
    case .mostlyVeryUnsettled: "mostly very unsettled"
    case .occasionalRainWorsening: "occasional rain, worsening"
    case .rainAtTimesVeryUnsettled: "rain at times, very unsettled"
    case .rainAtFrequentIntervals: "rain at frequent intervals"
    case .rainVeryUnsettled: "rain, very unsettled"
    case .stormyMayImprove: "stormy, may improve"
    case .stormyMuchRain: "stormy, much rain"
    }
  }
}
