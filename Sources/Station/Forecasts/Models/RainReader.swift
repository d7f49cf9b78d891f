/// Determines the accumulation of a file's rain from its metadata, or else from its values.
struct RainReader {
  let file: NetCDFFile
  let source: FieldSource
  let time: TimeReader.Found
  let grid: GridReader.Found

  /// The accumulation, and the evidence for it as text.
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

  /// Values that never decrease are accumulated since the start; values that decrease only at multiples of a period,
  /// over each
  /// period; all others per step.
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
    return (.perStep, "accumulated per step: the values decrease at other times")
  }

  /// The steps at which the rain of a point decreases, on three rows of the grid.
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
      // A missing value is skipped; the last valid one is compared.
      before = before.isEmpty ? now : zip(before, now).map { $1.isNaN ? $0 : $1 }
    }
    return falls
  }
}

/// The attribute `cell_methods` of CF 7.3: `time: sum (interval: 1 hour) area: mean`.
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

  /// Returns the method along the first matching axis; `nil` without one.
  func method(of axes: [String]) -> String? { axes.lazy.compactMap { methods[$0] }.first }
}

/// The period over which a value of rain was summed or averaged, in seconds since 1970.
struct RainSpan: Hashable, Sendable {
  /// The start of accumulation before the first known time.
  static let unknownStart = Int.min

  /// The start and end.
  var start, end: Int

  /// The duration in seconds.
  var length: Int { start == Self.unknownStart ? 0 : end - start }
}

/// The accumulation of rain in a file.
enum RainKind: Hashable, Sendable {
  /// Over the step that ends at the time.
  case perStep
  /// Since the start of the run.
  case sinceStart
  /// Since the last of the times that are `seconds` apart, with an offset of `phase` seconds from the start of 1970.
  case sinceMultiple(seconds: Int, phase: Int)
  /// Over the bounds of the time axis.
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

  /// Parses ``word``.
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
  ///   - bounds: The bounds of the time axis.
  /// - Returns: A span for each time; that of the first value per step is empty, because its start is unknown.
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

/// Rain accumulated over time, computed from sums over spans of time.
package struct RainAccount: Sendable {
  /// The times of the accumulated values in seconds since 1970, ascending.
  package private(set) var times: [Int] = []
  /// The accumulated rain in mm at each time.
  package private(set) var fallen: [Double] = []
  /// The number of gaps before each time: between two times with different numbers the rain is unknown.
  package private(set) var gaps: [Int32] = []

  /// No rain data.
  init() {}

  /// Accumulates sums.
  ///
  /// A sum that starts within an earlier one, such as hourly sums over the last three hours, is skipped unless it
  /// starts where one
  /// has ended.
  ///
  /// - Parameters:
  ///   - spans: The accumulation period of each sum, ordered by end.
  ///   - amounts: The sums in mm, NaN for missing ones.
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
