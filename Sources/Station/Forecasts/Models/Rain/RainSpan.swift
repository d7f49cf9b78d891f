/// The time over which a value of rain was summed or averaged, in seconds since 1970.
struct RainSpan: Hashable, Sendable {
  /// The start of what was counted before the first moment that is known.
  static let unknownStart = Int.min

  /// Its start and its end.
  var start, end: Int

  /// How long it is, in seconds.
  var length: Int { start == Self.unknownStart ? 0 : end - start }
}

/// How the rain of a file is counted.
enum RainKind: Hashable, Sendable {
  /// In the step that ends at the time.
  case perStep
  /// Since the start of the run.
  case sinceStart
  /// Since the last of the moments that are `seconds` apart, one of them `phase` seconds after the start of 1970.
  case sinceMultiple(seconds: Int, phase: Int)
  /// By the bounds of the time axis.
  case byBounds

  /// The words for it that an extract carries in the attribute `aneroid_rain`.
  var word: String {
    switch self {
    case .perStep: "per step"
    case .sinceStart: "since start"
    case .sinceMultiple(let seconds, let phase): "each \(seconds) s from \(phase) s"
    case .byBounds: "by bounds"
    }
  }

  /// Reads ``word``.
  init?(word: String) {
    switch word {
    case "per step": self = .perStep
    case "since start": self = .sinceStart
    case "by bounds": self = .byBounds
    default:
      let words = word.split(separator: " ")
      guard words.count == 6, words[0] == "each", words[3] == "from", let seconds = Int(words[1]),
        let phase = Int(words[4]), seconds > 0
      else { return nil }
      self = .sinceMultiple(seconds: seconds, phase: phase)
    }
  }

  /// The time over which each value counts.
  ///
  /// - Parameters:
  ///   - times: the moments of the steps.
  ///   - reference: when the run began; `nil` if the file does not say so.
  ///   - bounds: the bounds of the time axis.
  /// - Returns: a span for each time; that of the first sum by the step is empty, since its start is unknown.
  func spans(_ times: [Int], reference: Int?, bounds: [RainSpan]?) -> [RainSpan] {
    let start = reference.flatMap { $0 < times.first ?? $0 ? $0 : nil }
    return times.indices.map { index in
      let step = RainSpan(start: times[max(0, index - 1)], end: times[index])
      switch self {
      case .perStep: return step
      case .sinceStart:
        return RainSpan(start: start ?? RainSpan.unknownStart, end: times[index])
      case .sinceMultiple(let seconds, let phase):
        let since = CivilTime.modulo(times[index] - phase - 1, seconds) + 1
        return RainSpan(start: max(start ?? .min, times[index] - since), end: times[index])
      case .byBounds: return bounds?[index] ?? step
      }
    }
  }
}
