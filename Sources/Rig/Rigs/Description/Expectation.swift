package import Barometry
package import I2C
package import Quantities

/// A condition that a run must meet.
package struct Expectation: Hashable, Sendable {
  /// The condition that readings are close to the air values or to a fixed value.
  package struct Agreement: Hashable, Sendable {
    package let channel: Quantity
    /// The tolerance, in °C, Pa or %.
    package let tolerance: Double
    /// The symbol of the unit that the rig uses for the tolerance, and the size of that unit in °C, Pa or %.
    package let unit: String, unitSize: Double
    /// The value to compare with; `nil` to compare with the air.
    package let value: Double?
    /// The checked readings.
    package let selection: Selection
  }

  /// The condition that readings are within a range.
  package struct Limits: Hashable, Sendable {
    package let channel: Quantity
    /// The lower and the upper limit, in °C, Pa or %; `nil` for no limit.
    package let lowest: Double?, highest: Double?
    /// The symbol of the unit that the rig uses for the limits.
    package let unit: String
    /// The checked readings.
    package let selection: Selection
  }

  /// The readings that an expectation checks.
  package struct Selection: Hashable, Sendable {
    /// The time after which readings are checked, in nanoseconds.
    package let after: UInt64
    /// `true` if the averages of the cycles are checked instead of the readings.
    package let concernsMeans: Bool
    /// The bus whose readings are checked; `nil` for any bus.
    package let bus: Int?
    /// The address whose readings are checked; `nil` for any address.
    package let address: I2CAddress?

    /// Returns whether a sensor's value at a time (ns) is checked.
    package func includes(isMean: Bool, bus: Int, address: I2CAddress, at time: UInt64) -> Bool {
      concernsMeans == isMean && time > after && (self.bus.map { $0 == bus } ?? true)
        && (self.address.map { $0 == address } ?? true)
    }
  }

  /// The condition on the level of a pin that firmware drives.
  package struct PinCondition: Hashable, Sendable {
    package enum Requirement: Hashable, Sendable {
      /// The pin has a level at a time (ns).
      case level(Bool, at: UInt64)
      /// The pin has a level by a time (ns), or at any time of the run if that is `nil`.
      case reached(Bool, by: UInt64?)
      /// The frequency of every period is in a range (Hz).
      case frequency(ClosedRange<Double>)
      /// The high part of every period is in a range (%).
      case duty(ClosedRange<Double>)
      /// The length of every pulse with this level is in a range (ns).
      case pulse(Bool, ClosedRange<UInt64>)
    }

    /// The name of the pin in the datasheet.
    package let pin: String
    package let requirement: Requirement
    /// The time after which changes are checked, in nanoseconds.
    package let after: UInt64

    package init(pin: String, _ requirement: Requirement, after: UInt64 = 0) {
      (self.pin, self.requirement, self.after) = (pin, requirement, after)
    }
  }

  package enum Condition: Hashable, Sendable {
    /// Readings are close to the air or to a fixed value.
    case agreement(Agreement)
    /// Readings are within a range.
    case limits(Limits)
    /// The last forecast at or before a time (ns) is this one; `nil` if there must be no forecast.
    case forecast(at: UInt64, is: PressureTrend?)
    /// Each of these forecasts occurs at least once.
    case reaches([PressureTrend])
    /// None of these forecasts occurs, but at least one other forecast does.
    case never([PressureTrend])
    /// Every fault fired as often as configured.
    case faultsFired
    /// Exactly this number of transfers fails, on one bus or on all buses.
    case transferErrors(Int, bus: Int?)
    /// Exactly this number of readings is made.
    case readings(Int)
    /// Every result of the program with defects, or its average for the cycle at a time (ns), is in a range (in °C or
    /// Pa). Reports use the unit with this symbol.
    case compared(Quantity, ClosedRange<Double>, unit: String, at: UInt64?)
    /// The leak detection declares a leak of the cabin by a time (ns), or never if the time is `nil`.
    case leak(by: UInt64?)
    /// The search for the leak of the cabin finds it in this module.
    case leakFound(String)
    /// The crew of a leaking cabin is called to the safe haven by a time (ns), or never if the time is `nil`.
    case haven(by: UInt64?)
    /// The alarm for a cabin pressure outside the habitable range is raised by a time (ns), or
    /// never if the time is `nil`. A level of `nil` means either of the two alarms.
    case level(CabinLevel?, by: UInt64?)
    /// A line on any serial port, or on the port with this name, matches a regular expression.
    case serial(String, port: String?)
    /// A pin that firmware drives has a level, a frequency, a duty cycle or pulses.
    case pin(PinCondition)
    /// The firmware exits with status 0 or runs until the end.
    case firmwareRuns
    /// Firmware and its sensors draw less than this charge (µC): on average per period or, without one, in the whole
    /// run.
    case energy(below: Double, per: CalendarSpan?)
    /// A battery with a capacity (µC) lasts at least this time (ns).
    case battery(lasts: UInt64, on: Double)
    /// Firmware uses less than this number of bytes of a memory.
    case memory(FirmwareMemory, below: Int)
    /// The transfers on a replayed bus match its trace.
    case replayed(bus: Int)
  }

  /// `true` if the expectation can fail at one point in time, so a report can contain the transfers
  /// around that time.
  package var canHaveMoment: Bool {
    switch condition {
    case .agreement, .limits, .forecast, .leak, .haven, .level, .pin: true
    default: false
    }
  }

  /// The condition to check.
  package let condition: Condition
  /// The sentence that describes the expectation in reports.
  package let title: String
  /// The line of the expectation in the rig file.
  package let line: Int
}

/// A period for the average charge that is drawn from a battery.
package enum CalendarSpan: String, Hashable, Sendable, CaseIterable {
  case hour, day, year

  /// The length in seconds.
  package var seconds: Double {
    switch self {
    case .hour: 3600
    case .day: 86_400
    case .year: 365 * 86_400
    }
  }
}

/// A memory that firmware uses.
package enum FirmwareMemory: String, Hashable, Sendable, CaseIterable {
  /// The flash that the image occupies.
  case flash
  /// The RAM that the variables of the firmware occupy.
  case ram
  /// The RAM that the stack uses at its largest depth.
  case stack
}
