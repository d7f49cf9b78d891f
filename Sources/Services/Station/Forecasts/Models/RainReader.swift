/// Determines how the rain in a file is accumulated, from the metadata or, failing that, from the
/// values.
struct RainReader {
  let file: NetCDFFile
  let source: FieldSource
  let time: TimeReader.Found
  let grid: GridReader.Found

  /// Returns the kind of accumulation, and the evidence for it as text.
  func kind() throws(ForecastFileError) -> (kind: RainKind, evidence: String) {
    if let kind = file.text("aneroid_rain", of: source.variable).flatMap(RainKind.init(word:)) {
      return (kind, "according to its extract")
    }
    let method = CellMethods(file.text("cell_methods", of: source.variable) ?? "").method(
      of: ["time", time.variable, time.dimension ?? "time"])
    let hasBounds = time.bounds != nil
    if source.isRate {
      if let method, ["mean", "sum"].contains(method), hasBounds, !time.hasRuns {
        return (.byBounds, "a mean rate over the bounds of \(time.variable)")
      }
      return (.perStep, "a rate, applied to the step that ends at its time")
    }
    if hasBounds, method == "sum" || method == nil, !isWRF {
      return (
        .byBounds,
        time.hasRuns
          ? "accumulated since the start of each time's own run"
          : "accumulated over the bounds of \(time.variable)"
      )
    }
    if isWRF, method != "sum" {
      return (.sinceStart, "accumulated since the start of the run, as in WRF")
    }
    if let method, method != "point" {
      return (.perStep, "accumulated per step, because cell_methods is \(method)")
    }
    return try byValues()
  }

  private var isWRF: Bool { ["RAINNC", "RAINC"].contains(source.variable) }

  /// Determines the kind of accumulation from the values.
  ///
  /// Values that never decrease are accumulated since the start. Values that decrease only at
  /// multiples of a period are accumulated over each period, and all others over each step.
  private func byValues() throws(ForecastFileError) -> (kind: RainKind, evidence: String) {
    let falls = try fallingSteps()
    guard !falls.isEmpty else {
      return (.sinceStart, "accumulated since the start of the run: the values never decrease")
    }
    let times = time.times
    let origin = time.reference ?? times[0]
    for seconds in [24, 12, 6, 3].map({ $0 * 3600 }) {
      for phase in [origin, CivilTime.startOfDay(origin)].map({ CivilTime.modulo($0, seconds) }) {
        func begins(_ index: Int) -> Bool {
          CivilTime.modulo(times[index - 1] - phase, seconds) == 0
        }
        guard falls.allSatisfy(begins),
          times.indices.dropFirst().contains(where: { !begins($0) })
        else { continue }
        return (
          .sinceMultiple(seconds: seconds, phase: phase),
          "accumulated over each \(seconds / 3600) h: the values decrease only at these times"
        )
      }
    }
    return (
      .perStep,
      "accumulated per step: the values decrease at times that are no multiples of 3 to 24 h"
    )
  }

  /// Returns the steps at which the rain decreases at any point on three rows of the grid.
  private func fallingSteps() throws(ForecastFileError) -> [Int] {
    guard source.hasTime else { return [] }
    let (rows, columns) = grid.grid.shape
    let packing = abs(file.packing(of: source.variable).scale)
    let least = max(0.05, 2 * (packing == 1 ? 0 : packing) * source.scale)
    var falls: [Int] = []
    var before: [Double] = []
    for step in time.times.indices {
      var now: [Double] = []
      for row in Set([rows / 4, rows / 2, 3 * rows / 4]).sorted() {
        now += try source.row(row, columns: columns, step: step, in: file)
      }
      if zip(before, now).contains(where: { $0 - $1 > least }) { falls.append(step) }
      // A missing value is skipped, and the next value is compared with the last valid one.
      before = before.isEmpty ? now : zip(before, now).map { $1.isNaN ? $0 : $1 }
    }
    return falls
  }
}

/// The attribute `cell_methods` of CF 7.3, such as `time: sum (interval: 1 hour) area: mean`.
struct CellMethods {
  private var methods: [String: String] = [:]

  /// Parses the attribute.
  init(_ text: String) {
    var names: [String] = []
    var depth = 0
    for word in text.split(separator: " ") {
      let wasInside = depth > 0 || word.hasPrefix("(")
      depth += word.filter { $0 == "(" }.count - word.filter { $0 == ")" }.count
      if wasInside { continue }
      // Some files have "time:sum" without a space.
      let parts = word.split(separator: ":", omittingEmptySubsequences: false)
      if parts.count == 2 { names.append(String(parts[0])) }
      let method = parts.count == 2 ? parts[1] : parts[0]
      guard !method.isEmpty, !names.isEmpty else { continue }
      for name in names { methods[name] = method.lowercased() }
      names = []
    }
  }

  /// Returns the method along the first of the axes that has one; `nil` if none has.
  func method(of axes: [String]) -> String? { axes.lazy.compactMap { methods[$0] }.first }
}

/// The period over which a value of rain was summed or averaged, in seconds since 1970.
struct RainSpan: Hashable, Sendable {
  /// The start of an accumulation that began at an unknown time before the first value.
  static let unknownStart = Int.min

  var start, end: Int

  /// The duration in seconds; 0 if the start is unknown.
  var length: Int { start == Self.unknownStart ? 0 : end - start }
}

/// The way in which the rain in a file is accumulated.
enum RainKind: Hashable, Sendable {
  /// Each value is accumulated over the step that ends at its time.
  case perStep
  /// Each value is accumulated since the start of the run.
  case sinceStart
  /// Each value is accumulated since the last multiple of `seconds`; `phase` is the offset of the
  /// multiples from the start of 1970, in seconds.
  case sinceMultiple(seconds: Int, phase: Int)
  /// Each value is accumulated over the bounds that the time axis gives for it.
  case byBounds

  /// The value of the attribute `aneroid_rain` of an extract.
  var word: String {
    switch self {
    case .perStep: "per step"
    case .sinceStart: "since start"
    case .sinceMultiple(let seconds, let phase): "each \(seconds) s from \(phase) s"
    case .byBounds: "by bounds"
    }
  }

  /// Parses a value of the attribute as written by `word`.
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

  /// Returns the accumulation period of each value.
  ///
  /// - Parameters:
  ///   - times: The times of the steps.
  ///   - reference: The start of the run; `nil` if unknown.
  ///   - bounds: The bounds of the time axis; `nil` if it has none.
  /// - Returns: A span for each time; the span of the first per-step value is empty, because its
  ///   start is unknown.
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
        // At the start of a run nothing has accumulated: this value is no rain of the hours before.
        let isOrigin =
          reference.map { $0 == times[0] } ?? (CivilTime.modulo(times[0] - phase, seconds) == 0)
        let earliest = start ?? (isOrigin ? times[0] : .min)
        return RainSpan(start: max(earliest, times[index] - since), end: times[index])
      case .byBounds: return bounds?[index] ?? step
      }
    }
  }
}

/// Rain accumulated over time, computed from sums over periods.
package struct RainAccount: Sendable {
  /// The times of the accumulated values in seconds since 1970, ascending.
  package private(set) var times: [Int] = []
  /// The accumulated rain in mm at each time.
  package private(set) var fallen: [Double] = []
  /// The number of gaps before each time; if two times have different numbers, the rain between
  /// them is unknown.
  package private(set) var gaps: [Int32] = []

  /// Creates an account without rain data.
  init() {}

  /// Creates an account by accumulating sums.
  ///
  /// A sum that starts within an earlier sum's period is skipped, unless it starts where another
  /// sum has ended. Hourly sums over the last three hours are an example.
  ///
  /// - Parameters:
  ///   - spans: The accumulation period of each sum, ordered by end.
  ///   - amounts: The sums in mm; NaN for missing sums.
  init(_ spans: [RainSpan], _ amounts: [Double]) {
    var known: [Int: (sum: Double, gap: Int32)] = [:]
    for (span, amount) in zip(spans, amounts) where !amount.isNaN {
      if known[span.start] == nil {
        guard span.start > times.last ?? .min || known.isEmpty else { continue }
        let gap = known.isEmpty ? 0 : (gaps.last ?? 0) + 1
        known[span.start] = (fallen.last ?? 0, gap)
        if span.start != RainSpan.unknownStart {
          append(span.start, fallen.last ?? 0, gap)
        }
      }
      guard let before = known[span.start], span.end > times.last ?? .min else { continue }
      known[span.end] = (before.sum + max(0, amount), before.gap)
      append(span.end, before.sum + max(0, amount), before.gap)
    }
  }

  private mutating func append(_ time: Int, _ sum: Double, _ gap: Int32) {
    times.append(time)
    fallen.append(sum)
    gaps.append(gap)
  }
}
