/// A heater within a part: a lag of the first order between what it gives and how warm the part is.
public struct PartHeater: Hashable, Sendable {
  /// By how much it warms the part in the end, in °C.
  public let rise: Double
  /// After which all but 1/e of that is reached, in nanoseconds.
  public let timeConstant: UInt64
  /// Whether it heats.
  public private(set) var isOn = false
  private var riseThen = 0.0
  private var switchTime: UInt64 = 0

  /// Creates a heater that is off, in a part as warm as its air.
  public init(rise: Double, timeConstant: UInt64) {
    self.rise = rise
    self.timeConstant = timeConstant
  }

  /// By how much the part is warmer than without it at a time in nanoseconds, in °C.
  public func rise(at time: UInt64) -> Double {
    let goal = isOn ? rise : 0
    guard riseThen != goal else { return goal }
    let left = TemperatureRise.remainder(
      after: Double(time - min(time, switchTime)), timeConstant: Double(timeConstant))
    return goal + (riseThen - goal) * left
  }

  /// Switches it on or off at a time in nanoseconds.
  public mutating func set(_ isOn: Bool, at time: UInt64) {
    guard isOn != self.isOn else { return }
    riseThen = rise(at: time)
    switchTime = time
    self.isOn = isOn
  }
}
