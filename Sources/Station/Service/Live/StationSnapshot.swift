import Readings

/// What the station knew after its last reading.
struct StationSnapshot: Sendable {
  /// What is said of it.
  var state: StationState
  /// Its difference from the model.
  var offset: StationOffset?
  /// When the last reading was made, on the clock that is never set; `nil` before the first.
  var made: Int?

  /// The age of the last reading in seconds; `nil` before the first.
  ///
  /// - Parameter elapsed: now, on the clock that is never set.
  /// - Returns: the age.
  func age(at elapsed: Int) -> Int? { made.map { max(0, elapsed - $0) } }

  /// How far the reading is to be trusted, and why not.
  ///
  /// - Parameters:
  ///   - elapsed: now, on the clock that is never set.
  ///   - source: where the readings come from.
  /// - Returns: `good` for what is not too old for its source and within what the sensor can measure, else the reasons.
  func quality(at elapsed: Int, _ source: any ReadingSource) -> (
    status: String, reasons: [String]
  ) {
    guard let reading = state.reading, let age = age(at: elapsed) else {
      return ("missing", ["there is no reading yet"])
    }
    if age > source.patience {
      return (
        "stale",
        ["\(source.hasEnded ? "the replay has ended: " : "")the last reading is \(age) s old"]
      )
    }
    var reasons: [String] = []
    func check(_ name: String, _ value: Double?, _ range: ClosedRange<Double>) {
      guard let value else { return }
      if !range.contains(value) { reasons.append("\(name) is outside of what the sensor measures") }
    }
    check("temperature", reading.celsius, -40...85)
    check("humidity", reading.humidity, 0...100)
    check("pressure", reading.pascals, 30_000...110_000)
    return (reasons.isEmpty ? "good" : "outside", reasons)
  }
}
