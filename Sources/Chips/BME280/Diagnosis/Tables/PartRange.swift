import BME280
import DriverDefects

/// The words of calibrations that real parts have: from the least to the greatest of each.
struct PartRange: Sendable {
  private static let words: [any WritableKeyPath<Calibration, Int> & Sendable] = [
    \.wordT1, \.wordT2, \.wordT3, \.wordP1, \.wordP2, \.wordP3, \.wordP4, \.wordP5, \.wordP6,
    \.wordP7, \.wordP8, \.wordP9,
  ]
  /// Where the words of the pressure begin among them.
  private static let firstOfPressure = 3

  private let ranges: [ClosedRange<Int>]
  private let usual: Calibration

  /// Creates the ranges of some parts; `nil` where there is none.
  init?(_ parts: [Calibration]) {
    guard let first = parts.first else { return nil }
    usual = first
    ranges = Self.words.map { word in
      let values = parts.map { $0[keyPath: word] }
      return (values.min() ?? 0)...(values.max() ?? 0)
    }
  }

  /// A part with any words of these ranges.
  func random(_ chance: inout some RandomNumberGenerator) -> Calibration {
    var part = usual
    for (word, range) in zip(Self.words, ranges) {
      part[keyPath: word] = Int.random(in: range, using: &chance)
    }
    return part
  }

  /// A part that differs in one word of the pressure, by much or by little.
  func changed(_ part: Calibration, _ chance: inout some RandomNumberGenerator) -> Calibration {
    var part = part
    let place = Int.random(in: Self.firstOfPressure..<Self.words.count, using: &chance)
    let range = ranges[place]
    let most = max(
      (range.upperBound - range.lowerBound) >> Int.random(in: 0...12, using: &chance), 1)
    let value = part[keyPath: Self.words[place]] + Int.random(in: -most...most, using: &chance)
    part[keyPath: Self.words[place]] = min(max(value, range.lowerBound), range.upperBound)
    return part
  }
}

extension Calibration {
  fileprivate var wordT1: Int {
    get { Int(t1) }
    set { t1 = UInt16(newValue) }
  }
  fileprivate var wordT2: Int {
    get { Int(t2) }
    set { t2 = Int16(newValue) }
  }
  fileprivate var wordT3: Int {
    get { Int(t3) }
    set { t3 = Int16(newValue) }
  }
  fileprivate var wordP1: Int {
    get { Int(p1) }
    set { p1 = UInt16(newValue) }
  }
  fileprivate var wordP2: Int {
    get { Int(p2) }
    set { p2 = Int16(newValue) }
  }
  fileprivate var wordP3: Int {
    get { Int(p3) }
    set { p3 = Int16(newValue) }
  }
  fileprivate var wordP4: Int {
    get { Int(p4) }
    set { p4 = Int16(newValue) }
  }
  fileprivate var wordP5: Int {
    get { Int(p5) }
    set { p5 = Int16(newValue) }
  }
  fileprivate var wordP6: Int {
    get { Int(p6) }
    set { p6 = Int16(newValue) }
  }
  fileprivate var wordP7: Int {
    get { Int(p7) }
    set { p7 = Int16(newValue) }
  }
  fileprivate var wordP8: Int {
    get { Int(p8) }
    set { p8 = Int16(newValue) }
  }
  fileprivate var wordP9: Int {
    get { Int(p9) }
    set { p9 = Int16(newValue) }
  }
}
