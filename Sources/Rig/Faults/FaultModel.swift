import I2C
package import Schema
package import VirtualI2C

/// A kind of fault: its name, its keys in a rig, and its effect.
///
/// The kinds are declared by group in WireFaults, PartFaults and BridgeFaults; `all` lists them.
package struct FaultModel: Sendable {
  /// The value of the key `kind` in rigs, such as `nack-address`.
  package let name: String
  /// The part of the bench that the fault acts on: the wire, a target, or a bridge.
  package let reach: PlannedFault.Kind.Reach
  /// All keys of the fault in a rig except `kind`.
  package let section: Section
  /// Creates the effect of the fault from the checked keys.
  private let effect: @Sendable (CheckedValue) -> PlannedFault.Kind
  /// The default of the key `count`.
  private let usualCount: Int
  /// `true` if the key `for` sets the time span in which every message is affected.
  private let canLast: Bool

  /// Creates a kind of fault.
  ///
  /// - Parameters:
  ///   - name: the value of `kind` in rigs.
  ///   - reach: the part of the bench that the fault acts on.
  ///   - summary: the effect of the fault in one sentence.
  ///   - keys: the keys in addition to those that all faults with the same reach have.
  ///   - alternatives: keys of which at least one must be given.
  ///   - count: the default of the key `count`. Default: 1.
  ///   - canLast: whether the fault has the key `for`, the time span in which every message is
  ///     affected. Default: `false`.
  ///   - effect: creates the effect from the checked keys.
  init(
    _ name: String, _ reach: PlannedFault.Kind.Reach, _ summary: String,
    _ keys: [Section.Field] = [], needing alternatives: [String] = [], count: Int = 1,
    canLast: Bool = false,
    effect: @escaping @Sendable (CheckedValue) -> PlannedFault.Kind
  ) {
    self.name = name
    self.reach = reach
    self.effect = effect
    usualCount = count
    self.canLast = canLast
    var section = Section(
      summary, FaultKeys.common(reach, count) + (canLast ? [FaultKeys.window] : []) + keys)
    section.alternatives = alternatives
    self.section = section
  }

  /// Creates the fault to inject from the checked keys of a fault in a rig.
  ///
  /// - Parameters:
  ///   - value: the keys of the fault.
  ///   - start: the time from which it may fire, in nanoseconds since the start of the run.
  /// - Returns: the fault.
  package func planned(_ value: CheckedValue, from start: UInt64) -> PlannedFault {
    let length = canLast ? value["for"]?.nanoseconds : nil
    var fault = PlannedFault(
      kind: effect(value), trigger: FaultKeys.trigger(value, from: start),
      address: FaultKeys.address(value),
      count: value["count"]?.integer ?? (length == nil ? usualCount : PlannedFault.unlimited))
    fault.length = length.map(UInt64.init)
    return fault
  }

  /// All kinds of faults.
  package static let all: [FaultModel] = [
    .nackAddress, .nackData, .arbitrationLost, .busError, .clockStretch, .stuckData, .stuckClock,
    .bitFlip, .shortRead, .wrongDevice,
    .powerLoss, .brownOut, .wrongCalibration, .frozen, .slowConversion, .offset, .drift,
    .bridgeLate, .bridgeLost, .bridgeRepeated,
  ]

  /// Returns the kind with a given name in rigs; `nil` if there is none.
  package static func named(_ name: String) -> FaultModel? { all.first { $0.name == name } }

  /// The schema of a fault in a rig: for each value of `kind`, the keys of that kind.
  package static let shape = Shape.variants(
    discriminator: "kind",
    Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.section) }))
}

/// The keys that several kinds of faults share.
enum FaultKeys {
  /// Returns the keys that all faults with the same reach have; `count` is the default of the key
  /// `count`.
  static func common(_ reach: PlannedFault.Kind.Reach, _ count: Int) -> [Section.Field] {
    let isEndless = count == PlannedFault.unlimited
    let bridged = [
      chance("the probability that a frame is affected"),
      times("the number of affected frames; default: 1"),
    ]
    guard reach != .bridge else { return time + [bus] + bridged }
    return time + messages + [
      bus,
      times(
        isEndless
          ? "the number of affected conversions; default: all"
          : "the number of times that it fires; default: 1"),
    ]
  }

  /// Returns the trigger conditions in a checked value.
  static func trigger(_ value: CheckedValue, from start: UInt64) -> PlannedFault.Trigger {
    var trigger = PlannedFault.Trigger()
    trigger.start = start
    trigger.transfers = value["after"]?.integer ?? 0
    trigger.register = value["register"]?.integer.map { UInt8($0) }
    trigger.direction = value["direction"]?.text.map { $0 == "read" ? .read : .write }
    trigger.probability = value["probability"]?.number ?? 1
    return trigger
  }

  /// Returns the address in a checked value; `nil` for any device.
  static func address(_ value: CheckedValue) -> I2CAddress? {
    value["address"]?.integer.flatMap { I2CAddress(rawValue: UInt16($0)) }
  }

  // MARK: Keys of a few kinds

  /// Creates the key for the index of a byte.
  static func byte(_ range: ClosedRange<Int>, _ summary: String) -> Section.Field {
    .optional("byte", .integer(range), summary)
  }

  /// The key for the inverted bits of a byte.
  static let mask = Section.Field.optional(
    "mask", .integer(1...255), "the inverted bits; default: 0x01")

  /// The required key for the length of the fault.
  static let length = Section.Field.required(
    "for", .quantity(.duration), "the length of the fault"
  )
  .alsoSpelled("duration", "length", "lasts", "time")

  /// The key for the time span in which every message is affected.
  static let window = Section.Field.optional(
    "for", .quantity(.duration),
    "the time span from 'at' in which every message is affected; default: until 'count' is reached"
  ).alsoSpelled("duration", "length", "lasts", "time")

  /// Returns the length of a fault in a checked value, in nanoseconds.
  ///
  /// Default: 10 ms.
  static func length(_ value: CheckedValue) -> UInt64 {
    UInt64(value["for"]?.nanoseconds ?? 10_000_000)
  }

  // MARK: Keys of a reach

  private static let bus = Section.Field.optional(
    "bus", .integer(I2CBusNumber.all), "the bus; default: the only one")

  private static let time: [Section.Field] = [
    .optional(
      "at", .either([.quantity(.duration), .moment]),
      "the time from which it may fire, since the start or as a date if the rig has dates; default: 0s"
    ).example("10min"),
    .optional(
      "after", .integer(0...1_000_000_000),
      "the number of transfers on the bus before it may fire; default: 0"),
  ]

  private static let messages: [Section.Field] = [
    .optional(
      "register", .integer(0...255), "only messages that access this register; default: any"),
    .optional(
      "direction", .word(["read", "write"]), "only messages in this direction; default: both"),
    chance("the probability that a message is affected"),
    .optional("address", .anyAddress, "the address of the device; default: any"),
  ]

  private static func chance(_ summary: String) -> Section.Field {
    .optional("probability", .number(0...1), "\(summary); default: 1")
  }

  private static func times(_ summary: String) -> Section.Field {
    .optional("count", .integer(1...1_000_000), summary)
  }
}
