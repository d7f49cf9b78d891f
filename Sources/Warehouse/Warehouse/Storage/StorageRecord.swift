import Quantities

/// What became of goods in one place: their mean kinetic temperature, their excursions, and whether a rule was kept.
///
/// A value holds until the next one comes, though no longer than a gap: what nobody measured is counted as not covered.
public struct StorageRecord: Hashable, Sendable {
  /// A time outside the range in which the air should be.
  public struct Excursion: Hashable, Sendable {
    /// From the first value outside to the first one inside again, or the last one there is; nanoseconds since 1970.
    public let from: Int64
    /// Its end; nanoseconds since 1970.
    public internal(set) var until: Int64
    /// The value farthest outside.
    public internal(set) var worst: Double
    /// For how many nanoseconds on end it was outside the allowed excursions, at most.
    public internal(set) var longestBeyond: Int64 = 0
    /// The highest and the lowest value of it.
    var highest, lowest: Double
  }

  /// The rule that it is judged by.
  public let rule: StorageRule
  /// The longest time for which a value holds, in nanoseconds.
  public let longestGap: Int64
  /// The times outside, in order.
  public private(set) var excursions: [Excursion] = []
  /// The mean kinetic temperature, of temperatures alone.
  public private(set) var mean = MeanKineticTemperature()
  /// The lowest and the highest value; `nil` where there is none.
  public private(set) var lowest: Double?, highest: Double?
  /// For how many nanoseconds values were there, and for how many not.
  public private(set) var covered: Int64 = 0, uncovered: Int64 = 0
  private var last: (time: Int64, value: Double)?
  private var isOutside = false
  private var beyondSince: Int64?

  /// Creates one of its parts.
  public init(_ rule: StorageRule, longestGap: Int64) {
    (self.rule, self.longestGap) = (rule, longestGap)
  }

  /// Adds a value in the unit of the rule; one that is older than the last, or no number, is passed over.
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

  /// Ends the record at a moment: the last value holds until then, though no longer than a gap.
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

  /// Whether an excursion is one that the rule allows.
  public func isAllowed(_ excursion: Excursion) -> Bool {
    guard let allowed = rule.excursions else { return false }
    if allowed.contains(excursion.highest), allowed.contains(excursion.lowest) { return true }
    guard let spike = rule.spike else { return false }
    return excursion.lowest >= allowed.lowerBound && excursion.highest <= spike.highest
      && excursion.longestBeyond <= spike.longest
  }

  /// Whether the mean kinetic temperature is one that the rule allows; `nil` where nothing was measured.
  public var keepsMean: Bool? {
    guard let highest = rule.highestMean else { return true }
    return mean.celsius.map { $0 <= highest }
  }

  /// Whether the rule was kept as far as anybody knows; `nil` where nothing was measured.
  public var isKept: Bool? {
    guard last != nil else { return nil }
    return excursions.allSatisfy(isAllowed) && keepsMean ?? true
  }

  /// Whether two are the same.
  public static func == (one: StorageRecord, other: StorageRecord) -> Bool {
    one.rule == other.rule && one.excursions == other.excursions && one.mean == other.mean
      && one.covered == other.covered && one.uncovered == other.uncovered
  }

  /// Feeds what makes it the same.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rule)
    hasher.combine(excursions)
    hasher.combine(mean)
  }
}
