/// The battery and the current consumption of a board with a radio.
///
/// The figures are those of TI's CC2541. It is an assumption that the board has this chip; no currents of the board are
/// published. The currents are from that chip's data sheet (SWRS110D, revised June 2013, page 4, Electrical
/// Characteristics: core current consumption, typical at 25 °C and 3 V). The durations of radio, bus and LED activity
/// per event and command, and the battery, are assumptions, which reports mention. All figures can be set.
public struct BoardPower: Hashable, Sendable {
  /// The battery capacity in mAh.
  ///
  /// Default: 220, a CR2032 (assumed).
  public var capacity = 220.0
  /// The charge of the battery at the start, as a fraction of `capacity` from 0 to 1.
  ///
  /// Default: 1.
  public var charged = 1.0
  /// `true` if the microcontroller sleeps between radio events, which the thesis that describes the board leaves to
  /// future work.
  ///
  /// Default: `false`.
  public var sleeps = false
  /// The current of the microcontroller while awake and idle, in mA; an active microcontroller draws more.
  ///
  /// Data sheet: 6.7 mA with the 32 MHz crystal running, no radio, no peripherals, limited flash access and no RAM
  /// access.
  public var awake = 6.7
  /// The current in sleep with the timer running, in mA.
  ///
  /// Data sheet: 1 µA in power mode 2.
  public var asleep = 0.001
  /// The charge that a connection event uses, in µC.
  ///
  /// Assumed: 2.7 ms at 8.2 mA on average, between an awake core and the radio's 18 mA.
  public var event = 22.0
  /// The charge that a command uses, in µC.
  ///
  /// Assumed: the LED for 20 ms at 5 mA, and 1 ms of radio and bus at 18 mA (data sheet: 17.9 mA to receive, 18.2 mA to
  /// send at 0 dBm).
  public var command = 118.0

  /// The source of the figures, for reports.
  public var origin: String {
    "assumed, as the board publishes no currents: a CC2541, \(Int(event)) µC per radio event, "
      + "\(Int(command)) µC per command, "
      + "the battery's capacity; from that chip's data sheet (SWRS110D, page 4): \(awake) mA awake at least, "
      + "\(Int(asleep * 1000)) µA asleep, 18 mA radio"
  }

  /// Creates the default figures.
  public init() {}

  /// 1 mAh in µC.
  static let microcoulombs = 3_600_000.0

  /// Calculates the charge used in a time, in mAh.
  ///
  /// - Parameters:
  ///   - nanoseconds: the time.
  ///   - interval: the connection interval in nanoseconds; 0 for no events.
  ///   - commands: the number of commands.
  /// - Returns: the charge.
  public func charge(over nanoseconds: UInt64, interval: UInt64, commands: Int) -> Double {
    let seconds = Double(nanoseconds) / 1e9
    let idle = (sleeps ? asleep : awake) * 1000 * seconds
    let events = interval > 0 ? Double(nanoseconds) / Double(interval) * event : 0
    return (idle + events + Double(commands) * command) / Self.microcoulombs
  }

  /// The charge of the battery at the start, in mAh.
  public var available: Double { capacity * charged }

  /// Calculates the time at which the battery is empty, in nanoseconds since the start, if it serves this total number
  /// of commands; `UInt64.max` for never.
  public func end(interval: UInt64, commands: Int) -> UInt64 {
    let left = available * Self.microcoulombs - Double(commands) * command
    let events = interval > 0 ? event / Double(interval) * 1e9 : 0
    let perSecond = (sleeps ? asleep : awake) * 1000 + events
    guard left > 0 else { return 0 }
    let end = left / perSecond * 1e9
    return end < 9e18 ? UInt64(end.rounded(.up)) : .max
  }

  /// Calculates the battery life in hours at the average consumption during the first `nanoseconds`; `nil` if no charge
  /// was used.
  public func life(over nanoseconds: UInt64, interval: UInt64, commands: Int) -> Double? {
    let used = charge(over: nanoseconds, interval: interval, commands: commands)
    return used > 0 ? available / used * Double(nanoseconds) / 3_600_000_000_000 : nil
  }

  /// Returns a copy of these figures in which `sleeps` has the given value.
  public func sleeping(_ sleeps: Bool) -> BoardPower {
    var other = self
    other.sleeps = sleeps
    return other
  }
}
