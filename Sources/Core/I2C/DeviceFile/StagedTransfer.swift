/// A transfer in the making: its messages, what they write, and room for what they read.
///
/// It is used again and again, so that the next transfer allocates nothing.
struct StagedTransfer {
  private(set) var segments: [I2CSegment] = []
  private(set) var written: [UInt8] = []
  private(set) var received: [UInt8] = []

  /// Begins a transfer without messages.
  mutating func begin() {
    segments.removeAll(keepingCapacity: true)
    written.removeAll(keepingCapacity: true)
  }

  /// Adds a message; the bytes of a write have been or will be added by themselves.
  mutating func add(_ segment: I2CSegment) { segments.append(segment) }

  /// Adds a byte to those that are written.
  mutating func append(_ byte: UInt8) { written.append(byte) }

  /// Makes the last message longer by one byte.
  mutating func lengthenLast() { segments[segments.count - 1].count += 1 }

  /// Appends bytes of the caller's memory to those that are written.
  mutating func fetch(
    _ count: Int, from source: UInt64, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) {
    guard count > 0 else { return }
    let start = written.count
    written.append(contentsOf: repeatElement(0, count: count))
    var bytes = written.mutableSpan
    guard memory.read(source, count: count, into: &bytes, at: start) else { throw .efault }
  }

  /// Takes bytes back that were only fetched to see whether they can be.
  mutating func dropLast(_ count: Int) { written.removeLast(count) }

  /// Makes the transfer, if the caller still waits for it.
  mutating func run(
    on node: I2CDeviceNode, _ memory: any I2CCallerMemory
  ) throws(I2CErrno) {
    var count = 0
    for segment in segments where segment.direction == .read {
      count += segment.count
      if segment.flags.contains(.receiveLength) { count += I2CDeviceFile.longestBlock }
    }
    if received.count < count {
      received.append(contentsOf: repeatElement(0, count: count - received.count))
    }
    guard memory.isWaiting else { throw .eio }
    let (segments, written) = (segments, written)
    var reading = received.mutableSpan
    try node.transfer(segments.span, writing: written.span, reading: &reading)
  }

  /// Gives bytes that were read to the caller; whether its memory took them.
  func give(
    _ range: Range<Int>, to place: UInt64, _ memory: any I2CCallerMemory
  ) -> Bool {
    memory.write(received.span.extracting(range), to: place)
  }

  /// The packet error code over a message, the bytes that were written or read included.
  func packetErrorCode(of segment: I2CSegment, from start: UInt8) -> UInt8 {
    let bytes = segment.direction == .write ? written.span : received.span
    return PacketErrorCode.of(segment, bytes, from: start)
  }
}
