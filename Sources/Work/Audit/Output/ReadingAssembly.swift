import Quantities

/// Puts values together to readings: the next value of the same quantity begins the next reading.
struct ReadingAssembly {
  /// The readings that are complete.
  private(set) var readings: [ShownReading] = []
  /// When each of them was printed.
  private(set) var times: [PrintTime] = []
  /// What belongs to a reading; `nil` while nobody knows.
  var quantities: Set<Quantity>?
  private var current: ShownReading = [:]
  private var currentTime = PrintTime()

  /// Takes the values of a line.
  mutating func take(_ values: [ShownValue], at time: PrintTime = PrintTime()) {
    for value in values {
      if current[value.quantity] != nil { finish() }
      currentTime = current.isEmpty ? time : currentTime.union(time)
      current[value.quantity] = value
      if let quantities, Set(current.keys) == quantities { finish() }
    }
  }

  /// Notes that all that came so far was printed before a time, in seconds.
  mutating func close(at seconds: Double) {
    for index in times.indices.reversed() {
      guard times[index].end == .infinity else { break }
      times[index].end = seconds
    }
    currentTime.end = min(currentTime.end, seconds)
  }

  /// Forgets a reading that has begun: the program was ended before it had shown all of it.
  mutating func dropUnfinished() {
    if quantities != nil { current = [:] }
  }

  /// Ends the reading that has begun.
  mutating func finish() {
    if !current.isEmpty {
      readings.append(current)
      times.append(currentTime)
    }
    current = [:]
  }
}
