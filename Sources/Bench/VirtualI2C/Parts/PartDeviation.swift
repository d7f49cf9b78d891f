public import Environment
public import Quantities

/// The constant error of each quantity that a part measures, or its drift per year, in °C, Pa and
/// %RH.
///
/// Default: 0.
public typealias PartDeviation = PerQuantity<Double>

extension PartDeviation {
  /// Adds this error, multiplied by `times`, to the air that a part senses.
  ///
  /// Default: multiplied by 1.
  public func shift(_ air: inout Air, times: Double = 1) {
    air.pressure += pressure * times
    air.temperature += temperature * times
    air.humidity += humidity * times
  }
}

/// The noise in a part's results.
public enum PartNoise: Hashable, Sendable {
  /// No noise.
  case off
  /// The noise given in the data sheet.
  case datasheet
  /// The noise given in the data sheet, multiplied by a factor.
  case scaled(Double)

  /// The factor by which the noise given in the data sheet is multiplied.
  @inlinable public var factor: Double {
    switch self {
    case .off: 0
    case .datasheet: 1
    case .scaled(let factor): factor
    }
  }
}

/// The duration of the conversions and pauses of a part.
public enum PartTiming: String, Hashable, Sendable, CaseIterable {
  /// Conversions take the data sheet's typical time, and pauses its nominal time.
  case typical
  /// Conversions and pauses take the data sheet's maximum time.
  case maximum
  /// All times of a part deviate by the same oscillator error, which is chosen randomly from the
  /// part's seed. No conversion takes longer than the maximum.
  case drawn

  /// Returns the conversion time of a chip whose data sheet gives a typical and a maximum time.
  ///
  /// For `drawn`, an oscillator error of three standard deviations extends the typical time to the
  /// maximum, or shortens it by the same amount.
  ///
  /// - Parameters:
  ///   - typical: the typical time in nanoseconds.
  ///   - longest: the maximum time in nanoseconds.
  ///   - seed: the seed of the part, used for `drawn`.
  /// - Returns: the time in nanoseconds.
  public func conversionTime(typical: UInt64, longest: UInt64, seed: UInt64) -> UInt64 {
    switch self {
    case .typical: return typical
    case .maximum: return longest
    case .drawn:
      var chance = SeededGenerator(seed: seed, stream: .max)
      let share = min(max(chance.gaussian() / 3, -1), 1)
      return UInt64(Double(typical) + share * (Double(longest) - Double(typical)))
    }
  }
}

/// A heater in a part, modelled as a first-order lag between its power and the temperature of the
/// part.
public struct PartHeater: Hashable, Sendable {
  /// The final temperature rise in °C.
  public private(set) var rise: Double
  /// The time constant in nanoseconds, after which all but 1/e of the final rise is reached.
  public let timeConstant: UInt64
  /// Whether the heater is on.
  public private(set) var isOn = false
  private var riseThen = 0.0
  private var switchTime: UInt64 = 0

  /// Creates a heater that is off, in a part at the temperature of the air.
  public init(rise: Double, timeConstant: UInt64) {
    self.rise = rise
    self.timeConstant = timeConstant
  }

  /// Returns the temperature rise caused by the heater at a time in nanoseconds, in °C.
  public func rise(at time: UInt64) -> Double {
    let goal = isOn ? rise : 0
    guard riseThen != goal else { return goal }
    let left = TemperatureRise.remainder(
      after: Double(time - min(time, switchTime)), timeConstant: Double(timeConstant))
    return goal + (riseThen - goal) * left
  }

  /// Switches the heater on or off at a time in nanoseconds.
  public mutating func set(_ isOn: Bool, at time: UInt64) {
    guard isOn != self.isOn else { return }
    riseThen = rise(at: time)
    switchTime = time
    self.isOn = isOn
  }

  /// Changes the final temperature rise, which the power of a heater determines, at a time in nanoseconds.
  public mutating func set(rise: Double, at time: UInt64) {
    guard rise != self.rise else { return }
    riseThen = self.rise(at: time)
    switchTime = time
    self.rise = rise
  }
}

/// Functions for a part that is warmer than the air: the decay of the temperature difference, and
/// the effect on the humidity at the sensing element.
public enum TemperatureRise {
  /// Returns the relative humidity at a part that is warmer than the air, in %.
  ///
  /// At the warmer part the vapour pressure is the same but the saturation pressure is higher
  /// (Magnus formula over water, WMO guide no. 8, annex 4.B).
  ///
  /// - Parameters:
  ///   - percent: the relative humidity of the air in %.
  ///   - air: the temperature of the air in °C.
  ///   - rise: the temperature of the part above the air, in °C.
  /// - Returns: the relative humidity at the part in %.
  @inlinable
  public static func humidity(_ percent: Double, of air: Double, warmedBy rise: Double) -> Double {
    guard rise != 0 else { return percent }
    let warmer = air + rise
    return percent
      * exponential(17.62 * air / (243.12 + air) - 17.62 * warmer / (243.12 + warmer))
  }

  /// Returns the fraction of a temperature difference that remains after a time.
  ///
  /// - Parameters:
  ///   - time: the time since the difference had its full size.
  ///   - timeConstant: the time after which 1/e of the difference remains, in the same unit.
  /// - Returns: the remaining fraction, 0 to 1.
  public static func remainder(after time: Double, timeConstant: Double) -> Double {
    guard timeConstant > 0, time < 40 * timeConstant else { return 0 }
    let root = exponential(-time / timeConstant / 16)
    let fourth = root * root * root * root
    return fourth * fourth * fourth * fourth
  }

  /// Returns the exponential of a small number, computed by its series.
  ///
  /// Unlike the exponential of a C library, the result is identical on every machine.
  @usableFromInline
  static func exponential(_ value: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for power in 1...30 {
      term *= value / Double(power)
      sum += term
    }
    return sum
  }
}
