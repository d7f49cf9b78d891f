import Quantities

/// Puts values together to readings: the next value of the same quantity begins the next reading.
struct ReadingAssembly {
  /// The readings that are complete.
  private(set) var readings: [ShownReading] = []
  /// What belongs to a reading; `nil` while nobody knows.
  var quantities: Set<Quantity>?
  private var current: ShownReading = [:]

  mutating func take(_ values: [ShownValue]) {
    for value in values {
      if current[value.quantity] != nil { finish() }
      current[value.quantity] = value
      if let quantities, Set(current.keys) == quantities { finish() }
    }
  }

  /// Ends the reading that has begun.
  mutating func finish() {
    if !current.isEmpty { readings.append(current) }
    current = [:]
  }
}
