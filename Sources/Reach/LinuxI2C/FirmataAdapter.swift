import Glibc
public import I2C
import Support

/// An Arduino with the sketch StandardFirmata at a serial port, as an adapter.
///
/// The sketch does not report whether a target acknowledged a write, and answers a read with fewer bytes if it did not
/// acknowledge that. Transfers are a write, a read, or a register of one byte and a read after a repeated start.
/// Source: the Firmata protocol 2.5 (protocol.md, i2c.md).
public final class FirmataAdapter: I2CAdapter {
  /// The baud rates of StandardFirmata, which is the default, and of FirmataExpress.
  public static let baudRates = [57_600, 115_200]
  /// The longest time to an answer of the board, in nanoseconds: 1 s.
  private static let answerTime: UInt64 = 1_000_000_000
  /// The longest time in which a board starts after its port was opened, in nanoseconds: 5 s.
  private static let startTime: UInt64 = 5_000_000_000

  private enum Command {
    static let message: UInt8 = 0xF0
    static let endOfMessage: UInt8 = 0xF7
    static let protocolVersion: UInt8 = 0xF9
    static let request: UInt8 = 0x76
    static let reply: UInt8 = 0x77
    static let configuration: UInt8 = 0x78
  }

  private enum Mode {
    static let write: UInt8 = 0x00
    static let read: UInt8 = 0x08
    /// A read after a repeated start.
    static let joinedRead: UInt8 = 0x48
  }

  /// The path of the serial port.
  public let path: String
  /// Plain and combined transfers, and the SMBus transactions made of them.
  public let functionality = I2CFunctionality.standard
  /// The limits of the sketch: messages of 64 bytes, in which each byte takes two, and a buffer of 32 bytes.
  public let quirks = I2CQuirks(
    maxReadLength: 32, maxWriteLength: 31, maxMessages: 2, maxCombinedWriteLength: 1,
    noZeroLength: true)

  private let descriptor: Int32

  /// Opens a serial port and waits for its board, which opening the port restarts.
  ///
  /// - Parameters:
  ///   - path: the path of the port, such as `/dev/ttyACM0`.
  ///   - baudRate: one of ``baudRates``. Default: 57600.
  /// - Throws: `LinuxI2CError` if the port cannot be opened or no board with Firmata answers within 5 s.
  public init(path: String, baudRate: Int = baudRates[0]) throws(LinuxI2CError) {
    self.path = path
    descriptor = try Self.opened(path, baudRate)
    guard answersVersion() else {
      throw Self.failure(
        path, ETIMEDOUT,
        "no Firmata answers at \(baudRate) baud within 5 s; is StandardFirmata loaded?")
    }
    send([Command.message, Command.configuration, 0, 0, Command.endOfMessage])
  }

  /// Opens a serial port without control characters.
  private static func opened(_ path: String, _ baudRate: Int) throws(LinuxI2CError) -> Int32 {
    let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure(path, errno, String(cString: strerror(errno))) }
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else {
      close(descriptor)
      throw failure(path, ENOTTY, "not a serial port")
    }
    cfmakeraw(&settings)
    let speed = speed_t(baudRate == baudRates[1] ? B115200 : B57600)
    cfsetispeed(&settings, speed)
    cfsetospeed(&settings, speed)
    tcsetattr(descriptor, TCSANOW, &settings)
    return descriptor
  }

  private static func failure(
    _ path: String, _ errno: Int32, _ explanation: String
  ) -> LinuxI2CError {
    LinuxI2CError(
      path: path, operation: "opening the serial port failed", errno: I2CErrno(rawValue: errno),
      explanation: explanation)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Makes one transfer.
  ///
  /// - Throws: `I2CError`: unsupported for another sequence of messages, an address NACK for a read with fewer bytes, a
  ///   time-out without an answer, no device after the port is gone.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    if let message = quirks.violation(in: segments) {
      throw I2CError(.unsupported, message: message, errno: .eopnotsupp)
    }
    var messages: [I2CSegment] = []
    for index in segments.indices { messages.append(segments[index]) }
    guard let last = messages.last, Self.isPossible(messages) else {
      throw I2CError(.unsupported, errno: .eopnotsupp)
    }
    var written: [UInt8] = []
    for index in 0..<(messages[0].direction == .write ? messages[0].count : 0) {
      written.append(writing[index])
    }
    let bytes = try exchange(last, after: written)
    for index in bytes.indices { reading[index] = bytes[index] }
  }

  /// Makes a transfer that ends with a message.
  ///
  /// - Parameters:
  ///   - last: the message.
  ///   - written: the bytes that the transfer writes.
  /// - Returns: the bytes read.
  /// - Throws: `I2CError`; see ``transfer(_:writing:reading:)``.
  private func exchange(
    _ last: I2CSegment, after written: [UInt8]
  ) throws(I2CError) -> [UInt8] {
    guard last.direction == .read else {
      guard request(Mode.write, last.address, written) else {
        throw I2CError(.noDevice, errno: .enodev)
      }
      return []
    }
    let mode = written.isEmpty ? Mode.read : Mode.joinedRead
    guard request(mode, last.address, written + [UInt8(last.count)]) else {
      throw I2CError(.noDevice, errno: .enodev)
    }
    let bytes = try reply(from: last.address)
    guard bytes.count >= last.count else {
      throw I2CError(.addressNack, message: written.isEmpty ? 0 : 1, errno: .enxio)
    }
    return Array(bytes.prefix(last.count))
  }

  /// Returns whether the sketch can make a transfer.
  private static func isPossible(_ messages: [I2CSegment]) -> Bool {
    let isPlain = messages.allSatisfy {
      $0.flags.isEmpty && $0.address.isSevenBit && $0.address == messages[0].address
    }
    let directions = messages.map(\.direction)
    return isPlain && [[.write], [.read], [.write, .read]].contains(directions)
  }

  /// Sends a request, in which each byte takes two; returns `false` if the port is gone.
  private func request(_ mode: UInt8, _ address: I2CAddress, _ values: [UInt8]) -> Bool {
    var bytes: [UInt8] = [Command.message, Command.request, UInt8(address.rawValue), mode]
    for value in values { bytes += [value & 0x7F, value >> 7] }
    return send(bytes + [Command.endOfMessage])
  }

  /// Waits for the bytes that a target sent.
  private func reply(from address: I2CAddress) throws(I2CError) -> [UInt8] {
    let end = MachineTime.monotonic() + Self.answerTime
    while let message = message(until: end) {
      guard message.first == Command.reply, message.count >= 5 else { continue }
      let values = stride(from: 1, to: message.count - 1, by: 2).map {
        message[$0] | message[$0 + 1] << 7
      }
      // The address, the register, and the bytes.
      if UInt16(values[0]) == address.rawValue { return Array(values.dropFirst(2)) }
    }
    throw I2CError(.timeOut, errno: .etimedout)
  }

  /// Asks for the version of the protocol until the board has started.
  private func answersVersion() -> Bool {
    let end = MachineTime.monotonic() + Self.startTime
    while MachineTime.monotonic() < end {
      guard send([Command.protocolVersion]) else { return false }
      let next = min(end, MachineTime.monotonic() + 500_000_000)
      while let byte = byte(until: next) {
        if byte == Command.protocolVersion { return true }
      }
    }
    return false
  }

  /// Receives the next message, without its first and its last byte; `nil` if none arrives in time.
  private func message(until end: UInt64) -> [UInt8]? {
    var bytes: [UInt8]?
    while let byte = byte(until: end) {
      switch byte {
      case Command.message: bytes = []
      case Command.endOfMessage: if let bytes { return bytes }
      default: bytes?.append(byte)
      }
    }
    return nil
  }

  private func byte(until end: UInt64) -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = Glibc.read(descriptor, &byte, 1)
      if count == 1 { return byte }
      let now = MachineTime.monotonic()
      guard now < end, count < 0, errno == EAGAIN || errno == EINTR else { return nil }
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&state, 1, Int32((end - now) / 1_000_000 + 1))
    }
  }

  /// Sends bytes; returns `false` if the port is gone.
  @discardableResult
  private func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent)
      }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN || errno == EINTR {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&state, 1, 1000) > 0 else { return false }
      } else {
        return false
      }
    }
    return true
  }
}
