package import Environment

extension WatchState {
  /// What a viewer is asked before something is done that cannot be taken back.
  package enum Prompt: Hashable, Sendable {
    /// Whether the recording ends with its export.
    case export
    /// Whether the change is counted from now on.
    case initial
    /// Whether the measurement ends.
    case stop
    /// Which of these hatches was moved; each by its modules and whether it is open.
    case hatch([String])

    /// The question.
    var text: String {
      switch self {
      case .export: "export: s stop recording, g go on recording, any other key: no export"
      case .initial: "count the change from this pressure on? y yes, any other key: no"
      case .stop: "stop measuring? a start begins anew. y yes, any other key: no"
      case .hatch(let names):
        "which hatch was moved? "
          + zip(Self.keys, names).map { "\($0) \($1)" }.joined(separator: ", ")
          + ", 0 one that is not here, any other key: none"
      }
    }

    /// The keys by which hatches are named, in order.
    static let keys = "123456789abcdefghijklmnopqrstuvwxyz"

    /// Which of the hatches a key names.
    static func hatch(_ key: Character) -> Int? {
      keys.firstIndex(of: key).map { keys.distance(from: keys.startIndex, to: $0) }
    }
  }

  /// What a key does.
  package enum Effect: Sendable {
    /// The screen changes.
    case redraw
    /// The settings change, and are to be kept.
    case settings
    /// The crew has moved a hatch.
    case moved(CabinPlan.Action)
    /// The crew leads from now on: no hatch is moved by a plan any more.
    case leads
    /// What is recorded becomes a table; the recording ends with that, or goes on.
    case export(ends: Bool)
    /// The watch ends.
    case quit
    /// Nothing.
    case nothing
  }
}
