import Glibc
import I2C
package import Support

/// An Arduino with the sketch StandardFirmata or FirmataExpress, of which the I2C bus is simulated.
///
/// Source: the Firmata protocol 2.5 (protocol.md, i2c.md), and the sketches' I2C code: an address that is not
/// acknowledged is not reported after a write, and gives fewer bytes than requested after a read. Pins other than those
/// of the bus are not simulated.
package final class FirmataBoard {
  /// The largest message after its command, in bytes (MAX_DATA_BYTES).
  private static let longestMessage = 64
  /// The buffer of the AVR's Wire library in bytes.
  private static let wireBuffer = 32
  /// The most continuous reads (I2C_MAX_QUERIES).
  private static let mostQueries = 8
  /// The number of pins of an Uno, of which 14 to 19 are also A0 to A5.
  private static let pins = 20
  private static let analogPins = 14..<20
  /// SDA and SCL: A4 and A5.
  private static let busPins = 18..<20
  /// The mode of a pin of the bus, and its resolution.
  private static let busMode: [UInt8] = [6, 1]

  private enum Command {
    static let endOfMessage: UInt8 = 0xF7
    static let message: UInt8 = 0xF0
    static let protocolVersion: UInt8 = 0xF9
    static let reset: UInt8 = 0xFF
    static let setPinMode: UInt8 = 0xF4
  }

  private enum Message {
    static let areYouThere: UInt8 = 0x51
    static let iAmHere: UInt8 = 0x52
    static let analogMappingQuery: UInt8 = 0x69
    static let analogMapping: UInt8 = 0x6A
    static let capabilityQuery: UInt8 = 0x6B
    static let capabilities: UInt8 = 0x6C
    static let pinStateQuery: UInt8 = 0x6D
    static let pinState: UInt8 = 0x6E
    static let text: UInt8 = 0x71
    static let request: UInt8 = 0x76
    static let reply: UInt8 = 0x77
    static let configuration: UInt8 = 0x78
    static let firmware: UInt8 = 0x79
    static let samplingInterval: UInt8 = 0x7A
  }

  /// The modes of an I2C request: bits 3 and 4 of its second byte.
  private enum Mode {
    static let mask: UInt8 = 0x18
    static let write: UInt8 = 0x00
    static let read: UInt8 = 0x08
    static let readContinuously: UInt8 = 0x10
    static let tenBitAddress: UInt8 = 0x20
    /// Without a stop between the register and the read.
    static let restart: UInt8 = 0x40
  }

  /// A read of a target, which may be repeated.
  private struct Query {
    var address: I2CAddress
    var register: Int?
    var count: Int
    var joins: Bool
  }

  /// The interval between continuous reads, in nanoseconds.
  package private(set) var samplingInterval: UInt64 = 19_000_000
  /// `true` if there are continuous reads.
  package var isSampling: Bool { !queries.isEmpty }

  private let bus: ServedBus
  private let notice: (String) -> Void
  private var queries: [Query] = []
  private var isConfigured = false
  /// The delay between a register and its read, in nanoseconds.
  private var readDelay: UInt64 = 0
  /// `true` after a question that only FirmataExpress answers.
  private var isExpress = false
  private var hasMentionedPins = false
  /// The bytes of an incomplete command.
  private var pending: [UInt8] = []

  /// Creates a board.
  ///
  /// - Parameters:
  ///   - bus: the bus.
  ///   - notice: receives messages for the user.
  package init(_ bus: ServedBus, notice: @escaping (String) -> Void) {
    self.bus = bus
    self.notice = notice
  }

  /// Receives a byte of the serial port.
  ///
  /// - Returns: the bytes to send.
  package func receive(_ byte: UInt8) -> [UInt8] {
    if pending.first == Command.message {
      guard byte == Command.endOfMessage else {
        // The sketch drops the rest of a message that is too long; a command ends it.
        if byte >= 0x80 {
          pending = []
          return receive(byte)
        }
        if pending.count <= Self.longestMessage + 1 { pending.append(byte) }
        return []
      }
      defer { pending = [] }
      guard pending.count > 1, pending.count <= Self.longestMessage + 1 else { return [] }
      return message(pending[1], Array(pending.dropFirst(2)))
    }
    if byte >= 0x80 {
      pending = [byte]
    } else if !pending.isEmpty {
      pending.append(byte)
    }
    return command()
  }

  /// Reads what the continuous reads ask for.
  ///
  /// - Returns: the bytes to send.
  package func sample() -> [UInt8] { queries.flatMap { read($0) } }

  /// Executes a command that is complete.
  private func command() -> [UInt8] {
    guard let first = pending.first else { return [] }
    // Commands below 0xF0 hold a pin or a port in their lower half.
    let length: Int
    switch first {
    case Command.message: return []
    case Command.protocolVersion, Command.reset: length = 1
    case 0xC0...0xDF: length = 2
    case 0x90...0x9F, 0xE0...0xEF, 0xF4, 0xF5: length = 3
    default:
      pending = []
      return []
    }
    guard pending.count == length else { return [] }
    let complete = pending
    pending = []
    switch first {
    case Command.protocolVersion:
      return [Command.protocolVersion, 2, 5]
    case Command.reset:
      (queries, isConfigured, readDelay, samplingInterval) = ([], false, 0, 19_000_000)
      return []
    case Command.setPinMode where complete[2] == Self.busMode[0]:
      return []
    case 0xC0...0xDF where complete[1] == 0:
      // A client that ends switches reports off that were never on.
      return []
    default:
      return mentionPins()
    }
  }

  private func mentionPins() -> [UInt8] {
    guard !hasMentionedPins else { return [] }
    hasMentionedPins = true
    notice("firmata: the client uses a pin; only the I2C bus of the board is simulated")
    return text("Only I2C is simulated")
  }

  private func message(_ kind: UInt8, _ data: [UInt8]) -> [UInt8] {
    switch kind {
    case Message.areYouThere:
      isExpress = true
      // The identifier that the sketch has by default.
      return sysex(Message.iAmHere, [1])
    case Message.firmware:
      let (version, name): ([UInt8], String) =
        isExpress ? ([1, 2], "FirmataExpress.ino") : ([2, 5], "StandardFirmata.ino")
      return sysex(Message.firmware, version + name.utf8.flatMap { halves($0) })
    case Message.capabilityQuery:
      return sysex(
        Message.capabilities,
        (0..<Self.pins).flatMap { (Self.busPins.contains($0) ? Self.busMode : []) + [0x7F] })
    case Message.analogMappingQuery:
      return sysex(
        Message.analogMapping,
        (0..<Self.pins).map {
          Self.analogPins.contains($0) ? UInt8($0 - Self.analogPins.lowerBound) : 0x7F
        })
    case Message.pinStateQuery:
      guard let pin = data.first, pin < Self.pins else { return [] }
      let mode: [UInt8] = Self.busPins.contains(Int(pin)) ? [Self.busMode[0], 0] : [0, 0]
      return sysex(Message.pinState, [pin] + mode)
    case Message.samplingInterval:
      guard data.count >= 2 else { return [] }
      samplingInterval = UInt64(max(value(data, 0), 1)) * 1_000_000
      return []
    case Message.configuration:
      isConfigured = true
      if data.count >= 2 { readDelay = UInt64(value(data, 0)) * 1000 }
      return []
    case Message.request:
      return request(data)
    case Message.text:
      return []
    default:
      return mentionPins()
    }
  }

  private func request(_ data: [UInt8]) -> [UInt8] {
    guard data.count >= 2, let address = I2CAddress(rawValue: UInt16(data[0])) else { return [] }
    guard isConfigured else { return text("I2C: not configured") }
    guard data[1] & Mode.tenBitAddress == 0 else { return text("10-bit addressing not supported") }
    let values = stride(from: 2, to: data.count - 1, by: 2).map { value(data, $0) }
    let joins = data[1] & Mode.restart != 0
    switch data[1] & Mode.mask {
    case Mode.write:
      let bytes = values.prefix(Self.wireBuffer).map { UInt8(truncatingIfNeeded: $0) }
      _ = bus.write(bytes, to: address, isLast: true)
      return []
    case Mode.read:
      guard let query = query(address, values, joins: joins) else { return [] }
      return read(query)
    case Mode.readContinuously:
      guard queries.count < Self.mostQueries else { return text("too many queries") }
      if let query = query(address, values, joins: joins) { queries.append(query) }
      return []
    default:
      queries.removeAll { $0.address == address }
      return []
    }
  }

  private func query(_ address: I2CAddress, _ values: [Int], joins: Bool) -> Query? {
    switch values.count {
    case 0: nil
    case 1: Query(address: address, register: nil, count: values[0], joins: joins)
    default: Query(address: address, register: values[0], count: values[1], joins: joins)
    }
  }

  private func read(_ query: Query) -> [UInt8] {
    if let register = query.register {
      // As in the sketch, a register that is not acknowledged does not prevent the read.
      _ = bus.write(
        [UInt8(truncatingIfNeeded: register)], to: query.address, isLast: !query.joins)
      bus.pause(nanoseconds: readDelay)
    }
    var bytes: [UInt8] = []
    let count = min(query.count, Self.wireBuffer)
    if count > 0, bus.read(count, from: query.address, isLast: true, into: &bytes) != nil {
      bytes = []
    }
    let warning = bytes.count < query.count ? text("I2C: Too few bytes received") : []
    let header = [UInt8(query.address.rawValue), UInt8(truncatingIfNeeded: query.register ?? 0)]
    return warning + sysex(Message.reply, (header + bytes).flatMap { halves($0) })
  }

  private func text(_ text: String) -> [UInt8] {
    sysex(Message.text, text.utf8.flatMap { halves($0) })
  }

  private func sysex(_ kind: UInt8, _ data: [UInt8]) -> [UInt8] {
    [Command.message, kind] + data + [Command.endOfMessage]
  }

  /// Returns a byte as two of seven bits, the lower half first.
  private func halves(_ byte: UInt8) -> [UInt8] { [byte & 0x7F, byte >> 7] }

  /// Returns the value of two bytes of seven bits.
  private func value(_ data: [UInt8], _ index: Int) -> Int {
    Int(data[index]) | Int(data[index + 1]) << 7
  }
}

/// A serial port behind which a board with Firmata answers: a pseudo-terminal, with a link as its name.
///
/// As on an Arduino, opening the port resets the board: a client finds neither the settings nor the answers of the one
/// before.
package final class FirmataPort: BusTransport {
  package let name = "firmata"
  /// The interval at which a closed port is looked at, in nanoseconds.
  private static let lookInterval: UInt64 = 50_000_000

  private let path: String
  private let bus: ServedBus
  private let notice: (String) -> Void
  /// The path of the pseudo-terminal and the descriptor of its other side; -1 while the board is unplugged.
  private var (terminal, controller): (String, Int32) = ("", -1)
  /// The board of the client that has opened the port; `nil` while it is closed.
  private var board: FirmataBoard?
  /// The time of the next continuous reads, or of the next look at a closed port.
  package private(set) var deadline: UInt64?
  private var hasLostOutput = false

  /// The requests of a pseudo-terminal (ioctl_tty(2)), which the C library's module leaves out.
  private enum Request {
    static let setLock: UInt = 0x4004_5431
    static let number: UInt = 0x8004_5430
  }

  /// Creates a serial port.
  ///
  /// - Parameters:
  ///   - path: the path of the link that clients open; a link that leads nowhere is replaced.
  ///   - bus: the bus.
  ///   - notice: receives messages for the user.
  /// - Throws: `Failure` of kind unavailable if there is no pseudo-terminal or the link cannot be created.
  package init(
    path: String, _ bus: ServedBus, notice: @escaping (String) -> Void
  ) throws(Failure) {
    self.path = path
    self.bus = bus
    self.notice = notice
    try plugIn()
  }

  /// Creates the terminal and the link to it.
  private func plugIn() throws(Failure) {
    // A link of a server that was killed may name the number that the new terminal gets.
    try Self.removeStale(path)
    let controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    var (lock, number): (Int32, UInt32) = (0, 0)
    guard controller >= 0, ioctl(controller, Request.setLock, &lock) == 0,
      ioctl(controller, Request.number, &number) == 0
    else {
      throw Failure(.unavailable, "no pseudo-terminal: \(String(cString: strerror(errno)))")
    }
    let terminal = "/dev/pts/\(number)"
    guard symlink(terminal, path) == 0 else {
      let reason = String(cString: strerror(errno))
      Glibc.close(controller)
      throw Failure(.unavailable, "'\(path.visible)': \(reason)")
    }
    (self.terminal, self.controller) = (terminal, controller)
    reset()
  }

  package func showConnection() {
    if bus.isPluggedIn {
      do throws(Failure) { try plugIn() } catch { notice("\(name): \(error.messages[0])") }
    } else {
      close()
      (board, deadline) = (nil, nil)
    }
  }

  /// Removes a link that leads nowhere.
  private static func removeStale(_ path: String) throws(Failure) {
    func failure(_ reason: String) -> Failure {
      Failure(.unavailable, "\(path.visible): \(reason)")
    }
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFLNK else {
      throw failure("exists and is no link; use another path")
    }
    guard access(path, F_OK) != 0 else {
      throw failure(
        "is a link to a terminal or file that exists, perhaps of another server; remove it or use another path"
      )
    }
    unlink(path)
  }

  /// Sets the modes of the terminal, drops what was not read, and waits for a client.
  private func reset() {
    board = nil
    let side = open(terminal, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var settings = termios()
    tcgetattr(side, &settings)
    cfmakeraw(&settings)
    tcsetattr(side, TCSANOW, &settings)
    tcflush(side, TCIOFLUSH)
    Glibc.close(side)
    tcflush(controller, TCIOFLUSH)
    deadline = MachineTime.monotonic() + Self.lookInterval
  }

  package var descriptors: [Int32] { board == nil ? [] : [controller] }

  /// `true` while no client has the port open.
  private var isClosed: Bool {
    var state = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLHUP) != 0
  }

  package func handle(_ descriptor: Int32) {
    guard let board else { return }
    guard !isClosed else {
      notice("\(name): the client left")
      return reset()
    }
    // A small part, so that other clients and signals are looked at between the requests.
    let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      count = max(read(controller, buffer.baseAddress, buffer.count), 0)
    }
    for byte in bytes { send(board.receive(byte)) }
    if !board.isSampling {
      deadline = nil
    } else if deadline == nil {
      deadline = MachineTime.monotonic() + board.samplingInterval
    }
  }

  package func handleDeadline() {
    let now = MachineTime.monotonic()
    guard let board else {
      guard !isClosed else {
        deadline = now + Self.lookInterval
        return
      }
      board = FirmataBoard(bus, notice: notice)
      (deadline, hasLostOutput) = (nil, false)
      notice("\(name): a client connected")
      return
    }
    send(board.sample())
    // Samples that are late are left out, as in the sketch.
    deadline = max((deadline ?? 0) + board.samplingInterval, MachineTime.monotonic())
  }

  package func close() {
    guard controller >= 0 else { return }
    var target = [CChar](repeating: 0, count: 64)
    if readlink(path, &target, 63) > 0, strcmp(target, terminal) == 0 { unlink(path) }
    Glibc.close(controller)
    controller = -1
  }

  /// Sends bytes; what a client does not receive is lost, as on a serial port.
  private func send(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    let count = bytes.withUnsafeBytes { write(controller, $0.baseAddress, $0.count) }
    if count < bytes.count, !hasLostOutput {
      hasLostOutput = true
      notice("\(name): the client does not read; output was lost")
    }
  }
}
