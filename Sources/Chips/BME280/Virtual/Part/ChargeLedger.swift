import BME280

/// The charge that a part has drawn, by what it was doing, in uA s (microcoulomb).
public struct ChargeLedger: Hashable, Sendable {
  /// In sleep and while it starts.
  public internal(set) var sleep = 0.0
  /// In the standby time of normal mode.
  public internal(set) var standby = 0.0
  /// By measurements.
  public internal(set) var measurements = 0.0

  /// All of it.
  public var total: Double { sleep + standby + measurements }

  /// Adds the time of a phase without a conversion.
  mutating func add(_ nanoseconds: UInt64, inStandby: Bool) {
    let seconds = Double(nanoseconds) / 1e9
    if inStandby { standby += seconds * Current.standby } else { sleep += seconds * Current.sleep }
  }
}
