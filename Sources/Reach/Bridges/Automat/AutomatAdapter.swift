public import I2C

/// The phone's side of the connection to an Automat board: an I2C adapter whose transfers travel over Bluetooth LE.
///
///     transfer:  S 76 W A F7 A  Sr 76 R A [8 bytes] N P
///     frames:    FF92 <- 76 F7 08,  FF92 -> 76 F7 08 [8 bytes]
///
/// One command is in flight at a time; further commands are queued in order.
public final class AutomatAdapter: I2CAdapter {
  /// The result of a read beyond the board's limit.
  public typealias PastLimit = BoardSettings.PastLimit

  /// Plain I2C messages: a write, or a read after an optional register write.
  public let functionality = I2CFunctionality.standard
  /// The transfer limits; empty unless they are reported to drivers.
  public let quirks: I2CQuirks

  private let link: any GATTLink
  private let clock: any I2CClock
  private let limit: Int
  private let pastLimit: PastLimit
  private let timeOut: UInt64

  /// Creates an adapter.
  ///
  /// - Parameters:
  ///   - link: the connection to the board.
  ///   - clock: the clock of the connection.
  ///   - limit: the maximum read length of the board, in bytes. Default: 18.
  ///   - pastLimit: the result of longer reads. Default: an answer without data.
  ///   - reportsLimit: `true` to report the limits as quirks. Default: `true`.
  ///   - timeOut: the timeout of an answer, in nanoseconds. Default: 2 s.
  public init(
    _ link: any GATTLink, clock: any I2CClock, limit: Int = 18, pastLimit: PastLimit = .silent,
    reportsLimit: Bool = true, timeOut: UInt64 = 2_000_000_000
  ) {
    self.link = link
    self.clock = clock
    self.limit = limit
    self.pastLimit = pastLimit
    self.timeOut = timeOut
    quirks =
      reportsLimit
      ? I2CQuirks(
        maxReadLength: limit, maxWriteLength: SimulatedGATTLink.longestWrite - 1, maxMessages: 2,
        maxCombinedWriteLength: SimulatedGATTLink.longestWrite - 2) : .none
  }

  /// Creates an adapter with the former argument labels.
  ///
  /// - Parameters:
  ///   - link: the connection to the board.
  ///   - clock: the clock of the connection.
  ///   - limit: the maximum read length of the board, in bytes. Default: 18.
  ///   - pastLimit: the result of longer reads. Default: an answer without data.
  ///   - tellsLimit: `true` to report the limits as quirks.
  ///   - timeOut: the timeout of an answer, in nanoseconds. Default: 2 s.
  @available(*, deprecated, renamed: "init(_:clock:limit:pastLimit:reportsLimit:timeOut:)")
  public convenience init(
    _ link: any GATTLink, clock: any I2CClock, limit: Int = 18, pastLimit: PastLimit = .silent,
    tellsLimit: Bool, timeOut: UInt64 = 2_000_000_000
  ) {
    self.init(
      link, clock: clock, limit: limit, pastLimit: pastLimit, reportsLimit: tellsLimit,
      timeOut: timeOut)
  }

  /// Performs a transfer over the connection.
  ///
  /// - Throws: `I2CError` of kind unsupported for a transfer that the frames cannot carry, timeout if no answer
  ///   arrives, or no device if there is no connection.
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

  /// Treats an answer after the timeout as no answer.
  private func checkTime(since start: UInt64) throws(GATTError) {
    guard clock.nanoseconds - start <= timeOut else { throw .noResponse }
  }

  /// Converts a failure to an error with Linux's errno.
  ///
  /// If no answer arrived, waits until the timeout has elapsed.
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

/// The frames of the Automat's I2C service, byte for byte.
///
///     write:  FF91 <- [address][bytes ...]
///     read:   FF92 <- [address][command ...][length]
///             FF92 -> [address][command ...][length][data ...], or nothing
public enum AutomatFrame {
  /// The UUID of the I2C service.
  public static let service: UInt16 = 0xFF90
  /// The UUID of the characteristic for writes.
  public static let writeCharacteristic: UInt16 = 0xFF91
  /// The UUID of the characteristic for reads.
  public static let readCharacteristic: UInt16 = 0xFF92
  /// The UUID of the battery level in the standard battery service.
  public static let batteryCharacteristic: UInt16 = 0x2A19

  /// The advertised name and the services of the board: I2C, ports (whose meaning is assumed) and battery.
  static let profile = BoardProfile(
    "AUTOMAT",
    [
      (service, [(writeCharacteristic, 0x08), (readCharacteristic, 0x0A)]),
      (
        AutomatPeripherals.service,
        [
          (AutomatPeripherals.outputsCharacteristic, 0x0A),
          (AutomatPeripherals.levelsCharacteristic, 0x02),
          (AutomatPeripherals.channelCharacteristic, 0x0A),
          (AutomatPeripherals.codeCharacteristic, 0x02),
        ]
      ),
      (0x180F, [(batteryCharacteristic, 0x02)]),
    ])

  /// Builds the frame of a write.
  static func write(_ bytes: [UInt8], to address: UInt8) -> [UInt8] { [address] + bytes }

  /// Builds the frame that requests `length` bytes.
  static func request(_ command: [UInt8], length: UInt8, at address: UInt8) -> [UInt8] {
    [address] + command + [length]
  }

  /// Extracts the data from the answer to a request; returns `nil` if the answer does not match the request.
  ///
  /// The phone's libraries silently drop an answer that does not match.
  static func data(_ value: [UInt8], answering request: [UInt8]) -> [UInt8]? {
    guard let length = request.last, value.count == request.count + Int(length),
      value.starts(with: request)
    else { return nil }
    return Array(value.dropFirst(request.count))
  }
}
