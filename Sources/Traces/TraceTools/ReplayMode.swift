package import I2CTrace

/// How a trace answers.
package enum ReplayMode: String, Hashable, Sendable, CaseIterable {
  /// The same transfers in the same order.
  case strict
  /// Loops may take more or fewer turns.
  case lenient
  /// A virtual sensor answers, with the calibration and the raw values of the trace: any program may read it.
  case model

  /// The strictness of a replay that answers with what was recorded; `nil` for a model.
  package var strictness: Replay.Strictness? {
    switch self {
    case .strict: .strict
    case .lenient: .lenient
    case .model: nil
    }
  }
}

/// How a trace is replayed: how exactly, and at which pace.
package struct ReplayOptions: Hashable, Sendable {
  /// How it answers.
  package var mode: ReplayMode
  /// What the recorded times mean.
  package var pace: Replay.Pace

  /// Creates options.
  package init(_ mode: ReplayMode, pace: Replay.Pace = .kept) {
    self.mode = mode
    self.pace = pace
  }
}

extension Replay.Pace {
  /// Reads `kept`, `ignored` or a factor such as `0.5`.
  package init?(_ text: String) {
    switch text {
    case "kept": self = .kept
    case "ignored": self = .ignored
    default:
      guard let factor = Double(text), factor > 0, factor <= 1e6 else { return nil }
      self.init(factor: factor)
    }
  }
}
