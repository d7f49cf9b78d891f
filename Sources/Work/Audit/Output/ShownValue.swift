import Support

/// A number displayed by a program.
package struct ShownValue: Hashable, Sendable {
  package var quantity: Measurand { unit.measurand }
  /// The number as written, with its unit; shortened to two decimals if it has more than four.
  package let text: String
  /// The value in °C, Pa, % or the unit of the part file; `nil` for `nan`.
  package let value: Double?
  /// The weight of the last digit in the unit of the value; programs may round or truncate.
  package let digit: Double

  package let unit: SpelledUnit

  /// Parses a number.
  ///
  /// - Parameters:
  ///   - written: the number as written; a comma is a decimal separator, or a thousands separator
  ///     if the number also contains a point.
  ///   - unit: its unit.
  package init(_ written: some StringProtocol, _ unit: SpelledUnit) {
    self.unit = unit
    let hasPoint = written.contains(".")
    let number = String(written.compactMap { $0 == "," ? hasPoint ? nil : "." : $0 })
    let mantissa = number.prefix { $0 != "e" && $0 != "E" }
    let decimals = mantissa.firstIndex(of: ".").map { mantissa[$0...].count - 1 } ?? 0
    var digit = 1.0
    for _ in 0..<decimals { digit /= 10 }
    self.digit = mantissa.count < number.count ? 0 : digit * unit.scale
    let isLong = decimals > 4 || mantissa.count < number.count
    let short = isLong ? Double(number).map { Decimal.fixed($0, 2) } : nil
    text = "\(short ?? String(written)) \(unit.symbol)"
    value = Double(number).flatMap { $0.isFinite ? $0 * unit.scale + unit.offset : nil }
  }
}

/// The values of one reading, at most one per quantity.
package typealias ShownReading = [Measurand: ShownValue]

extension ShownReading {
  /// The values in the order of their measurands.
  package var ordered: [ShownValue] { values.inOrder { $0.quantity < $1.quantity } }
}

/// Groups values into readings; a repeated quantity starts the next reading.
package struct ReadingAssembly {
  /// The complete readings.
  package private(set) var readings: [ShownReading] = []
  /// The print time of each reading.
  package private(set) var times: [PrintTime] = []
  /// The quantities of a complete reading; `nil` if unknown.
  package var quantities: Set<Measurand>?
  private var current: ShownReading = [:]
  private var currentTime = PrintTime()

  /// Creates an assembly without values.
  package init(quantities: Set<Measurand>? = nil) { self.quantities = quantities }

  /// Appends the values of a line.
  package mutating func take(_ values: [ShownValue], at time: PrintTime = PrintTime()) {
    for value in values {
      if current[value.quantity] != nil { finish() }
      currentTime = current.isEmpty ? time : currentTime.union(time)
      current[value.quantity] = value
      if let quantities, Set(current.keys) == quantities { finish() }
    }
  }

  /// Sets the end of the print-time interval of all readings for which it is still unknown, in
  /// seconds.
  package mutating func close(at seconds: Double) {
    for index in times.indices.reversed() {
      guard times[index].end == .infinity else { break }
      times[index].end = seconds
    }
    currentTime.end = min(currentTime.end, seconds)
  }

  /// Discards an incomplete reading after the program was ended.
  package mutating func dropUnfinished() {
    if quantities != nil { current = [:] }
  }

  /// Completes the current reading.
  package mutating func finish() {
    if !current.isEmpty {
      readings.append(current)
      times.append(currentTime)
    }
    current = [:]
  }
}

/// The interval of virtual time in which something was printed, in seconds since power-on.
///
/// The interval lies between two of the time marks that `aneroid exec --steps` inserts into the
/// output.
package struct PrintTime: Hashable, Sendable {
  /// The time of the last `aneroid exec --steps` time mark before the output.
  package var start = 0.0
  /// The time of the next `aneroid exec --steps` time mark after the output; infinite if that mark
  /// has not been received yet.
  package var end = Double.infinity

  /// Returns the interval that spans this and another interval.
  package func union(_ other: PrintTime) -> PrintTime {
    PrintTime(start: min(start, other.start), end: max(end, other.end))
  }
}
