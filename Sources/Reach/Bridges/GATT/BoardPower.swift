/// What a board with a radio draws from its battery, and how long that lasts.
///
/// The figures are those of TI's CC2541, which stand in where a board publishes no currents: that the board has such a chip
/// is an assumption. Its currents stand in that chip's data sheet (SWRS110D, revised June 2013, page 4, Electrical
/// Characteristics: core current consumption, typical at 25 °C and 3 V). How long radio, bus and light take of them in an
/// event or a command, and the battery, are assumptions, and reports say so; each can be set.
public struct BoardPower: Hashable, Sendable {
  /// What the battery holds, in mAh; assumed: a CR2032.
  public var capacity = 220.0
  /// How full it is at the start, from 0 to 1.
  public var charged = 1.0
  /// Whether the microcontroller sleeps between radio events: what the thesis leaves to the future.
  public var sleeps = false
  /// The current of a microcontroller that is awake and does nothing, in mA; one that works draws more.
  ///
  /// Data sheet: 6.7 with the 32 MHz crystal running, no radio, no peripherals, limited access to flash and none to RAM.
  public var awake = 6.7
  /// The current of one that sleeps with its timer on, in mA; data sheet: 1 µA in power mode 2.
  public var asleep = 0.001
  /// The charge of a connection event, in µC; assumed: 2.7 ms at 8.2 mA on average, which
  /// lies between a core that is awake and the radio's 18 mA.
  public var event = 22.0
  /// The charge of a command, in µC; assumed: its light for 20 ms at 5 mA, and 1 ms of radio and bus at
  /// 18 mA, the current of which stands in the data sheet (17.9 mA to receive, 18.2 mA to send at 0 dBm).
  public var command = 118.0

  /// Where its figures come from, for reports.
  public var origin: String {
    "assumed, as the board publishes no currents: a CC2541, \(Int(event)) µC a radio event, \(Int(command)) µC a command, "
      + "the battery's capacity; from that chip's data sheet (SWRS110D, page 4): \(awake) mA awake at least, "
      + "\(Int(asleep * 1000)) µA asleep, 18 mA of radio"
  }

  /// Creates the usual figures.
  public init() {}

  /// 1 mAh in µC.
  static let microcoulombs = 3_600_000.0

  /// The charge that is used in some time, in mAh.
  ///
  /// - Parameters:
  ///   - nanoseconds: the time.
  ///   - interval: from one connection event to the next, in nanoseconds; no events where it is 0.
  ///   - commands: how many commands came.
  /// - Returns: the charge.
  public func charge(over nanoseconds: UInt64, interval: UInt64, commands: Int) -> Double {
    let seconds = Double(nanoseconds) / 1e9
    let idle = (sleeps ? asleep : awake) * 1000 * seconds
    let events = interval > 0 ? Double(nanoseconds) / Double(interval) * event : 0
    return (idle + events + Double(commands) * command) / Self.microcoulombs
  }

  /// What the battery holds at the start, in mAh.
  public var available: Double { capacity * charged }

  /// After how many nanoseconds the battery is empty if so many commands come in all; `UInt64.max` where it never is.
  public func end(interval: UInt64, commands: Int) -> UInt64 {
    let left = available * Self.microcoulombs - Double(commands) * command
    let events = interval > 0 ? event / Double(interval) * 1e9 : 0
    let perSecond = (sleeps ? asleep : awake) * 1000 + events
    guard left > 0 else { return 0 }
    let end = left / perSecond * 1e9
    return end < 9e18 ? UInt64(end.rounded(.up)) : .max
  }

  /// How long a battery with what this one holds at the start lasts if all goes on as in some time, in hours; `nil` where
  /// nothing was used.
  public func life(over nanoseconds: UInt64, interval: UInt64, commands: Int) -> Double? {
    let used = charge(over: nanoseconds, interval: interval, commands: commands)
    return used > 0 ? available / used * Double(nanoseconds) / 3_600_000_000_000 : nil
  }

  /// The same board with its microcontroller asleep or awake between radio events.
  public func sleeping(_ sleeps: Bool) -> BoardPower {
    var other = self
    other.sleeps = sleeps
    return other
  }
}
