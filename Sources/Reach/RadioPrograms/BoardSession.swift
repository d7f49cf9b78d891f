import Bridges
import Files
import Text

/// Two radios of a Bluetooth stack: a board's, which serves and advertises, and its client's, which finds it and connects.
final class BoardSession {
  private enum Side {
    static let client = 0, board = 1
  }

  private let program: RadioProgram
  private let board: any BridgeBoard
  private let profile: BoardProfile
  private let characteristics: [UInt16]
  /// The connection as the client names it, and as the board does.
  private var connection: Int?
  private var boardConnection: Int?
  private var handles: [UInt16: Int] = [:]

  /// How long an answer of the stack is waited for, in milliseconds of the machine.
  private static let patience: Int32 = 30_000

  /// Opens the radios; the board serves from then on.
  ///
  /// - Throws: `Failure` of kind unavailable when there is no stack or no radio.
  init(
    _ board: any BridgeBoard, _ profile: BoardProfile, _ radios: BoardRadios
  ) throws(Failure) {
    program = try RadioProgram()
    self.board = board
    self.profile = profile
    characteristics = profile.services.flatMap { $0.characteristics.map(\.uuid) }
    // Static random addresses: their two highest bits are set.
    try program.open(radio: Side.client, address: "C0:00:00:00:00:01", transport: radios.client)
    try program.open(radio: Side.board, address: "C4:BE:84:70:00:01", transport: radios.board)
    let services = profile.services.map { service -> JSONValue in
      let held = service.characteristics.map { one -> JSONValue in
        .object([("uuid", Self.spelled(one.uuid)), ("properties", .integer(one.properties))])
      }
      return .object([("uuid", Self.spelled(service.uuid)), ("characteristics", .array(held))])
    }
    try ask("serve", Side.board, [("services", .array(services))])
  }

  // MARK: Being found

  /// Whether both sides hold a connection.
  var isConnected: Bool { connection != nil }

  /// Lets the board advertise, finds it by its name, connects with it by its identifier and discovers what it serves.
  ///
  /// - Throws: `Failure` of kind unavailable when it is not found, or does not answer.
  func connect() throws(Failure) {
    let first = profile.services.first?.uuid ?? 0
    let shown: [UInt8] = [
      2, 0x01, 0x06, 3, 0x02, UInt8(truncatingIfNeeded: first), UInt8(first >> 8),
    ]
    try ask(
      "advertise", Side.board,
      [
        ("data", Self.bytes(shown)), ("response", Self.bytes(named)),
        ("interval", .integer(100_000_000)),
      ])
    try ask("scan", Side.client, [("active", .bool(true))])
    let identifier = try found()
    try ask("stop-scan", Side.client)
    let link = try ask(
      "connect", Side.client, [("address", .string(identifier)), ("timeout", .integer(10))])
    guard let number = link["connection"]?.whole(Int.self) else {
      throw Failure(.unavailable, "Bluetooth: connect: the stack names no connection")
    }
    connection = number
    let services = try ask("discover", Side.client, [("connection", .integer(number))])
    handles = [:]
    for service in services["services"]?.array ?? [] {
      for one in service["characteristics"]?.array ?? [] {
        guard let digits = one["uuid"]?.text, let uuid = UInt16(digits, radix: 16) else { continue }
        handles[uuid] = one["handle"]?.whole(Int.self)
      }
    }
  }

  /// The element of the board's scan response that says its name.
  private var named: [UInt8] { [UInt8(profile.name.utf8.count + 1), 0x09] + profile.name.utf8 }

  /// The identifier of the first device whose scan response says the board's name.
  private func found() throws(Failure) -> String {
    let wanted = named.map(Hexadecimal.digits).joined()
    var end: UInt64?
    while let line = try program.next(milliseconds: Self.patience) {
      take(line)
      if line["response"]?.boolean == true, line["data"]?.text == wanted,
        let address = line["address"]?.text
      {
        return address
      }
      // Others may advertise for ever.
      let now = line["t"]?.whole(UInt64.self) ?? 0
      end = end ?? now + UInt64(Self.patience) * 1_000_000
      if let end, now > end { break }
    }
    throw Failure(.unavailable, "Bluetooth: no board named '\(profile.name)' advertises")
  }

  /// Ends the connection; the board does not advertise again.
  ///
  /// - Throws: `Failure` of kind unavailable when the stack does not.
  func disconnect() throws(Failure) {
    while connection != nil, boardConnection == nil { try step() }
    guard let number = boardConnection else { return }
    try ask("disconnect", Side.board, [("connection", .integer(number))])
    while connection != nil { try step() }
  }

  // MARK: The client's requests

  /// Writes a value and waits for the response.
  func write(
    _ value: [UInt8], to characteristic: UInt16
  ) throws(Failure) -> Result<[UInt8], GATTError> {
    try request(
      "write", characteristic, [("value", Self.bytes(value)), ("response", .bool(true))])
  }

  /// Reads a value.
  func read(_ characteristic: UInt16) throws(Failure) -> Result<[UInt8], GATTError> {
    try request("read", characteristic)
  }

  private func request(
    _ word: String, _ characteristic: UInt16, _ fields: [(key: String, value: JSONValue)] = []
  ) throws(Failure) -> Result<[UInt8], GATTError> {
    guard let connection else { return .failure(.disconnected) }
    guard let handle = handles[characteristic] else { return .failure(.noSuchCharacteristic) }
    let line = try answer(
      to: program.tell(
        word, radio: Side.client,
        [("connection", .integer(connection)), ("handle", .integer(handle))] + fields))
    guard line["event"]?.text == "failed" else {
      return .success(Hexadecimal.bytes(line["value"]?.text ?? ""))
    }
    return .failure(Self.error(line["error"]?.text, line["code"]?.whole(Int.self)))
  }

  // MARK: The board's answers

  /// Takes a line that answers no command: the board answers requests, and both sides learn of connections.
  private func take(_ line: JSONValue) {
    switch (line["radio"]?.whole(Int.self), line["event"]?.text) {
    case (Side.board, "read"), (Side.board, "write"): answerRequest(line)
    case (Side.board, "connected"): boardConnection = line["connection"]?.whole()
    case (Side.board, "disconnected"): boardConnection = nil
    case (Side.client, "disconnected"): connection = nil
    default: break
    }
  }

  private func answerRequest(_ line: JSONValue) {
    guard let request = line["request"]?.whole(Int.self),
      let place = line["characteristic"]?.whole(Int.self),
      characteristics.indices.contains(place)
    else { return }
    var fields: [(key: String, value: JSONValue)] = [("request", .integer(request))]
    do throws(GATTError) {
      if line["event"]?.text == "write" {
        let value = Hexadecimal.bytes(line["value"]?.text ?? "")
        try board.take(value, for: characteristics[place])
      } else {
        fields.append(("value", Self.bytes(try board.value(of: characteristics[place]))))
      }
    } catch {
      fields.append(("code", .integer(Self.code(of: error))))
    }
    program.tell("respond", radio: Side.board, fields)
  }

  // MARK: Lines

  /// Tells a command and waits for its end.
  ///
  /// - Returns: what came of it.
  /// - Throws: `Failure` of kind unavailable when it failed.
  @discardableResult
  private func ask(
    _ word: String, _ radio: Int, _ fields: [(key: String, value: JSONValue)] = []
  ) throws(Failure) -> JSONValue {
    let line = try answer(to: program.tell(word, radio: radio, fields))
    guard line["event"]?.text == "done" else {
      let why = line["what"]?.text ?? line["error"]?.text ?? "no reason was given"
      throw Failure(.unavailable, "Bluetooth: \(word): \(why)")
    }
    return line
  }

  /// Waits for the end of a command; the board answers meanwhile.
  private func answer(to number: Int) throws(Failure) -> JSONValue {
    while true {
      let line = try step()
      if line["id"]?.whole(Int.self) == number { return line }
    }
  }

  /// Takes the next line.
  @discardableResult
  private func step() throws(Failure) -> JSONValue {
    guard let line = try program.next(milliseconds: Self.patience) else {
      throw Failure(.unavailable, "Bluetooth: the stack does not answer")
    }
    take(line)
    return line
  }

  /// The error code with which the board says why it does not do something.
  private static func code(of error: GATTError) -> UInt8 {
    switch error {
    case .noResponse: 0x80
    case .valueTooLong: 0x0D
    case .noSuchCharacteristic: 0x0A
    case .disconnected: 0x0E
    }
  }

  /// What an error of the bridge, or a code of the attribute protocol, means to the client.
  private static func error(_ word: String?, _ code: Int?) -> GATTError {
    switch (word, code) {
    case ("too-long", _), (_, 0x0D): .valueTooLong
    case ("disconnected", _), (_, 0x0E): .disconnected
    case (_, 0x01), (_, 0x0A): .noSuchCharacteristic
    default: .noResponse
    }
  }

  private static func bytes(_ bytes: [UInt8]) -> JSONValue {
    .string(bytes.map(Hexadecimal.digits).joined())
  }

  private static func spelled(_ uuid: UInt16) -> JSONValue {
    let digits = String(uuid, radix: 16, uppercase: true)
    return .string(String(repeating: "0", count: 4 - digits.utf8.count) + digits)
  }
}
