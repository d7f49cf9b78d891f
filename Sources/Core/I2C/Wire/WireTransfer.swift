/// A transfer that is done byte by byte, as far as it has come.
public struct WireTransfer: Sendable {
  /// When it began, in nanoseconds.
  public private(set) var start: UInt64 = 0
  /// Its messages, with as many bytes as have passed.
  public private(set) var segments: [I2CSegment] = []
  /// The bytes written, end to end; one that was not acknowledged is the last.
  public private(set) var writing: [UInt8] = []
  /// The bytes read, end to end.
  public private(set) var reading: [UInt8] = []
  /// What went wrong first.
  public private(set) var failure: I2CError.Kind?
  /// In which message and at which byte.
  public private(set) var place = (message: 0, byte: 0)

  /// Creates a transfer without messages.
  public init() {}

  /// Whether it has begun.
  public var isOpen: Bool { !segments.isEmpty }

  /// Notes a start.
  public mutating func begin(
    _ address: I2CAddress, _ direction: I2CSegment.Direction, at time: UInt64
  ) {
    if segments.isEmpty { start = time }
    segments.append(I2CSegment(address: address, direction: direction, count: 0))
  }

  /// Notes a byte that was sent, acknowledged or not.
  public mutating func write(_ byte: UInt8) {
    writing.append(byte)
    if !segments.isEmpty { segments[segments.count - 1].count += 1 }
  }

  /// Notes a byte that was received.
  public mutating func read(_ byte: UInt8) {
    reading.append(byte)
    if !segments.isEmpty { segments[segments.count - 1].count += 1 }
  }

  /// Notes what went wrong in the last step; only the first failure counts.
  public mutating func fail(_ kind: I2CError.Kind?) {
    guard let kind, failure == nil else { return }
    failure = kind
    let last = segments.last?.count ?? 0
    place = (max(segments.count - 1, 0), max(last - 1, 0))
  }

  /// Takes everything away; what was allocated is kept.
  public mutating func removeAll() {
    segments.removeAll(keepingCapacity: true)
    writing.removeAll(keepingCapacity: true)
    reading.removeAll(keepingCapacity: true)
    failure = nil
    place = (0, 0)
  }

  /// The failure as a combined transfer tells it.
  public func error(errno: (I2CError.Kind) -> I2CErrno) -> I2CError? {
    failure.map { I2CError($0, message: place.message, byte: place.byte, errno: errno($0)) }
  }
}
