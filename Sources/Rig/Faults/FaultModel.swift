package import Schema
package import VirtualI2C

/// A kind of fault: its name, its keys in a rig, and its effect.
///
/// Each stands in a file of its own below Kinds; ``all`` names it, and nothing else does.
package struct FaultModel: Sendable {
  /// The word for it in rigs: `nack-address`.
  package let name: String
  /// Where it acts.
  package let reach: PlannedFault.Kind.Reach
  /// All keys of such a fault in a rig, but for `kind`.
  package let section: Section
  /// What a checked value of these keys asks for.
  private let effect: @Sendable (CheckedValue) -> PlannedFault.Kind
  /// How often it happens unless the rig says.
  private let usualCount: Int
  /// Whether its key `for` says how long it goes on happening.
  private let canLast: Bool

  /// Creates a kind of fault.
  ///
  /// - Parameters:
  ///   - name: its word in rigs.
  ///   - reach: where it acts.
  ///   - summary: what happens, in one sentence.
  ///   - keys: the keys that it has in addition to those of its reach.
  ///   - alternatives: the keys of which at least one must be given.
  ///   - count: how often it happens unless the rig says.
  ///   - canLast: whether it takes the key `for`, the time during which each message is hit.
  ///   - effect: what the checked keys ask for.
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

  /// The fault that a checked value plans.
  ///
  /// - Parameters:
  ///   - value: its keys.
  ///   - start: the time from which it may happen, in nanoseconds since the start of the run.
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

  /// All kinds: the only list of them.
  package static let all: [FaultModel] = [
    .nackAddress, .nackData, .arbitrationLost, .busError, .clockStretch, .stuckData, .stuckClock,
    .bitFlip, .shortRead, .wrongDevice,
    .powerLoss, .brownOut, .wrongCalibration, .frozen, .slowConversion, .offset, .drift,
    .bridgeLate, .bridgeLost, .bridgeRepeated,
  ]

  /// The kind with a name in rigs.
  package static func named(_ name: String) -> FaultModel? { all.first { $0.name == name } }

  /// What a rig may say of a fault.
  package static let shape = Shape.variants(
    discriminator: "kind",
    Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.section) }))
}
