import I2C
import Schema
import VirtualI2C

/// The keys that many kinds of faults have alike.
enum FaultKeys {
  /// The keys of all faults of a reach.
  static func common(_ reach: PlannedFault.Kind.Reach, _ count: Int) -> [Section.Field] {
    let isEndless = count == PlannedFault.unlimited
    let bridged = [
      chance("how likely each frame is hit"), times("how many frames; 1 unless given"),
    ]
    guard reach != .bridge else { return time + [bus] + bridged }
    return time + messages + [
      bus,
      times(
        isEndless ? "how many conversions; all unless given" : "how many times; 1 unless given"),
    ]
  }

  /// When a checked value lets its fault happen.
  static func trigger(_ value: CheckedValue, from start: UInt64) -> PlannedFault.Trigger {
    var trigger = PlannedFault.Trigger()
    trigger.start = start
    trigger.transfers = value["after"]?.integer ?? 0
    trigger.register = value["register"]?.integer.map { UInt8($0) }
    trigger.direction = value["direction"]?.text.map { $0 == "read" ? .read : .write }
    trigger.probability = value["probability"]?.number ?? 1
    return trigger
  }

  /// To whom a checked value lets it happen; any device where this is `nil`.
  static func address(_ value: CheckedValue) -> I2CAddress? {
    value["address"]?.integer.flatMap { I2CAddress(rawValue: UInt16($0)) }
  }

  // MARK: Keys of a few kinds

  /// The index of a byte.
  static func byte(_ range: ClosedRange<Int>, _ summary: String) -> Section.Field {
    .optional("byte", .integer(range), summary)
  }

  /// Which bits of a byte.
  static let mask = Section.Field.optional(
    "mask", .integer(1...255), "which bits; 0x01 unless given")

  /// How long it takes, which must be said.
  static let length = Section.Field.required("for", .quantity(.duration), "how long")
    .alsoSpelled("duration", "length", "lasts", "time")

  /// During which time each message is hit.
  static let window = Section.Field.optional(
    "for", .quantity(.duration),
    "how long each message is hit, from 'at' on; as often as 'count' says unless given"
  ).alsoSpelled("duration", "length", "lasts", "time")

  /// How long a checked value lets it take, in nanoseconds; 10 ms where it does not say.
  static func length(_ value: CheckedValue) -> UInt64 {
    UInt64(value["for"]?.nanoseconds ?? 10_000_000)
  }

  // MARK: Keys of a reach

  private static let bus = Section.Field.optional(
    "bus", .integer(I2CBusNumber.all), "on which bus; the only one unless given")

  private static let time: [Section.Field] = [
    .optional(
      "at", .either([.quantity(.duration), .moment]),
      "from when on, as time since the start or as a date if the rig has dates; default: at once"
    ).example("10min"),
    .optional("after", .integer(0...1_000_000_000), "after how many transfers of the bus"),
  ]

  private static let messages: [Section.Field] = [
    .optional("register", .integer(0...255), "only messages that concern this register"),
    .optional(
      "direction", .word(["read", "write"]), "only messages of this direction; both unless given"),
    chance("how likely each message is hit"),
    .optional("address", .anyAddress, "to which device; any unless given"),
  ]

  private static func chance(_ summary: String) -> Section.Field {
    .optional("probability", .number(0...1), "\(summary); 1 unless given")
  }

  private static func times(_ summary: String) -> Section.Field {
    .optional("count", .integer(1...1_000_000), summary)
  }
}
