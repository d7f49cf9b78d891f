public import I2C

/// The phone's side of an Automat: an adapter whose transfers travel over a Bluetooth LE connection.
///
///     transfer:  S 76 W A F7 A  Sr 76 R A [8 bytes] N P
///     frames:    FF92 <- 76 F7 08,  FF92 -> 76 F7 08 [8 bytes]
///
/// One command is in flight at a time; the others wait in the order in which they came.
public final class AutomatAdapter: I2CAdapter {
  /// What happens to a read that is longer than the board's limit.
  public typealias PastLimit = BoardSettings.PastLimit

  /// I2C messages alone: a byte to write, a register to read.
  public let functionality = I2CFunctionality.standard
  /// The limits, where they are told.
  public let quirks: I2CQuirks

  private let link: any GATTLink
  private let clock: any I2CClock
  private let limit: Int
  private let pastLimit: PastLimit
  private let timeOut: UInt64

  /// Creates an adapter.
  ///
  /// - Parameters:
  ///   - link: the connection.
  ///   - clock: its time.
  ///   - limit: how many bytes the board reads at most.
  ///   - pastLimit: what happens to longer reads.
  ///   - tellsLimit: whether drivers can ask for the limits.
  ///   - timeOut: after which time an answer is no longer waited for, in nanoseconds.
  public init(
    _ link: any GATTLink, clock: any I2CClock, limit: Int = 18, pastLimit: PastLimit = .silent,
    tellsLimit: Bool = true, timeOut: UInt64 = 2_000_000_000
  ) {
    self.link = link
    self.clock = clock
    self.limit = limit
    self.pastLimit = pastLimit
    self.timeOut = timeOut
    quirks =
      tellsLimit
      ? I2CQuirks(
        maxReadLength: limit, maxWriteLength: SimulatedGATTLink.longestWrite - 1, maxMessages: 2,
        maxCombinedWriteLength: SimulatedGATTLink.longestWrite - 2) : .none
  }

  /// Makes a transfer over the air.
  ///
  /// - Throws: `I2CError`: unsupported for what the frames cannot carry, timeout where no answer comes, no
  ///   device where there is no connection.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    var messages: [I2CSegment] = []
    for index in segments.indices { messages.append(segments[index]) }
    var written: [UInt8] = []
    for index in writing.indices { written.append(writing[index]) }
    let data = try transfer(messages, writing: written)
    for (index, byte) in data.enumerated() { reading[index] = byte }
  }

  private func transfer(
    _ messages: [I2CSegment], writing written: [UInt8]
  ) throws(I2CError) -> [UInt8] {
    let message = messages.count - 1
    guard let last = messages.last, messages.count <= 2, last.address.rawValue < 0x80,
      messages[0].address == last.address, messages.count == 1 || messages[0].direction == .write
    else { throw I2CError(.unsupported, message: max(message, 0), errno: .eopnotsupp) }
    let address = UInt8(last.address.rawValue)
    guard last.direction == .read else {
      guard messages.count == 1 else {
        throw I2CError(.unsupported, message: message, errno: .eopnotsupp)
      }
      try write(AutomatFrame.write(written, to: address))
      return []
    }
    guard last.count <= 255, last.count <= limit || pastLimit == .silent else {
      throw I2CError(.unsupported, message: message, errno: .eopnotsupp)
    }
    let request = AutomatFrame.request(written, length: UInt8(last.count), at: address)
    return try data(answering: request, message: message)
  }

  private func write(_ frame: [UInt8]) throws(I2CError) {
    let start = clock.nanoseconds
    do throws(GATTError) {
      try link.write(frame, to: AutomatFrame.writeCharacteristic)
      try checkTime(since: start)
    } catch {
      throw failure(error, since: start, message: 0)
    }
  }

  private func data(answering request: [UInt8], message: Int) throws(I2CError) -> [UInt8] {
    let start = clock.nanoseconds
    let value: [UInt8]
    do throws(GATTError) {
      try link.write(request, to: AutomatFrame.readCharacteristic)
      value = try link.read(AutomatFrame.readCharacteristic)
      try checkTime(since: start)
    } catch {
      throw failure(error, since: start, message: message)
    }
    guard let data = AutomatFrame.data(value, answering: request) else {
      throw failure(.noResponse, since: start, message: message)
    }
    return data
  }

  /// An answer that comes too late is none: nobody waits for it any more.
  private func checkTime(since start: UInt64) throws(GATTError) {
    guard clock.nanoseconds - start <= timeOut else { throw .noResponse }
  }

  /// A failure as a program on Linux meets it; where no answer comes the whole time-out passes.
  private func failure(_ error: GATTError, since start: UInt64, message: Int) -> I2CError {
    switch error {
    case .disconnected, .noSuchCharacteristic: return I2CError(.noDevice, errno: .enodev)
    case .valueTooLong: return I2CError(.unsupported, message: message, errno: .eopnotsupp)
    case .noResponse:
      let (end, now) = (start + timeOut, clock.nanoseconds)
      if end > now { clock.wait(nanoseconds: end - now) }
      return I2CError(.timeOut, message: message, errno: .etimedout)
    }
  }
}
