import BME280

/// The IIR filter of one channel (DS 3.4.4).
///
/// The first value after a reset of the filter passes unchanged and fills the memory, unless a switch
/// says otherwise. The internal word length is not documented: eight bits below the converter's.
struct FilterMemory: Hashable {
  private var memory: Int32?

  private static var fractionBits: Int32 { 8 }

  /// Takes a converter code and gives the filtered one.
  mutating func filtered(_ code: Int32, _ filter: Filter, _ unknown: UnknownBehaviour) -> Int32 {
    guard filter != .off else { return code }
    let new = code << Self.fractionBits
    let start = RawMeasurement.skipped20 << Self.fractionBits
    let coefficient = Int64(filter.coefficient)
    var next = new
    if let old = memory ?? (unknown.filterStart == .reset ? start : nil) {
      let half = unknown.filterRounding == .nearest ? coefficient / 2 : 0
      next = Int32((Int64(old) * (coefficient - 1) + Int64(new) + half) / coefficient)
    }
    memory = next
    guard unknown.filterRounding == .nearest else { return next >> Self.fractionBits }
    return min((next + (1 << (Self.fractionBits - 1))) >> Self.fractionBits, 0xFFFFF)
  }

  /// Forgets everything: the next value passes unchanged.
  mutating func reset() { memory = nil }
}
