import Glibc
import Schema
package import Support

/// What the rows of a campaign have in common: shares, distributions and the worst runs.
package struct CampaignSummary: Sendable {
  /// The number of runs with each outcome.
  package struct Outcomes: Sendable, Hashable {
    package internal(set) var passed = 0, failed = 0, errors = 0

    /// The number of runs.
    package var count: Int { passed + failed + errors }

    mutating func take(_ outcome: CampaignRow.Outcome) {
      switch outcome {
      case .passed: passed += 1
      case .failed: failed += 1
      case .error: errors += 1
      }
    }
  }

  /// The distribution of a measured number.
  package struct Distribution: Sendable {
    package let name: String
    package let count: Int
    package let mean: Double, minimum: Double, maximum: Double
    /// The numbers at `shares`.
    package let quantiles: [Double]
    package let histogram: Histogram?
    /// The worst runs, the worst first.
    package let worst: [Extreme]
  }

  /// A run with one of the worst numbers.
  package struct Extreme: Sendable, Hashable {
    package let run: Int
    package let number: Double
  }

  /// The outcomes for one value of a key.
  package struct Group: Sendable {
    package let value: String
    package internal(set) var outcomes = Outcomes()
    /// The sum and the number of the values of each measure.
    fileprivate var sums: [(sum: CompensatedSum, count: Int)]

    /// The mean of each measured number; `nil` for a measure without a number.
    package var means: [Double?] {
      sums.map { $0.count > 0 ? $0.sum.value / Double($0.count) : nil }
    }
  }

  /// The shares of runs at which quantiles are computed.
  package static let shares = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99]

  package let header: ShardHeader
  package internal(set) var outcomes = Outcomes()
  package internal(set) var distributions: [Distribution] = []
  /// For each key with enumerated values, its name and the outcomes for each value.
  package internal(set) var groups: [(key: String, values: [Group])] = []
  /// The messages of runs that did not pass, with the number of runs and the first one; the most frequent first.
  package internal(set) var messages: [(text: String, count: Int, first: Int)] = []
  /// The number of further messages that are not listed.
  package internal(set) var otherMessages = 0
}

/// Computes a summary from rows, with constant memory.
struct SummaryBuilder {
  private var summary: CampaignSummary
  private let header: ShardHeader
  private var columns: [ColumnFile] = []
  private var worst: [[CampaignSummary.Extreme]]
  private var messages: [String: (count: Int, first: Int)] = [:]
  private var otherMessages = 0
  private var groups:
    [(column: Int, key: String, indices: [String: Int], values: [CampaignSummary.Group])] = []

  /// The number of different messages that are counted.
  private static let mostMessages = 1000
  /// The number of messages that a summary lists.
  private static let shownMessages = 20

  init(_ header: ShardHeader) throws(Failure) {
    self.header = header
    summary = CampaignSummary(header: header)
    let count = header.measured.count
    for _ in 0..<count { columns.append(try ColumnFile()) }
    worst = Array(repeating: [], count: count)
    for (index, values) in header.enumerated.enumerated() where values.count > 1 {
      let empty = Array(repeating: (sum: CompensatedSum(), count: 0), count: count)
      groups.append(
        (
          index, header.columns[index + 2],
          Dictionary(values.enumerated().map { ($1, $0) }) { first, _ in first },
          values.map { CampaignSummary.Group(value: $0, sums: empty) }
        ))
    }
  }

  /// Takes the fields of a row.
  ///
  /// - Returns: `false` if they are not a row of this campaign.
  mutating func take(_ fields: [String]) -> Bool {
    guard fields.count == header.columns.count, let run = Int(fields[0]),
      let outcome = CampaignRow.Outcome(rawValue: fields[header.keys + 2])
    else { return false }
    summary.outcomes.take(outcome)
    let numbers = fields[(header.keys + 3)..<(fields.count - 1)].map { Double($0) }
    for (index, number) in numbers.enumerated() {
      guard let number, number.isFinite else { continue }
      columns[index].append(number)
      keepIfWorst(CampaignSummary.Extreme(run: run, number: number), at: index)
    }
    for index in groups.indices {
      guard let value = groups[index].indices[fields[groups[index].column + 2]] else { continue }
      groups[index].values[value].outcomes.take(outcome)
      for (measure, number) in numbers.enumerated() {
        guard let number, number.isFinite else { continue }
        groups[index].values[value].sums[measure].sum.add(number)
        groups[index].values[value].sums[measure].count += 1
      }
    }
    if outcome != .passed { count(fields[fields.count - 1], run) }
    return true
  }

  private mutating func count(_ message: String, _ run: Int) {
    if let known = messages[message] {
      messages[message] = (known.count + 1, known.first)
    } else if messages.count < Self.mostMessages {
      messages[message] = (1, run)
    } else {
      otherMessages += 1
    }
  }

  /// Keeps a run if its number is among the worst; of equal numbers, those of the first runs are kept.
  private mutating func keepIfWorst(_ extreme: CampaignSummary.Extreme, at index: Int) {
    func isWorse(_ one: CampaignSummary.Extreme, _ other: CampaignSummary.Extreme) -> Bool {
      header.prefersHigh[index] ? one.number < other.number : one.number > other.number
    }
    if worst[index].count == header.worst {
      guard let last = worst[index].last, isWorse(extreme, last) else { return }
      worst[index].removeLast()
    }
    let place = worst[index].firstIndex { isWorse(extreme, $0) } ?? worst[index].count
    worst[index].insert(extreme, at: place)
  }

  /// Returns the summary of all rows.
  ///
  /// - Throws: `Failure` of kind inputOutput if a temporary file could not be written.
  mutating func finish() throws(Failure) -> CampaignSummary {
    for (index, column) in columns.enumerated() {
      summary.distributions.append(
        CampaignSummary.Distribution(
          name: header.measured[index], count: column.count, mean: column.mean,
          minimum: column.minimum, maximum: column.maximum,
          quantiles: try column.quantiles(CampaignSummary.shares),
          histogram: try column.histogram(40), worst: worst[index]))
    }
    summary.groups = groups.map { ($0.key, $0.values) }
    let sorted = messages.map { (text: $0.key, count: $0.value.count, first: $0.value.first) }
      .inOrder { ($1.count, $0.first) < ($0.count, $1.first) }
    summary.messages = Array(sorted.prefix(Self.shownMessages))
    summary.otherMessages =
      otherMessages + sorted.dropFirst(Self.shownMessages).reduce(0) { $0 + $1.count }
    return summary
  }
}

extension CampaignSummary {
  /// The summary as JSON, with a final newline; worst runs have no commands.
  package var jsonText: String { json(nil).indented + "\n" }

  /// The summary as text for a terminal.
  package var text: String {
    let count = outcomes.count
    let runs =
      count == header.total ? "run".counted(count) : "\(count) of \("run".counted(header.total))"
    var lines = ["\(header.name): \(runs), \(outcomes.passed) passed"]
    if outcomes.failed > 0 { lines[0] += ", \(outcomes.failed) failed" }
    if outcomes.errors > 0 { lines[0] += ", \(outcomes.errors) impossible" }
    for distribution in distributions {
      guard distribution.count > 0 else {
        lines.append("  \(distribution.name): no value in any run")
        continue
      }
      let (lowest, highest) = (distribution.minimum, distribution.maximum)
      let median = Decimal.shortest(distribution.quantiles[Self.shares.count / 2])
      let range = "from \(Decimal.shortest(lowest)) to \(Decimal.shortest(highest))"
      let worst = distribution.worst.first.map { ", worst in run \($0.run)" } ?? ""
      lines.append(
        "  \(distribution.name): "
          + (lowest == highest ? "always \(median)" : "median \(median), \(range)\(worst)"))
    }
    for group in groups {
      let shares = group.values.map { "\($0.value): \($0.outcomes.passed) of \($0.outcomes.count)" }
      lines.append("  passed by \(group.key): \(shares.shortened)")
    }
    for message in messages.prefix(5) {
      lines.append(
        "  \("run".counted(message.count)): \(message.text) (first: run \(message.first))")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// The numbers of one column in a file without a name, so that any number of runs needs the same memory.
package final class ColumnFile {
  private let descriptor: Int32
  private var buffer: [Double] = []
  /// The number of numbers.
  private(set) var count = 0
  package private(set) var minimum = Double.infinity
  package private(set) var maximum = -Double.infinity
  private var sum = CompensatedSum()
  private var failure: Int32 = 0

  /// The number of numbers in memory.
  private static let chunk = 1 << 14

  /// Creates an empty column.
  ///
  /// - Throws: `Failure` of kind inputOutput.
  package init() throws(Failure) {
    descriptor = ScratchFile.open()
    guard descriptor >= 0 else {
      throw Failure(
        .inputOutput, "cannot create a temporary file: \(String(cString: strerror(errno)))")
    }
    buffer.reserveCapacity(Self.chunk)
  }

  deinit { close(descriptor) }

  /// Appends a number.
  package func append(_ number: Double) {
    count += 1
    sum.add(number)
    (minimum, maximum) = (min(minimum, number), max(maximum, number))
    buffer.append(number)
    if buffer.count == Self.chunk { flush() }
  }

  /// The mean of the numbers, summed in their order with compensation; NaN for an empty column.
  var mean: Double { sum.value / Double(count) }

  private func flush() {
    guard failure == 0 else { return }
    let bytes = buffer.withUnsafeBytes { Array($0) }
    failure = writeAll(bytes, to: descriptor)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Calls a function with each number, in the order in which they were appended.
  ///
  /// - Throws: `Failure` of kind inputOutput if the file could not be written or read.
  func forEach(_ take: (Double) -> Void) throws(Failure) {
    flush()
    guard failure == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      let code = failure == 0 ? errno : failure
      throw Failure(.inputOutput, "a temporary file: \(String(cString: strerror(code)))")
    }
    var rest = count
    while rest > 0 {
      let wanted = min(rest, Self.chunk)
      var filled = 0
      let numbers = [Double](unsafeUninitializedCapacity: wanted) { buffer, initialized in
        let raw = UnsafeMutableRawBufferPointer(buffer)
        while filled < wanted * 8 {
          let got = read(descriptor, raw.baseAddress?.advanced(by: filled), wanted * 8 - filled)
          guard got > 0 else { break }
          filled += got
        }
        initialized = filled / 8
      }
      guard numbers.count == wanted else {
        throw Failure(.inputOutput, "a temporary file could not be read back")
      }
      numbers.forEach(take)
      rest -= wanted
    }
  }

  /// Returns the numbers at given shares of the sorted column: the smallest number that is not exceeded by a smaller share
  /// than `q` (nearest rank).
  ///
  /// The file is read four times; the numbers are selected by 16 bits at a time, so the result is exact.
  ///
  /// - Parameter shares: the shares, from 0 to 1.
  /// - Throws: `Failure` of kind inputOutput.
  /// - Returns: one number for each share; empty for an empty column.
  package func quantiles(_ shares: [Double]) throws(Failure) -> [Double] {
    guard count > 0 else { return [] }
    var ranks = shares.map { min(max(Int((Double(count) * $0).rounded(.up)) - 1, 0), count - 1) }
    var prefixes = [UInt64](repeating: 0, count: shares.count)
    for shift in [48, 32, 16, 0] as [UInt64] {
      let distinct = Array(Set(prefixes))
      var counts = distinct.map { _ in [Int](repeating: 0, count: 1 << 16) }
      try forEach { number in
        let key = Self.key(number)
        let prefix = shift == 48 ? 0 : key >> (shift + 16)
        guard let index = distinct.firstIndex(of: prefix) else { return }
        counts[index][Int(key >> shift & 0xFFFF)] += 1
      }
      for index in ranks.indices {
        guard let group = distinct.firstIndex(of: prefixes[index]) else { continue }
        var bucket = 0
        while ranks[index] >= counts[group][bucket] {
          ranks[index] -= counts[group][bucket]
          bucket += 1
        }
        prefixes[index] = prefixes[index] << 16 | UInt64(bucket)
      }
    }
    return prefixes.map(Self.number)
  }

  /// A key in whose order numbers are sorted.
  private static func key(_ number: Double) -> UInt64 {
    let bits = (number == 0 ? 0 : number).bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }

  private static func number(_ key: UInt64) -> Double {
    Double(bitPattern: key >> 63 == 1 ? key & ~(1 << 63) : ~key)
  }

  /// Returns the numbers of values in equal intervals from the smallest to the largest number.
  ///
  /// Whole numbers that are few get an interval each.
  ///
  /// - Parameter most: the largest number of intervals.
  /// - Throws: `Failure` of kind inputOutput.
  /// - Returns: the histogram; `nil` for an empty column.
  package func histogram(_ most: Int) throws(Failure) -> Histogram? {
    guard count > 0, minimum.isFinite, maximum.isFinite else { return nil }
    var areWhole = true
    try forEach { if $0 != $0.rounded() { areWhole = false } }
    let span = maximum - minimum
    guard span.isFinite, span == 0 || span / Double(most) > 0 else { return nil }
    let isDiscrete = areWhole && span < Double(most)
    let bins = isDiscrete ? Int(span) + 1 : span == 0 ? 1 : most
    let width = isDiscrete ? 1 : span == 0 ? 1 : span / Double(most)
    let start = isDiscrete ? minimum - 0.5 : minimum
    var counts = [Int](repeating: 0, count: bins)
    try forEach { counts[min(max(Int(($0 - start) / width), 0), bins - 1)] += 1 }
    return Histogram(start: start, width: width, counts: counts, isDiscrete: isDiscrete)
  }
}

/// The numbers of values in equal intervals.
package struct Histogram: Sendable, Hashable {
  /// The lower end of the first interval.
  package let start: Double
  package let width: Double
  package let counts: [Int]
  /// `true` if each interval contains one whole number, at its middle.
  package let isDiscrete: Bool
}

/// A sum whose rounding errors are compensated (Neumaier).
struct CompensatedSum {
  private var sum = 0.0, compensation = 0.0

  mutating func add(_ number: Double) {
    let next = sum + number
    compensation += abs(sum) >= abs(number) ? (sum - next) + number : (number - next) + sum
    sum = next
  }

  var value: Double { sum + compensation }
}
