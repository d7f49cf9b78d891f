package import Barometry
package import I2C
package import Quantities

/// A condition that a run must meet.
package struct Expectation: Hashable, Sendable {
  /// Readings close to the air or to a fixed value.
  package struct Agreement: Hashable, Sendable {
    /// The quantity.
    package let channel: Quantity
    /// The tolerance, in the stored unit of the quantity.
    package let tolerance: Double
    /// The unit of the tolerance in the rig: its symbol, and its size in the stored unit.
    package let unit: String, unitSize: Double
    /// The fixed value; `nil` for the air.
    package let value: Double?
    /// The checked readings.
    package let selection: Selection
  }

  /// Readings within a range.
  package struct Limits: Hashable, Sendable {
    /// The quantity.
    package let channel: Quantity
    /// The lower and the upper limit, in the stored unit; `nil` for no limit.
    package let lowest: Double?, highest: Double?
    /// The symbol of the unit in the rig.
    package let unit: String
    /// The checked readings.
    package let selection: Selection
  }

  /// The readings that an expectation checks.
  package struct Selection: Hashable, Sendable {
    /// Only readings after this time, in nanoseconds.
    package let after: UInt64
    /// Whether the averages of the cycles are checked instead of the readings.
    package let concernsMeans: Bool
    /// Only readings of this bus; `nil` for any.
    package let bus: Int?
    /// Only readings of this address; `nil` for any.
    package let address: I2CAddress?

    /// Whether a value of a sensor at a time (ns) is selected.
    package func includes(isMean: Bool, bus: Int, address: I2CAddress, at time: UInt64) -> Bool {
      concernsMeans == isMean && time > after && (self.bus.map { $0 == bus } ?? true)
        && (self.address.map { $0 == address } ?? true)
    }
  }

  /// A condition.
  package enum Condition: Hashable, Sendable {
    /// Readings are close to the air or to a fixed value.
    case agreement(Agreement)
    /// Readings are within a range.
    case limits(Limits)
    /// The last forecast at or before a time (ns) is this one; `nil` for no forecast.
    case forecast(at: UInt64, is: PressureTrend?)
    /// Each of these forecasts occurs at least once.
    case reaches([PressureTrend])
    /// None of these forecasts occurs, while another one does.
    case never([PressureTrend])
    /// Every fault fired as often as configured.
    case faultsFired
    /// The number of failed transfers, on one bus or on all.
    case transferErrors(Int, bus: Int?)
    /// The number of readings.
    case readings(Int)
    /// Every result of the program with defects, or its average of the cycle at a time (ns), is in a range in the
    /// stored unit; reported in the unit with a symbol.
    case compared(Quantity, ClosedRange<Double>, unit: String, at: UInt64?)
    /// A leak is declared by a time (ns), or never.
    case leak(by: UInt64?)
    /// The search finds this module.
    case leakFound(String)
    /// The crew is called to the safe haven by a time (ns), or never.
    case haven(by: UInt64?)
    /// The alarm of a cabin pressure outside the habitable range is raised by a time (ns) or never; `nil` for either
    /// alarm.
    case level(CabinLevel?, by: UInt64?)
    /// A line of a serial port, or of the port with a name, matches a regular expression.
    case serial(String, port: String?)
    /// The firmware exits with status 0 or runs until the end.
    case firmwareRuns
    /// Firmware and its sensors draw less than this charge (µC), on average over a period or in the whole run.
    case energy(below: Double, per: CalendarSpan?)
    /// A battery with a capacity (µC) lasts at least this time (ns).
    case battery(lasts: UInt64, on: Double)
    /// Firmware uses less of a memory than this, in bytes.
    case memory(FirmwareMemory, below: Int)
    /// The transfers on a replayed bus match its trace.
    case replayed(bus: Int)
  }

  /// Whether it can fail at one point in time, so that the transfers around it can be shown.
  package var canHaveMoment: Bool {
    switch condition {
    case .agreement, .limits, .forecast, .leak, .haven, .level: true
    default: false
    }
  }

  /// The condition to check.
  package let condition: Condition
  /// The sentence in reports.
  package let title: String
  /// Its line in the rig file.
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
  /// The RAM of its variables.
  case ram
  /// The largest depth of its stack.
  case stack
}
