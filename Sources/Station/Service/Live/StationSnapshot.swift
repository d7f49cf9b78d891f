import Readings

/// What the station knew after its last reading.
struct StationSnapshot: Sendable {
  /// What is said of it.
  var state: StationState
  /// Its difference from the model.
  var offset: StationOffset?

  /// Whether the reading may be used: not too old, and within what the sensor can measure.
  func isGood(at now: Int, _ patience: Int) -> Bool { quality(at: now, patience).status == "good" }

  /// How far the reading is to be trusted, and why not.
  func quality(at now: Int, _ patience: Int) -> (status: String, reasons: [String]) {
    guard let reading = state.reading else { return ("missing", ["there is no reading yet"]) }
    if now - reading.time > patience {
      return ("stale", ["the last reading is \(now - reading.time) s old"])
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
