import Readings

/// What the station knew after its last reading.
struct StationSnapshot: Sendable {
  /// What is said of it.
  var state: StationState
  /// Its difference from the model.
  var offset: StationOffset?

  /// How far the reading is to be trusted, and why not: `good` is what is not too old for its source, and within what the
  /// sensor can measure.
  func quality(at now: Int, _ source: any ReadingSource) -> (status: String, reasons: [String]) {
    guard let reading = state.reading else { return ("missing", ["there is no reading yet"]) }
    let age = now - reading.time
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
