import Quantities

/// Where the pressure of a cabin lies, whatever its rate is.
public enum CabinLevel: UInt8, Hashable, Sendable {
  /// Where people can be.
  case usual
  /// Below the pressure at which the crew must leave, or below the one that nobody bears.
  case low
  /// Above the pressure at which a cabin lets air out.
  case high

  /// Above which pressure in Pa a cabin has too much: 785 mmHg, where the charts as flown begin.
  public static var highest: Double { 785 * PressureUnit.millimetreOfMercury.pascals }
  /// How far in Pa a pressure goes back before the alarm is over, so that noise at a limit is no row of alarms.
  static var margin: Double { PressureUnit.millimetreOfMercury.pascals }

  /// The name of the alarm in reports; `nil` where there is none.
  public var alarm: StaticString? {
    switch self {
    case .usual: nil
    case .low: "below-limit"
    case .high: "overpressure"
    }
  }

  /// The names of all alarms.
  public static var alarms: [String] { [low, high].compactMap { $0.alarm.map { "\($0)" } } }

  /// The level with the name of its alarm.
  public init?(alarm name: String) {
    guard let level = [Self.low, .high].first(where: { $0.alarm.map { "\($0)" } == name }) else {
      return nil
    }
    self = level
  }

  /// The words that stand first on a screen and in a log; `nil` where there are none.
  public var words: StaticString? {
    switch self {
    case .usual: nil
    case .low: "BELOW LIMIT"
    case .high: "OVERPRESSURE"
    }
  }

  /// Where a pressure lies that comes after this one.
  ///
  /// - Parameters:
  ///   - pascals: the pressure.
  ///   - least: below which the crew must leave, in Pa.
  /// - Returns: where it lies.
  func next(_ pascals: Double, least: Double) -> CabinLevel {
    if pascals < (self == .low ? least + Self.margin : least) { return .low }
    return pascals > (self == .high ? Self.highest - Self.margin : Self.highest) ? .high : .usual
  }
}
