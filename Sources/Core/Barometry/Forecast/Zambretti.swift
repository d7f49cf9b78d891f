import Quantities

/// The forecaster of Negretti and Zambra (1915): sea-level pressure, its trend, the wind and the season give one of 26
/// forecasts.
///
/// The straight lines are a published fit to the instrument's scales (reference: the figures of pywws), for pressures from 950
/// to 1050 hPa.
public struct Zambretti: Hashable, Sendable {
  /// Which half of the Earth, for the wind and the season.
  public enum Hemisphere: UInt8, Hashable, Sendable, CaseIterable {
    /// The northern.
    case north
    /// The southern.
    case south
  }

  /// Which half of the Earth.
  public var hemisphere: Hemisphere

  /// Creates a forecaster.
  public init(hemisphere: Hemisphere = .north) { self.hemisphere = hemisphere }

  /// Below which change in hPa/h pressure is steady.
  public static var steady: Double { 0.1 }

  /// Forecasts.
  ///
  /// - Parameters:
  ///   - seaLevel: the pressure at sea level in Pa.
  ///   - rate: its change in hPa/h.
  ///   - wind: where the wind comes from in degrees; `nil` for a calm, or where nobody knows; what is not
  ///     finite counts as nothing.
  ///   - month: the month, 1 to 12.
  /// - Returns: the forecast for up to twelve hours.
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

  /// By how many hPa the wind moves the scale, for 16 points from north.
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
    _ place: Double, _ letters: InlineArray<count, UInt8>
  ) -> ZambrettiForecast {
    let index = place.isNaN ? 0 : Int(min(max(place + 0.5, 0), Double(count - 1)))
    return ZambrettiForecast(rawValue: letters[index]) ?? .settledFine
  }
}

/// The 26 forecasts of the instrument, from A, the best, to Z.
public enum ZambrettiForecast: UInt8, Hashable, Sendable, CaseIterable {
  /// A.
  case settledFine
  /// B.
  case fine
  /// C.
  case becomingFine
  /// D.
  case fineBecomingLessSettled
  /// E.
  case finePossibleShowers
  /// F.
  case fairlyFineImproving
  /// G.
  case fairlyFinePossibleShowersEarly
  /// H.
  case fairlyFineShoweryLater
  /// I.
  case showeryEarlyImproving
  /// J.
  case changeableMending
  /// K.
  case fairlyFineShowersLikely
  /// L.
  case ratherUnsettledClearingLater
  /// M.
  case unsettledProbablyImproving
  /// N.
  case showeryBrightIntervals
  /// O.
  case showeryBecomingLessSettled
  /// P.
  case changeableSomeRain
  /// Q.
  case unsettledShortFineIntervals
  /// R.
  case unsettledRainLater
  /// S.
  case unsettledSomeRain
  /// T.
  case mostlyVeryUnsettled
  /// U.
  case occasionalRainWorsening
  /// V.
  case rainAtTimesVeryUnsettled
  /// W.
  case rainAtFrequentIntervals
  /// X.
  case rainVeryUnsettled
  /// Y.
  case stormyMayImprove
  /// Z.
  case stormyMuchRain

  /// Its letter, `A` to `Z`.
  public var letter: Unicode.Scalar { Unicode.Scalar(65 + rawValue) }

  /// What the instrument says.
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
