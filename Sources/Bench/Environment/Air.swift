public import Quantities

/// The air around a sensor.
public struct Air: Hashable, Sendable {
  /// The pressure in Pa.
  public var pressure: Double
  /// The temperature in C.
  public var temperature: Double
  /// The relative humidity in %.
  public var humidity: Double

  /// Creates air from the values of its three quantities.
  public init(pressure: Double, temperature: Double, humidity: Double) {
    self.pressure = pressure
    self.temperature = temperature
    self.humidity = humidity
  }

  /// The value of a quantity, in Pa, °C or %.
  public subscript(_ quantity: Quantity) -> Double {
    switch quantity {
    case .temperature: temperature
    case .pressure: pressure
    case .humidity: humidity
    }
  }

  /// The standard atmosphere at sea level: 101325 Pa, 21 C and 50 %.
  public static var standard: Air { Air(pressure: 101_325, temperature: 21, humidity: 50) }
}

/// A source of the air that the sensors on a virtual bench measure.
///
/// The air must be a pure function of time.
public protocol AirSource: AnyObject {
  /// Returns the air at a time in nanoseconds since the start of the run.
  func air(at time: UInt64) -> Air
}

/// Air whose quantities each follow a profile: a constant, ramps, steps or a series of values.
public final class ScriptedAir: AirSource {
  /// The pressure in Pa.
  public let pressure: Profile
  /// The temperature in C.
  public let temperature: Profile
  /// The relative humidity in %.
  public let humidity: Profile

  /// Creates air from three profiles.
  public init(pressure: Profile, temperature: Profile, humidity: Profile) {
    self.pressure = pressure
    self.temperature = temperature
    self.humidity = humidity
  }

  /// Creates constant air.
  public convenience init(constant air: Air) {
    self.init(
      pressure: Profile(constant: air.pressure), temperature: Profile(constant: air.temperature),
      humidity: Profile(constant: air.humidity))
  }

  /// Returns the air at a time in nanoseconds since the start of the run.
  public func air(at time: UInt64) -> Air {
    let time = Int64(clamping: time)
    return Air(
      pressure: pressure.value(at: time), temperature: temperature.value(at: time),
      humidity: humidity.value(at: time))
  }
}

/// Air that changes during the run: that of another source until the first change of a quantity, then what the changes set.
public final class DrivenAir: AirSource {
  private let base: any AirSource
  /// The points of each quantity that was changed, in order of time.
  private var points = PerQuantity<[Profile.Point]>(temperature: [], pressure: [], humidity: [])
  private var isChanged = false

  /// Creates air that is that of another source until it is changed.
  public init(_ base: any AirSource) { self.base = base }

  /// Returns the air at a time in nanoseconds since the start of the run.
  public func air(at time: UInt64) -> Air {
    let air = base.air(at: time)
    guard isChanged else { return air }
    func value(_ quantity: Quantity) -> Double {
      guard let first = points[quantity].first, first.time <= Int64(clamping: time) else {
        return air[quantity]
      }
      return Profile(points[quantity]).value(at: Int64(clamping: time))
    }
    return Air(
      pressure: value(.pressure), temperature: value(.temperature), humidity: value(.humidity))
  }

  /// Changes a quantity from a time on; an earlier change that is still in progress ends there.
  ///
  /// - Parameters:
  ///   - quantity: the quantity.
  ///   - value: the value after the change, in Pa, °C or %.
  ///   - time: the time of the change in nanoseconds since the start of the run, not before that of an earlier change.
  ///   - length: the time in nanoseconds over which the value changes linearly. Default: 0, at once.
  public func set(
    _ quantity: Quantity, to value: Double, at time: UInt64, over length: UInt64 = 0
  ) {
    let before = air(at: time)[quantity]
    let start = Int64(clamping: time)
    isChanged = true
    if length == 0, before == value, points[quantity].last.map({ $0.time <= start }) ?? false {
      return
    }
    while let last = points[quantity].last, last.time > start { points[quantity].removeLast() }
    if length > 0 || !points[quantity].isEmpty {
      points[quantity].append(Profile.Point(time: start, value: before))
    }
    points[quantity].append(
      Profile.Point(time: Int64(clamping: time &+ length), value: value))
  }
}

/// The values of one quantity over time, defined by points.
public struct Profile: Sendable {
  /// The method that computes the values between two points.
  public enum Interpolation: Sendable {
    /// Linear interpolation.
    case linear
    /// The value of the earlier point, unchanged until the next point.
    case held
  }

  /// A point of the profile.
  public struct Point: Hashable, Sendable {
    /// The time in nanoseconds since the start of the run; may be negative.
    public var time: Int64
    /// The value of the quantity at `time`.
    public var value: Double

    /// Creates a point.
    public init(time: Int64, value: Double) {
      self.time = time
      self.value = value
    }
  }

  /// The points in order of time.
  ///
  /// There is at least one.
  public let points: [Point]
  /// The interpolation between two points.
  public let interpolation: Interpolation

  /// Creates a profile.
  ///
  /// The first value applies before the first point, and the last value after the last point.
  ///
  /// Default: linear interpolation.
  public init(_ points: [Point], interpolation: Interpolation = .linear) {
    precondition(!points.isEmpty, "a profile needs a point")
    self.points = points
    self.interpolation = interpolation
  }

  /// Creates a constant profile.
  public init(constant value: Double) {
    self.init([Point(time: 0, value: value)])
  }

  /// Returns the value at a time in nanoseconds since the start of the run.
  public func value(at time: Int64) -> Double {
    var (low, high) = (0, points.count)
    while low < high {
      let middle = (low + high) / 2
      if points[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return points[0].value }
    let before = points[low - 1]
    guard low < points.count, interpolation == .linear else { return before.value }
    let after = points[low]
    let share = Double(time - before.time) / Double(after.time - before.time)
    return before.value + (after.value - before.value) * share
  }
}

/// A record of air values outside the range that a part can output with its calibration.
public struct Saturation: Hashable, Sendable {
  /// The time of the first occurrence, in nanoseconds since the start of the run.
  public let time: UInt64
  /// The value of the air when it first exceeded the range that the part can output, in °C, Pa or %RH.
  public let requested: Double
  /// The value nearest to `requested` that the part can output.
  public let nearest: Double
  /// The number of conversions so far in which the value was outside the range.
  public var count: Int

  /// Creates the record of a saturation from its first occurrence.
  public init(time: UInt64, requested: Double, nearest: Double, count: Int = 1) {
    self.time = time
    self.requested = requested
    self.nearest = nearest
    self.count = count
  }

  /// Creates the record of a saturation from its first occurrence.
  @available(*, deprecated, renamed: "init(time:requested:nearest:count:)")
  public init(time: UInt64, asked: Double, nearest: Double, count: Int = 1) {
    self.init(time: time, requested: asked, nearest: nearest, count: count)
  }

  /// The value of the air when it first exceeded the range that the part can output, in °C, Pa or %RH.
  @available(*, deprecated, renamed: "requested")
  public var asked: Double { requested }
}

/// The saturations of a part so far, in C, Pa and %RH; `nil` for a quantity that was never
/// saturated.
public typealias Saturations = PerQuantity<Saturation?>
