import I2C
import Quantities
package import Schema
package import VirtualI2C

/// A kind of fault: its name, its keys in a rig, and its effect.
///
/// The kinds are declared in Faults.swift; `all` lists them.
package struct FaultModel: Sendable {
  /// The value of the key `kind` in rigs, such as `nack-address`.
  package let name: String
  /// The part of the bench that the fault acts on: the wire, a target, a bridge or an adapter.
  package let reach: PlannedFault.Kind.Reach
  /// All keys of the fault in a rig except `kind`.
  private let keys: KeyGroup<FaultSettings>
  /// Creates the effect of the fault from the values of its keys.
  private let effect: @Sendable (FaultSettings) -> PlannedFault.Kind
  /// The default of the key `count`.
  private let usualCount: Int

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
  ///   - effect: creates the effect from the values of the keys.
  init(
    _ name: String, _ reach: PlannedFault.Kind.Reach, _ summary: String,
    _ keys: [Key<FaultSettings>] = [], needing alternatives: [String] = [], count: Int = 1,
    canLast: Bool = false,
    effect: @escaping @Sendable (FaultSettings) -> PlannedFault.Kind
  ) {
    self.name = name
    self.reach = reach
    self.effect = effect
    usualCount = count
    self.keys = KeyGroup(summary, FaultSettings(), needing: alternatives) {
      FaultKeys.common(reach, count) + (canLast ? [FaultKeys.window] : []) + keys
    }
  }

  /// Creates the fault to inject from the checked keys of a fault in a rig.
  ///
  /// - Parameters:
  ///   - value: the keys of the fault.
  ///   - start: the time from which it may fire, in nanoseconds since the start of the run.
  ///   - checker: collects the errors that only the format of a key detects.
  /// - Returns: the fault.
  package func planned(
    _ value: CheckedValue, from start: UInt64, _ checker: inout Checker
  ) -> PlannedFault {
    var settings = keys.standard
    keys.read(value, into: &settings, &checker)
    settings.trigger.start = start
    var fault = PlannedFault(
      kind: effect(settings), trigger: settings.trigger, address: settings.address,
      count: settings.count ?? (settings.window == nil ? usualCount : PlannedFault.unlimited))
    fault.length = settings.window
    return fault
  }

  /// All kinds of faults.
  package static let all: [FaultModel] = [
    .nackAddress, .nackData, .arbitrationLost, .busError, .clockStretch, .stuckData, .stuckClock,
    .bitFlip, .stuckBits, .shortRead, .wrongDevice,
    .powerLoss, .brownOut, .wrongCalibration, .frozen, .slowConversion, .offset, .drift,
    .bridgeLate, .bridgeLost, .bridgeRepeated, .adapterUnplugged,
  ]

  /// Returns the kind with a given name in rigs; `nil` if there is none.
  package static func named(_ name: String) -> FaultModel? { all.first { $0.name == name } }

  /// The schema of a fault in a rig: for each value of `kind`, the keys of that kind.
  package static let shape = Shape.variants(
    discriminator: "kind",
    Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.keys.section) }))
}

/// The values of the keys of a fault, with their defaults; a kind of fault has some of the keys.
struct FaultSettings: Sendable {
  /// The conditions under which it fires, except its start.
  var trigger = PlannedFault.Trigger()
  /// The address of the device; `nil` for any.
  var address: I2CAddress?
  /// The number of times that it fires; `nil` for the default of its kind.
  var count: Int?
  /// The time span in nanoseconds in which every message is affected; `nil` if `count` limits the fault.
  var window: UInt64?

  /// The length of the fault in nanoseconds.
  var length: UInt64 = 10_000_000
  /// The length of an absence in nanoseconds; `nil` for one without end.
  var absence: UInt64?
  /// Whether the adapter supplies the devices.
  var supplies = true
  /// The index of the affected byte.
  var byte = 0
  /// The inverted bits of that byte.
  var mask: UInt8 = 0x01
  var level = 1
  /// The number of bytes that arrive.
  var bytes = 1
  /// The number of bytes of the calibration that are copied.
  var copied = 12
  /// The value of all registers of another chip.
  var registers: UInt8 = 0xFF
  /// The error of the results.
  var error = PartDeviation()
}

/// The keys that several kinds of faults share.
enum FaultKeys {
  /// Returns the keys that all faults with the same reach have; `count` is the default of the key
  /// `count`.
  static func common(_ reach: PlannedFault.Kind.Reach, _ count: Int) -> [Key<FaultSettings>] {
    switch reach {
    case .adapter: return [start, bus]
    case .bridge:
      return time + [
        bus, chance("the probability that a frame is affected"),
        times("the number of affected frames", absent: "1"),
      ]
    case .wire, .target: break
    }
    let isEndless = count == PlannedFault.unlimited
    return time + messages + [
      bus,
      isEndless
        ? times("the number of affected conversions", absent: "all")
        : times("the number of times that it fires", absent: "1"),
    ]
  }

  // MARK: Keys of a few kinds

  /// Creates the key for the index of a byte.
  static func byte(_ range: ClosedRange<Int>, _ summary: String) -> Key<FaultSettings> {
    Key("byte", \.byte, .integer(range), summary)
  }

  /// The key for the inverted bits of a byte.
  static let mask = Key<FaultSettings>("mask", \.mask, .byte(1...255), "the inverted bits")

  /// The required key for the length of the fault.
  static let length = Key<FaultSettings>.required(
    "for", \.length, .duration, "the length of the fault"
  )
  .alsoSpelled("duration", "length", "lasts", "time")

  /// The key for the time span in which every message is affected.
  static let window = Key<FaultSettings>(
    "for", \.window, .duration, "the time span from 'at' in which every message is affected",
    absent: "until 'count' is reached"
  ).alsoSpelled("duration", "length", "lasts", "time")

  /// The keys for the error of the results.
  static let error: [Key<FaultSettings>] = KeyGroup.deviation.keys(in: \.error)

  // MARK: Keys of a reach

  /// The key for the bus, which the reader of a rig looks up.
  private static let bus = Key<FaultSettings>(
    .optional("bus", .integer(I2CBusNumber.all), "the bus; default: the only one"))

  /// The keys for the start; the reader of a rig converts `at`, which may be a date.
  private static let start = Key<FaultSettings>(
    .optional(
      "at", .either([.quantity(.duration), .moment]),
      "the time from which it may fire, since the start or as a date if the rig has dates; default: 0s"
    ).example("10min"))

  private static let time: [Key<FaultSettings>] = [
    start,
    Key(
      "after", \.trigger.transfers, .integer(0...1_000_000_000),
      "the number of transfers on the bus before it may fire"),
  ]

  private static let messages: [Key<FaultSettings>] = [
    Key(
      "register", \.trigger.register, .byte(), "only messages that access this register",
      absent: "any"),
    Key(
      "direction", \.trigger.direction,
      .choice(of: [.read, .write]) { $0 == .read ? "read" : "write" },
      "only messages in this direction", absent: "both"),
    chance("the probability that a message is affected"),
    Key("address", \.address, .address, "the address of the device", absent: "any"),
  ]

  private static func chance(_ summary: String) -> Key<FaultSettings> {
    Key("probability", \.trigger.probability, .number(0...1), summary)
  }

  private static func times(_ summary: String, absent absence: String) -> Key<FaultSettings> {
    Key("count", \.count, .integer(1...1_000_000), summary, absent: absence)
  }
}
