import I2C
import Quantities
package import Schema
import Support
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
    .powerLoss, .brownOut, .wrongCalibration, .partReplaced, .frozen, .slowConversion, .offset,
    .drift,
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
  /// The bytes of the calibration of another part.
  var memory: [UInt8] = []
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

  /// The bytes of a calibration, as many as one of the parts has.
  static let memory = KeyFormat<[UInt8]>(.hexadecimal, text: { _ in nil }) {
    value throws(QuantityKind.FormatError) in
    guard let digits = value.text else { return nil }
    let bytes = Hexadecimal.bytes(digits)
    guard [33, 24, 22].contains(bytes.count) else {
      throw QuantityKind.FormatError(
        message:
          "no part has a calibration of \(bytes.count) bytes (accepted: 33, 24 or 22)")
    }
    return bytes
  }

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

extension FaultModel {
  static let nackAddress = FaultModel(
    "nack-address", .wire, "The device NACKs its address.", canLast: true
  ) { _ in
    .addressNack
  }
}

extension FaultModel {
  static let nackData = FaultModel(
    "nack-data", .wire, "The device NACKs a byte written to it.",
    [FaultKeys.byte(0...8191, "the index of the byte")]
  ) {
    .dataNack(byte: $0.byte)
  }
}

extension FaultModel {
  static let arbitrationLost = FaultModel(
    "arbitration-lost", .wire, "Another controller wins the bus."
  ) { _ in
    .arbitrationLost
  }
}

extension FaultModel {
  static let busError = FaultModel(
    "bus-error", .wire, "A misplaced START or STOP condition."
  ) { _ in
    .busError
  }
}

extension FaultModel {
  static let clockStretch = FaultModel(
    "clock-stretch", .wire,
    "Holds SCL low; beyond the adapter's stretch_limit the transfer times out.",
    [FaultKeys.length]
  ) {
    .clockStretch($0.length)
  }
}

extension FaultModel {
  static let stuckData = FaultModel(
    "stuck-sda", .wire, "Holds SDA low: a transfer times out, and nine clock pulses free the bus."
  ) { _ in
    .dataStuck
  }
}

extension FaultModel {
  static let stuckClock = FaultModel(
    "stuck-scl", .wire, "Holds SCL low, which no recovery can end: every transfer times out.",
    [FaultKeys.length]
  ) {
    .clockStuck($0.length)
  }
}

extension FaultModel {
  static let bitFlip = FaultModel(
    "bit-flip", .wire, "Inverts bits of a byte that is read.",
    [FaultKeys.byte(0...8191, "the index of the byte in its read"), FaultKeys.mask]
  ) {
    .bitFlip(byte: $0.byte, mask: $0.mask)
  }
}

extension FaultModel {
  static let stuckBits = FaultModel(
    "stuck-bits", .wire,
    "Bits of a byte that is read have the same level, whatever the device sends.",
    [
      FaultKeys.byte(0...8191, "the index of the byte in its read"),
      Key("mask", \.mask, .byte(1...255), "the stuck bits"),
      Key("level", \.level, .integer(0...1), "their level"),
    ]
  ) {
    .stuckBits(byte: $0.byte, mask: $0.mask, areSet: $0.level == 1)
  }
}

extension FaultModel {
  static let shortRead = FaultModel(
    "short-read", .wire, "The device releases SDA during a read: the remaining bytes read as 0xFF.",
    [Key("bytes", \.bytes, .integer(0...8191), "the number of bytes that arrive")]
  ) {
    .shortRead(bytes: $0.bytes)
  }
}

extension FaultModel {
  static let wrongDevice = FaultModel(
    "wrong-device", .wire,
    "Another chip answers instead of the device: it ACKs every write, and all its registers read the same value.",
    [Key("reads", \.registers, .byte(), "the value of all its registers")]
  ) {
    .otherTarget(reads: $0.registers)
  }
}

extension FaultModel {
  static let bridgeLate = FaultModel(
    "bridge-late", .bridge,
    "The bridge acknowledges a frame late; beyond its time_out the operation fails.",
    [FaultKeys.length]
  ) {
    .frameLate($0.length)
  }
}

extension FaultModel {
  static let bridgeLost = FaultModel(
    "bridge-lost", .bridge, "A response of the bridge is lost."
  ) { _ in
    .frameLost
  }
}

extension FaultModel {
  static let bridgeRepeated = FaultModel(
    "bridge-repeated", .bridge, "A frame arrives at the bridge twice and is executed twice."
  ) { _ in
    .frameRepeated
  }
}

extension FaultModel {
  static let adapterUnplugged = FaultModel(
    "adapter-unplugged", .adapter,
    "The adapter is unplugged: /dev/i2c-N vanishes, and transfers through open files fail with ENODEV, even after it returned.",
    [
      Key(
        "for", \.absence, .duration, "the time until it is plugged in again", absent: "to the end"
      ).alsoSpelled("duration", "length", "lasts", "time"),
      Key(
        "supplies", \.supplies, .boolean,
        "whether it supplies the devices, which then restart when it returns"),
    ]
  ) {
    .unplugged($0.absence ?? .max, cutsSupply: $0.supplies)
  }
}

extension FaultModel {
  static let powerLoss = FaultModel(
    "power-loss", .target,
    "The device loses its supply and restarts: a brown-out, or a connector that is pulled and plugged in again.",
    [Key("for", \.length, .duration, "the time without supply")]
  ) {
    .powerLoss($0.length)
  }
}

extension FaultModel {
  static let brownOut = FaultModel(
    "brown-out", .target,
    "The supply dips: the device restarts and copies only a part of its calibration.",
    [Key("kept", \.copied, .integer(0...33), "the number of bytes that are copied")]
  ) {
    .condition(.partialMemory(kept: $0.copied))
  }
}

extension FaultModel {
  static let wrongCalibration = FaultModel(
    "wrong-calibration", .target,
    "At its next start (reset or power-on) the device copies one byte of its calibration wrong.",
    [
      FaultKeys.byte(0...32, "the index of the byte, 0 for 0x88, 26 for 0xE1"),
      FaultKeys.mask,
    ]
  ) {
    .condition(
      .wrongMemory(byte: $0.byte, mask: $0.mask))
  }
}

extension FaultModel {
  static let partReplaced = FaultModel(
    "part-replaced", .target,
    "Another part of the same model takes the place of the device; add power-loss for the time without a part.",
    [
      .required(
        "calibration", \.memory, FaultKeys.memory,
        "all bytes of its calibration, in the order of the registers"
      ).example(
        "\"606ecb6832001d913bd7d00be8262afff9ffac260ad8bd10004b810100102c031e\""
      )
    ]
  ) {
    .condition(.otherMemory($0.memory))
  }
}

extension FaultModel {
  static let frozen = FaultModel(
    "frozen", .target, "New results do not reach the data registers.", count: PlannedFault.unlimited
  ) { _ in
    .condition(.frozen)
  }
}

extension FaultModel {
  static let slowConversion = FaultModel(
    "slow-conversion", .target, "Conversions take the longest time of the datasheet.",
    count: PlannedFault.unlimited
  ) { _ in
    .condition(.slow)
  }
}

extension FaultModel {
  static let offset = FaultModel(
    "offset", .target, "The results have a constant error.", FaultKeys.error,
    needing: FaultKeys.error.map(\.name), count: PlannedFault.unlimited
  ) {
    .condition(.offset($0.error))
  }
}

extension FaultModel {
  static let drift = FaultModel(
    "drift", .target, "The results drift by the given error per hour.", FaultKeys.error,
    needing: FaultKeys.error.map(\.name), count: PlannedFault.unlimited
  ) {
    .condition(.drift($0.error))
  }
}
