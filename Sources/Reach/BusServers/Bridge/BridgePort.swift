package import Bridges
import Glibc
import I2C
package import Support

/// The board of a bridge on the air: centrals such as a phone reach the bus over Bluetooth LE.
///
/// Each request of a central is served as a whole. After a central has left, the board advertises again.
package final class BridgePort: BusTransport {
  /// The prefix of a radio that is virtual: other programs connect to a controller in its range, over HCI on the
  /// transport that follows.
  package static let airPrefix = "air:"
  /// The number of the board's radio in the bridge.
  private static let radio = 0

  package let name: String
  private let bus: ServedBus
  private let notice: (String) -> Void
  private var program: RadioProgram?
  /// The path of the socket that the bridge makes for other programs; `nil` without one.
  private let socket: String?
  private let board: ServedBoard
  /// `true` after the stack has ended.
  package private(set) var hasFailed = false
  /// `true` if an event of the stack may be pending.
  package private(set) var hasWork = false

  /// Puts a board on the air.
  ///
  /// - Parameters:
  ///   - model: the kind of board.
  ///   - radio: the HCI transport of the board's radio, such as `usb:0`, or `air:` and the transport at which a virtual
  ///     controller is reachable, such as `air:tcp-server:127.0.0.1:6402`.
  ///   - bus: the bus of the board.
  ///   - notice: receives messages for the user.
  /// - Throws: `Failure` of kind unavailable if there is no Bluetooth stack or no such radio.
  package init(
    _ model: BoardModel, radio: String, _ bus: ServedBus, notice: @escaping (String) -> Void
  ) throws(Failure) {
    (name, self.bus, self.notice) = (model.name, bus, notice)
    socket = Self.socket(of: radio)
    if let socket, SocketListener.answers(socket) {
      throw Failure(.unavailable, "\(socket.visible): another server uses this socket")
    }
    let program = try RadioProgram()
    self.program = program
    board = ServedBoard(
      model.board(ServedBusAdapter(bus), model.limit), model.profile, program, radio: Self.radio)
    let isAir = radio.hasPrefix(Self.airPrefix)
    try program.open(
      radio: Self.radio, address: ServedBoard.address, transport: isAir ? "virtual" : radio)
    try program.perform("serve", radio: Self.radio, board.services)
    if bus.isPluggedIn { try program.perform("advertise", radio: Self.radio, board.advertising) }
    if isAir {
      try program.perform(
        "expose", radio: Self.radio,
        [("transport", .string(String(radio.dropFirst(Self.airPrefix.utf8.count))))])
    }
  }

  package var descriptors: [Int32] { program.map { [$0.descriptor] } ?? [] }

  package func handle(_ descriptor: Int32) { hasWork = true }

  package func proceed() {
    guard let program, program.hasEvent || hasWork else { return }
    do throws(Failure) {
      if let line = try program.next(milliseconds: 0) { handle(line) }
      hasWork = program.hasEvent
    } catch {
      notice("\(name): \(error.messages[0].prefix { $0 != ";" })")
      (self.program, hasWork) = (nil, false)
      hasFailed = true
    }
  }

  private func handle(_ line: JSONValue) {
    board.handle(line)
    switch line["event"]?.text {
    case "connected": notice("\(name): a client connected")
    case "disconnected":
      notice("\(name): the client left")
      advertise()
    default: break
    }
  }

  private func advertise() {
    if bus.isPluggedIn { program?.send("advertise", radio: Self.radio, board.advertising) }
  }

  package func showConnection() {
    guard !bus.isPluggedIn else { return advertise() }
    program?.send("stop-advertising", radio: Self.radio)
    if let connection = board.connection {
      program?.send("disconnect", radio: Self.radio, [("connection", .integer(connection))])
    }
  }

  package func close() {
    program = nil
    if let socket { unlink(socket) }
  }

  /// The path of the socket of a virtual radio that is reachable at one.
  private static func socket(of radio: String) -> String? {
    for kind in ["unix-server:", "unix:"] where radio.hasPrefix(airPrefix + kind) {
      return String(radio.dropFirst((airPrefix + kind).utf8.count))
    }
    return nil
  }
}

/// A served bus as an adapter, for boards that make whole transfers.
private final class ServedBusAdapter: I2CAdapter {
  private let bus: ServedBus
  let quirks = I2CQuirks.none

  init(_ bus: ServedBus) { self.bus = bus }

  var functionality: I2CFunctionality { bus.functionality }

  func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    var (written, read) = (0, 0)
    for index in segments.indices {
      let segment = segments[index]
      let isLast = index == segments.count - 1
      var bytes: [UInt8] = []
      let failure: I2CError.Kind?
      switch segment.direction {
      case .write:
        for byte in 0..<segment.count { bytes.append(writing[written + byte]) }
        written += segment.count
        failure = bus.write(bytes, to: segment.address, isLast: isLast)
      case .read:
        failure = bus.read(segment.count, from: segment.address, isLast: isLast, into: &bytes)
        for (byte, value) in bytes.enumerated() { reading[read + byte] = value }
        read += segment.count
      }
      if let failure { throw I2CError(failure, message: index, errno: .eio) }
    }
  }
}
