import CMath
public import Quantities
import Support

/// The storage conditions at one location: mean kinetic temperature, excursions, and compliance with a rule.
///
/// A value holds until the next one, but at most for `longestGap`; the rest of a longer gap
/// counts as uncovered.
public struct StorageRecord: Hashable, Sendable {
  /// A period in which the values were outside the rule's range.
  public struct Excursion: Hashable, Sendable {
    /// The time of the first value outside the range, in nanoseconds since 1970.
    public let from: Int64
    /// The time of the first value that is inside the range again, in nanoseconds since 1970; the
    /// time of the last value if there is none.
    public internal(set) var until: Int64
    /// The value farthest outside the range.
    public internal(set) var worst: Double
    /// The longest uninterrupted time for which the value was outside `StorageRule/excursions`,
    /// in nanoseconds.
    public internal(set) var longestBeyond: Int64 = 0
    /// The highest and the lowest value of the excursion.
    var highest, lowest: Double
  }

  /// The rule that the record is evaluated against.
  public let rule: StorageRule
  /// The maximum time for which a value holds, in nanoseconds.
  public let longestGap: Int64
  /// The excursions in chronological order.
  public private(set) var excursions: [Excursion] = []
  /// The mean kinetic temperature, computed only for rules that limit the temperature.
  public private(set) var mean = MeanKineticTemperature()
  /// The lowest and the highest value; `nil` without values.
  public private(set) var lowest: Double?, highest: Double?
  /// The time for which values hold, and the time without a value, in nanoseconds.
  public private(set) var covered: Int64 = 0, uncovered: Int64 = 0
  private var last: (time: Int64, value: Double)?
  private var isOutside = false
  private var beyondSince: Int64?

  /// Creates a record without values.
  public init(_ rule: StorageRule, longestGap: Int64) {
    (self.rule, self.longestGap) = (rule, longestGap)
  }

  /// Adds a value in the unit of the rule.
  ///
  /// A value is ignored if it is not finite or if it is older than the last one.
  public mutating func add(_ value: Double, at time: Int64) {
    guard value.isFinite, Moment.all.contains(time), time >= last?.time ?? time else { return }
    hold(until: time)
    lowest = min(lowest ?? value, value)
    highest = max(highest ?? value, value)
    last = (time, value)
    if rule.range.contains(value) {
      isOutside = false
      beyondSince = nil
      return
    }
    if !isOutside {
      isOutside = true
      excursions.append(
        Excursion(from: time, until: time, worst: value, highest: value, lowest: value))
    }
    take(value, at: time)
  }

  /// Ends the record: the last value holds until `time`, but at most for `longestGap`.
  public mutating func finish(at time: Int64) {
    guard Moment.all.contains(time), let last, time > last.time else { return }
    hold(until: time)
    self.last = (time, last.value)
  }

  private mutating func hold(until time: Int64) {
    guard let last else { return }
    let held = min(time - last.time, longestGap)
    covered += held
    uncovered += time - last.time - held
    if rule.quantity == .temperature { mean.add(last.value, for: held) }
    guard isOutside, !excursions.isEmpty else { return }
    excursions[excursions.count - 1].until = last.time + held
    if let since = beyondSince { noteBeyond(last.time + held - since) }
  }

  private mutating func take(_ value: Double, at time: Int64) {
    let index = excursions.count - 1
    excursions[index].highest = max(excursions[index].highest, value)
    excursions[index].lowest = min(excursions[index].lowest, value)
    if distance(value) > distance(excursions[index].worst) { excursions[index].worst = value }
    if (rule.excursions ?? rule.range).contains(value) {
      beyondSince = nil
    } else if beyondSince == nil {
      beyondSince = time
    }
  }

  private mutating func noteBeyond(_ time: Int64) {
    let index = excursions.count - 1
    excursions[index].longestBeyond = max(excursions[index].longestBeyond, time)
  }

  private func distance(_ value: Double) -> Double {
    value > rule.range.upperBound ? value - rule.range.upperBound : rule.range.lowerBound - value
  }

  /// `true` if the rule allows an excursion.
  public func isAllowed(_ excursion: Excursion) -> Bool {
    guard let allowed = rule.excursions else { return false }
    if allowed.contains(excursion.highest), allowed.contains(excursion.lowest) { return true }
    guard let spike = rule.spike else { return false }
    return excursion.lowest >= allowed.lowerBound && excursion.highest <= spike.highest
      && excursion.longestBeyond <= spike.longest
  }

  /// `true` if the mean kinetic temperature complies with the rule; `nil` without values.
  public var keepsMean: Bool? {
    guard let highest = rule.highestMean else { return true }
    return mean.celsius.map { $0 <= highest }
  }

  /// `true` if the measured values comply with the rule; `nil` without values.
  public var isKept: Bool? {
    guard last != nil else { return nil }
    return excursions.allSatisfy(isAllowed) && keepsMean ?? true
  }

  /// `true` if two records have the same rule and the same results.
  public static func == (one: StorageRecord, other: StorageRecord) -> Bool {
    one.rule == other.rule && one.excursions == other.excursions && one.mean == other.mean
      && one.covered == other.covered && one.uncovered == other.uncovered
  }

  /// Hashes the rule and results.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rule)
    hasher.combine(excursions)
    hasher.combine(mean)
  }
}

/// The storage conditions that a category of goods requires over the whole storage time.
public struct StorageRule: Hashable, Sendable {
  /// The name in rigs and reports.
  public var name: String
  /// The quantity that the rule limits.
  public var quantity: Quantity
  /// The range that the values should stay in.
  public var range: ClosedRange<Double>
  /// The range that excursions may reach if the mean kinetic temperature complies; `nil` if no
  /// excursion is allowed.
  public var excursions: ClosedRange<Double>?
  /// The conditions for a short excursion beyond `excursions`; `nil` if none is allowed.
  public var spike: Spike?
  /// The maximum mean kinetic temperature in °C; `nil` for no limit.
  public var highestMean: Double?
  /// The publication that the rule is taken from.
  public var source: String

  /// The conditions under which a short excursion beyond `StorageRule/excursions` is allowed.
  public struct Spike: Hashable, Sendable {
    /// The maximum value.
    public var highest: Double
    /// The longest time allowed beyond the allowed excursions, in nanoseconds, measured from the
    /// moment the value left them.
    public var longest: Int64
  }

  /// Controlled room temperature, 20 to 25 °C.
  ///
  /// Excursions between 15 and 30 °C, and spikes up to 40 °C for at most 24 hours, are allowed if
  /// the mean kinetic temperature is at most 25 °C.
  public static let controlledRoom = StorageRule(
    name: "controlled-room", quantity: .temperature, range: 20...25, excursions: 15...30,
    spike: Spike(highest: 40, longest: 24 * 3_600_000_000_000), highestMean: 25,
    source: "USP <659>, controlled room temperature")

  /// Cold chain, 2 to 8 °C.
  public static let coldChain = StorageRule(
    name: "cold-chain", quantity: .temperature, range: 2...8,
    source: "USP <659>, <1079>: refrigerated, 2 to 8 °C")

  /// Freezer, -25 to -10 °C.
  public static let freezer = StorageRule(
    name: "freezer", quantity: .temperature, range: -25 ... -10,
    source: "USP <659>: freezer, -25 to -10 °C")

  /// Quick-frozen food: at most -18 °C.
  public static let frozenFood = StorageRule(
    name: "frozen-food", quantity: .temperature, range: -100 ... -18,
    source: "Directive 89/108/EEC, article 5: at most -18 °C")

  /// Dry storage: at most 60 % relative humidity.
  public static let dryPlace = StorageRule(
    name: "dry-place", quantity: .humidity, range: 0...60,
    source: "WHO: protected from moisture, at most 60 % of relative humidity")

  /// All rules that rigs can refer to by name.
  public static let all = [controlledRoom, coldChain, freezer, frozenFood, dryPlace]

  init(
    name: String, quantity: Quantity, range: ClosedRange<Double>,
    excursions: ClosedRange<Double>? = nil, spike: Spike? = nil, highestMean: Double? = nil,
    source: String
  ) {
    (self.name, self.quantity, self.range) = (name, quantity, range)
    (self.excursions, self.spike) = (excursions, spike)
    (self.highestMean, self.source) = (highestMean, source)
  }
}

/// The mean kinetic temperature, which is the constant temperature with the same thermal effect as
/// the recorded temperatures.
///
/// Computed with Haynes' formula, with ΔH = 83.144 kJ/mol and R = 8.3144 J/(mol K), so that ΔH/R is
/// 10,000 K. The temperatures are weighted by time: T = (ΔH/R) / -ln(Σ tᵢ e^(-ΔH/(R Tᵢ)) / Σ tᵢ),
/// all in kelvins. USP <1079.2> describes the formula.
public struct MeanKineticTemperature: Hashable, Sendable {
  /// ΔH/R in kelvins.
  public static let activation = 10_000.0
  private static let zero = 273.15
  /// The reference temperature of 25 °C, in kelvins; rates are divided by the rate at this
  /// temperature so that small ones are not lost in the sum.
  private static let reference = zero + 25

  private var rates = 0.0
  /// The total duration of the added temperatures, in nanoseconds.
  public private(set) var duration: Int64 = 0

  /// Creates a mean without temperatures.
  public init() {}

  /// Adds a temperature in °C that lasted for a duration in nanoseconds.
  ///
  /// Invalid temperatures are ignored.
  public mutating func add(_ celsius: Double, for time: Int64) {
    let kelvins = celsius + Self.zero
    guard time > 0, kelvins > 0, kelvins.isFinite else { return }
    rates += Double(time) * exp(Self.activation / Self.reference - Self.activation / kelvins)
    duration += time
  }

  /// The mean kinetic temperature in °C; `nil` before the first temperature.
  public var celsius: Double? {
    guard duration > 0, rates > 0 else { return nil }
    let mean = Self.activation / Self.reference - log(rates / Double(duration))
    return Self.activation / mean - Self.zero
  }
}

/// Conversion between nanoseconds since 1970 and UTC time stamps, such as `2026-01-01T00:00:00.250000000Z`.
///
/// All time stamps have the same length, so sorting them as text puts them in chronological order.
enum Moment {
  /// The range of representable times in nanoseconds since 1970: 1970 to 2199.
  static let all: ClosedRange<Int64> = 0...7_257_000_000_000_000_000

  private static let second: Int64 = 1_000_000_000

  /// Returns a time shifted by a step of the clock, clamped to the range of `Int64`.
  static func stepped(_ time: Int64, by step: Int64) -> Int64 {
    let (sum, isTooFar) = time.addingReportingOverflow(step)
    return isTooFar ? (step > 0 ? .max : .min) : sum
  }

  /// Formats nanoseconds since 1970 as a time stamp.
  static func text(_ nanoseconds: Int64) -> String {
    let part = (nanoseconds % second + second) % second
    let digits = String(part)
    let whole = UTCTime.stamp(nanoseconds - part).dropLast()
    return whole + "." + String(repeating: "0", count: 9 - digits.count) + digits + "Z"
  }

  /// Parses a time stamp with zero to nine fractional digits; returns `nil` if the text is invalid.
  static func parse(_ text: String) -> Int64? {
    guard let point = text.firstIndex(of: ".") else { return UTCTime.parse(text) }
    let digits = text[text.index(after: point)...].dropLast()
    guard text.last == "Z", (1...9).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let part = Int64(digits + String(repeating: "0", count: 9 - digits.utf8.count)),
      let whole = UTCTime.parse(text[..<point] + "Z")
    else { return nil }
    return whole + part
  }
}

/// The duplicate detection of a receiver, which keeps the sequence numbers received from each hub
/// and the gaps between them.
///
/// A hub may deliver a record more than once; a receiver drops the duplicates, which it recognizes
/// by hub, epoch and sequence. The epoch identifies the hub's queue file: in a new file, sequence
/// numbers restart at 1. Contiguous sequences use constant memory.
public struct DeliveryReceiver: Hashable, Sendable {
  private struct Received: Hashable {
    /// The highest sequence up to which every sequence has been received.
    var through: UInt64 = 0
    /// The sequences received after the first gap.
    var beyond: Set<UInt64> = []
  }

  private struct Source: Hashable {
    let hub, epoch: String
  }

  private var hubs: [Source: Received] = [:]
  /// The number of dropped duplicates.
  public private(set) var repeats = 0

  /// Creates a receiver that has received no records.
  public init() {}

  /// Records a received sequence number.
  ///
  /// - Returns: `true` if the record is new. Sequence 0 is invalid and never counts as new.
  public mutating func take(hub: String, epoch: String = "", sequence: UInt64) -> Bool {
    guard sequence > 0 else { return false }
    let source = Source(hub: hub, epoch: epoch)
    var received = hubs[source, default: Received()]
    guard sequence > received.through, !received.beyond.contains(sequence) else {
      repeats += 1
      return false
    }
    received.beyond.insert(sequence)
    while received.beyond.remove(received.through + 1) != nil { received.through += 1 }
    hubs[source] = received
    return true
  }

  /// The highest sequence of a hub up to which no record is missing; the receiver confirms the
  /// records up to it.
  public func through(_ hub: String, epoch: String = "") -> UInt64 {
    hubs[Source(hub: hub, epoch: epoch)]?.through ?? 0
  }

  /// The number of records of a hub that were received after the first gap.
  public func countBeyondGap(_ hub: String, epoch: String = "") -> Int {
    hubs[Source(hub: hub, epoch: epoch)]?.beyond.count ?? 0
  }
}
