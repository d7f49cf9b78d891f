/// What was found in the stored bytes of a history.
public enum HistoryRecovery: Hashable, Sendable {
  /// Every byte belongs to a good record.
  case complete(records: Int)
  /// The last write was cut off: good records up to `validLength` bytes, a torn one behind them.
  case torn(records: Int, validLength: Int)
  /// A record is damaged although others follow it, at a byte offset.
  case damaged(offset: Int)
  /// The bytes are no history.
  case foreign
}

extension PressureHistory {
  /// Takes the points out of stored bytes; none unless the bytes are complete or merely torn.
  ///
  /// Points that came later than `now` or are not in order are not taken: a history never
  /// holds what has not happened yet.
  public mutating func recover(from bytes: Span<UInt8>, now: Int64) -> HistoryRecovery {
    let header = HistoryRecord.header
    for index in 0..<min(header.count, bytes.count) where bytes[index] != header[index] {
      return .foreign
    }
    guard bytes.count >= header.count else {
      return bytes.isEmpty ? .complete(records: 0) : .torn(records: 0, validLength: 0)
    }
    var found: [PressurePoint] = []
    var offset = header.count
    while let point = HistoryRecord.decode(bytes, at: offset) {
      found.append(point)
      offset += HistoryRecord.length
    }
    if bytes.count - offset > HistoryRecord.length { return .damaged(offset: offset) }
    for point in found where point.time < now { try? append(point) }
    return offset == bytes.count
      ? .complete(records: found.count) : .torn(records: found.count, validLength: offset)
  }
}
