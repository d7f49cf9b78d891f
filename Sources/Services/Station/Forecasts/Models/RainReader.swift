/// How rain is accumulated, and the evidence for it as text.
struct RainFinding: Sendable {
  let kind: RainKind
  let evidence: String
  /// `true` if the kind was determined from the values, which another file of the run may contradict.
  var isFromValues = false

  init(_ kind: RainKind, _ evidence: String, isFromValues: Bool = false) {
    (self.kind, self.evidence, self.isFromValues) = (kind, evidence, isFromValues)
  }
}

/// Determines how the rain in a file is accumulated, from the metadata or, failing that, from the
/// values.
struct RainReader {
  let file: NetCDFFile
  let source: FieldSource
  let time: TimeReader.Found
  let grid: GridReader.Found

  /// Returns how the rain is accumulated.
  func finding() throws(ForecastFileError) -> RainFinding {
    if let kind = file.text("aneroid_rain", of: source.variable).flatMap(RainKind.init(word:)) {
      return RainFinding(kind, "according to its extract")
    }
    let method = CellMethods(file.text("cell_methods", of: source.variable) ?? "").method(
      of: ["time", time.variable, time.dimension ?? "time"])
    let hasBounds = time.bounds != nil
    if source.isRate {
      if let method, ["mean", "sum"].contains(method), hasBounds, !time.hasRuns {
        return RainFinding(.byBounds, "a mean rate over the bounds of \(time.variable)")
      }
      return RainFinding(.perStep, "a rate, applied to the step that ends at its time")
    }
    if hasBounds, method == "sum" || method == nil, !isWRF {
      return RainFinding(
        .byBounds,
        time.hasRuns
          ? "accumulated since the start of each time's own run"
          : "accumulated over the bounds of \(time.variable)"
      )
    }
    if isWRF, method != "sum" {
      return RainFinding(.sinceStart, "accumulated since the start of the run, as in WRF")
    }
    if let method, method != "point" {
      return RainFinding(.perStep, "accumulated per step, because cell_methods is \(method)")
    }
    guard source.hasTime else {
      return RainFinding(.sinceStart, Self.sinceStart, isFromValues: true)
    }
    let columns = grid.grid.shape.columns
    return try Self.finding(
      in: time.times, reference: time.reference, rows: grid.grid.shape.rows,
      least: Self.leastFall(of: source, in: file)
    ) { row, step throws(ForecastFileError) in
      try source.row(row, columns: columns, step: step, in: file)
    }
  }

  private var isWRF: Bool { ["RAINNC", "RAINC"].contains(source.variable) }

  private static let sinceStart =
    "accumulated since the start of the run: the values never decrease"

  /// Returns how rain is accumulated according to its values.
  ///
  /// Values that never decrease are accumulated since the start. Values that decrease only at
  /// multiples of a period are accumulated over each period, and all others over each step.
  ///
  /// - Parameters:
  ///   - times: The times of the steps.
  ///   - reference: The start of the run; `nil` if unknown.
  ///   - rows: The number of rows of the grid.
  ///   - least: The smallest decrease that counts, in mm.
  ///   - read: Returns a row of the grid at a step.
  /// - Returns: The finding.
  /// - Throws: The error of `read`.
  static func finding(
    in times: [Int], reference: Int?, rows: Int, least: Double,
    _ read: (_ row: Int, _ step: Int) throws(ForecastFileError) -> [Double]
  ) throws(ForecastFileError) -> RainFinding {
    let falls = try fallingSteps(times.indices, rows, least, read)
    guard !falls.isEmpty else { return RainFinding(.sinceStart, sinceStart, isFromValues: true) }
    let origin = reference ?? times[0]
    for seconds in [24, 12, 6, 3].map({ $0 * 3600 }) {
      for phase in [origin, CivilTime.startOfDay(origin)].map({ CivilTime.modulo($0, seconds) }) {
        func begins(_ index: Int) -> Bool {
          CivilTime.modulo(times[index - 1] - phase, seconds) == 0
        }
        guard falls.allSatisfy(begins),
          times.indices.dropFirst().contains(where: { !begins($0) })
        else { continue }
        return RainFinding(
          .sinceMultiple(seconds: seconds, phase: phase),
          "accumulated over each \(seconds / 3600) h: the values decrease only at these times",
          isFromValues: true)
      }
    }
    return RainFinding(
      .perStep,
      "accumulated per step: the values decrease at times that are no multiples of 3 to 24 h",
      isFromValues: true)
  }

  /// Returns the smallest decrease of rain that is not caused by the packing of the values, in mm.
  static func leastFall(of source: FieldSource, in file: NetCDFFile) -> Double {
    let packing = abs(file.packing(of: source.variable).scale)
    return max(0.05, 2 * (packing == 1 ? 0 : packing) * source.scale)
  }

  /// Returns the steps at which the rain decreases at any point on three rows of the grid.
  private static func fallingSteps(
    _ steps: Range<Int>, _ rows: Int, _ least: Double,
    _ read: (_ row: Int, _ step: Int) throws(ForecastFileError) -> [Double]
  ) throws(ForecastFileError) -> [Int] {
    var falls: [Int] = []
    var before: [Double] = []
    for step in steps {
      var now: [Double] = []
      for row in Set([rows / 4, rows / 2, 3 * rows / 4]).sorted() { now += try read(row, step) }
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
