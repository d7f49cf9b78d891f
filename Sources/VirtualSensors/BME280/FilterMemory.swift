import BME280

/// The IIR filter of one channel (DS 3.4.4).
///
/// The first value after a reset of the filter passes unchanged and fills the memory. The internal
/// word length is not documented; eight bits below the converter's are kept here, and what is
/// below them is dropped.
struct FilterMemory: Hashable {
  private var memory: Int32?

  private static var fractionBits: Int32 { 8 }

  /// Takes a converter code and gives the filtered one.
  mutating func filtered(_ code: Int32, _ filter: Filter) -> Int32 {
    guard filter != .off else { return code }
    let new = code << Self.fractionBits
    let coefficient = Int64(filter.coefficient)
    let next =
      memory.map { Int32((Int64($0) * (coefficient - 1) + Int64(new)) / coefficient) } ?? new
    memory = next
    return next >> Self.fractionBits
  }

  /// Forgets everything: the next value passes unchanged.
  mutating func reset() { memory = nil }
}
