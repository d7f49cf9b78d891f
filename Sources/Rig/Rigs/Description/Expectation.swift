package import Barometry
package import I2C
package import Quantities

/// What must be true of a run.
package struct Expectation: Hashable, Sendable {
  /// Readings near the air or near a fixed value.
  package struct Agreement: Hashable, Sendable {
    /// Which quantity.
    package let channel: Quantity
    /// How near, in the unit of the quantity.
    package let tolerance: Double
    /// The unit in which the rig writes it: its symbol, and what one of it is in the kept unit.
    package let unit: String, unitSize: Double
    /// The fixed value; the air when `nil`.
    package let value: Double?
    /// Which readings are judged.
    package let selection: Selection
  }

  /// Readings that are neither too low nor too high.
  package struct Limits: Hashable, Sendable {
    /// Which quantity.
    package let channel: Quantity
    /// The lowest and the highest value, in the kept unit; `nil` where there is no limit.
    package let lowest: Double?, highest: Double?
    /// The symbol of the unit in which the rig writes them.
    package let unit: String
    /// Which readings are judged.
    package let selection: Selection
  }

  /// Which readings are judged.
  package struct Selection: Hashable, Sendable {
    /// Only readings after this time, in nanoseconds.
    package let after: UInt64
    /// Whether the averages of the cycles are judged.
    package let concernsMeans: Bool
    /// On this bus only.
    package let bus: Int?
    /// At this address only.
    package let address: I2CAddress?

    /// Whether a value of a sensor at a time (ns) is one of them.
    package func includes(isMean: Bool, bus: Int, address: I2CAddress, at time: UInt64) -> Bool {
      concernsMeans == isMean && time > after && (self.bus.map { $0 == bus } ?? true)
        && (self.address.map { $0 == address } ?? true)
    }
  }

  /// What is judged.
  package enum Condition: Hashable, Sendable {
    /// Readings are near the air or a fixed value.
    case agreement(Agreement)
    /// Readings lie between two limits.
    case limits(Limits)
    /// The last forecast at or before a time (ns) is this one, or none.
    case forecast(at: UInt64, is: PressureTrend?)
    /// Each of these forecasts comes at least once.
    case reaches([PressureTrend])
    /// None of these forecasts comes, and some other does.
    case never([PressureTrend])
    /// Every planned fault fired as often as planned.
    case faultsFired
    /// As many transfers failed, on one bus or on all.
    case transferErrors(Int, bus: Int?)
    /// As many readings came.
    case readings(Int)
    /// Every result of the program with defects, or its average of the cycle at a time (ns), lies in a range, in the
    /// kept unit; told in the unit with a symbol.
    case compared(Quantity, ClosedRange<Double>, unit: String, at: UInt64?)
    /// A leak is declared by a time (ns), or never.
    case leak(by: UInt64?)
    /// The search finds this module.
    case leakFound(String)
    /// The safe haven is called by a time (ns), or never.
    case haven(by: UInt64?)
    /// The pressure of a cabin is said to be one that people cannot be in, by a time (ns) or never; which one, or either.
    case level(CabinLevel?, by: UInt64?)
    /// A line of a serial port, or of one with a name, matches a regular expression.
    case serial(String, port: String?)
    /// The firmware ends well, or with its time.
    case firmwareRuns
    /// Firmware and its sensors take less than this charge (µC), in the mean of a time or in the whole run.
    case energy(below: Double, per: CalendarSpan?)
    /// A battery that holds a charge (µC) lasts at least this time (ns).
    case battery(lasts: UInt64, on: Double)
    /// Firmware takes less of a memory than this, in bytes.
    case memory(FirmwareMemory, below: Int)
    /// What was done on a recorded bus is what its trace says.
    case replayed(bus: Int)
  }

  /// Whether it can fail at one moment, around which there are transfers to be shown.
  package var canHaveMoment: Bool {
    switch condition {
    case .agreement, .limits, .forecast, .leak, .haven, .level: true
    default: false
    }
  }

  /// What is judged.
  package let condition: Condition
  /// The sentence in reports.
  package let title: String
  /// Its line in the rig file.
  package let line: Int
}
