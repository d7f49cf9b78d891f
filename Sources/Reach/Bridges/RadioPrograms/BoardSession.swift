import Glibc
package import Support

/// The radio of a client: it finds a board by its name or address, connects to it, and reads and writes its
/// characteristics.
final class BoardClient {
  /// The number of the radio in the bridge.
  private static let radio = 0
  /// The time in which a board must advertise, in milliseconds of real time: 10 s, several times the longest interval
  /// of usual boards.
  private static let scanTimeout: Int32 = 10_000

  let program: RadioProgram
  /// Handles the events of other radios; called for each event that does not answer a command.
  var handleOther: (JSONValue) -> Void = { _ in }
  /// The number of the connection; `nil` without a connection.
  private(set) var connection: Int?
  private var handles: [UInt16: Int] = [:]

  /// Opens the radio.
  ///
  /// - Parameter transport: `virtual`, or an HCI transport of Bumble such as `usb:0`.
  /// - Throws: `Failure` of kind unavailable if there is no stack or no radio.
  init(transport: String) throws(Failure) {
    program = try RadioProgram()
    // A static random address: its two highest bits are set.
    try program.open(radio: Self.radio, address: "C0:00:00:00:00:01", transport: transport)
  }

  // MARK: Connecting

  /// Finds a board, connects to it and discovers its services.
  ///
  /// - Parameters:
  ///   - name: the name that the board advertises.
  ///   - address: its address; `nil` for the first board with the name.
  /// - Throws: `Failure` of kind unavailable if the board is not found or does not answer.
  func connect(to name: String, at address: String? = nil) throws(Failure) {
    try perform("scan", [("active", .bool(true))])
    let found: String
    do throws(Failure) {
      found = try find(name, at: address)
    } catch {
      program.send("stop-scan", radio: Self.radio)
      throw error
    }
    try perform("stop-scan")
    let link = try perform("connect", [("address", .string(found)), ("timeout", .integer(10))])
    guard let number = link["connection"]?.whole(Int.self) else {
      throw Failure(
        .unavailable, "Bluetooth: connect: the stack did not report a connection number")
    }
    connection = number
    let services = try perform("discover", [("connection", .integer(number))])
    handles = [:]
    for service in services["services"]?.array ?? [] {
      for one in service["characteristics"]?.array ?? [] {
        guard let digits = one["uuid"]?.text, let uuid = UInt16(digits, radix: 16) else { continue }
        handles[uuid] = one["handle"]?.whole(Int.self)
      }
    }
  }

  /// Returns the address of the first device that advertises a name, or of the device with an address, with its suffix.
  private func find(_ name: String, at address: String?) throws(Failure) -> String {
    let wanted = BoardProfile.nameElement(of: name).map(Hexadecimal.digits).joined()
    var end: UInt64?
    while let line = try program.next(milliseconds: Self.scanTimeout) {
      handle(line)
      if line["event"]?.text == "advertisement", let found = line["address"]?.text {
        let data = line["data"]?.text ?? ""
        let isWanted = address.map { found.hasPrefix($0) } ?? data.contains(wanted)
        if isWanted { return found }
      }
      // Other devices may advertise forever.
      let now = line["t"]?.whole(UInt64.self) ?? 0
      end = end ?? now + UInt64(Self.scanTimeout) * 1_000_000
      if let end, now > end { break }
    }
    throw Failure(
      .unavailable,
      "Bluetooth: no board with the "
        + (address.map { "address \($0)" } ?? "name '\(name)'")
        + " advertised within \(Self.scanTimeout / 1000) s")
  }

  // MARK: Requests

  /// Writes a value and waits for the response.
  func write(
    _ value: [UInt8], to characteristic: UInt16
  ) throws(Failure) -> Result<[UInt8], GATTError> {
    try request(
      "write", characteristic, [("value", .hexadecimal(value)), ("response", .bool(true))])
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
    let number = program.send(
      word, radio: Self.radio,
      [("connection", .integer(connection)), ("handle", .integer(handle))] + fields)
    let line = try program.answer(to: number) { self.handle($0) }
    guard line["event"]?.text == "failed" else {
      return .success(Hexadecimal.bytes(line["value"]?.text ?? ""))
    }
    return .failure(GATTError(line["error"]?.text, line["code"]?.whole(Int.self)))
  }

  // MARK: Events

  /// Sends a command and waits for its answer.
  ///
  /// - Parameters:
  ///   - word: the command.
  ///   - radio: the number of the radio. Default: that of the client.
  ///   - fields: the arguments. Default: none.
  /// - Returns: the event that answers the command.
  /// - Throws: `Failure` of kind unavailable if the command failed.
  @discardableResult
  func perform(
    _ word: String, on radio: Int = radio, _ fields: [(key: String, value: JSONValue)] = []
  ) throws(Failure) -> JSONValue {
    try program.perform(word, radio: radio, fields) { handle($0) }
  }

  /// Receives and handles the next event.
  func receive() throws(Failure) { handle(try program.receive()) }

  private func handle(_ line: JSONValue) {
    if line["radio"]?.whole(Int.self) == Self.radio {
      if line["event"]?.text == "disconnected" { connection = nil }
    } else {
      handleOther(line)
    }
  }
}

/// The radio of a board that serves its characteristics to any central.
package final class ServedBoard {
  private let program: RadioProgram
  private let radio: Int
  private let board: any BridgeBoard
  private let profile: BoardProfile
  private let characteristics: [UInt16]
  /// The number of the connection to a central; `nil` without a connection.
  package private(set) var connection: Int?

  /// Creates a board whose radio is open.
  ///
  /// - Parameters:
  ///   - board: the board.
  ///   - profile: its name and services.
  ///   - program: the bridge to the stack.
  ///   - radio: the number of the board's radio in the bridge.
  package init(
    _ board: any BridgeBoard, _ profile: BoardProfile, _ program: RadioProgram, radio: Int
  ) {
    (self.board, self.profile, self.program, self.radio) = (board, profile, program, radio)
    characteristics = profile.services.flatMap { $0.characteristics.map(\.uuid) }
  }

  /// The arguments of the command `serve`: the services of the board.
  package var services: [(key: String, value: JSONValue)] {
    let services = profile.services.map { service -> JSONValue in
      let held = service.characteristics.map { one -> JSONValue in
        .object([("uuid", .uuid(one.uuid)), ("properties", .integer(one.properties))])
      }
      return .object([("uuid", .uuid(service.uuid)), ("characteristics", .array(held))])
    }
    return [("services", .array(services))]
  }

  /// The arguments of the command `advertise`: the first service, and the name in the scan response.
  package var advertising: [(key: String, value: JSONValue)] {
    let first = profile.services.first?.uuid ?? 0
    let shown: [UInt8] = [
      2, 0x01, 0x06, 3, 0x02, UInt8(truncatingIfNeeded: first), UInt8(first >> 8),
    ]
    return [
      ("data", .hexadecimal(shown)),
      ("response", .hexadecimal(BoardProfile.nameElement(of: profile.name))),
      ("interval", .integer(100_000_000)),
    ]
  }

  /// Handles an event of the board's radio.
  package func handle(_ line: JSONValue) {
    switch line["event"]?.text {
    case "read", "write": answerRequest(line)
    case "connected": connection = line["connection"]?.whole()
    case "disconnected": connection = nil
    default: break
    }
  }

  private func answerRequest(_ line: JSONValue) {
    guard let index = line["characteristic"]?.whole(Int.self),
      characteristics.indices.contains(index)
    else { return }
    let request = line["request"]?.whole(Int.self)
    var fields: [(key: String, value: JSONValue)] =
      request.map { [("request", .integer($0))] } ?? []
    do throws(GATTError) {
      if line["event"]?.text == "write" {
        let value = Hexadecimal.bytes(line["value"]?.text ?? "")
        try board.take(value, for: characteristics[index])
      } else {
        fields.append(("value", .hexadecimal(try board.value(of: characteristics[index]))))
      }
    } catch {
      fields.append(("code", .integer(error.attributeCode)))
    }
    // A write command has no response.
    if request != nil { program.send("respond", radio: radio, fields) }
  }
}

/// The two radios of a connection over a Bluetooth stack: the board's radio, which serves and advertises, and the
/// client's radio, which scans and connects.
final class BoardSession {
  /// The number of the board's radio in the bridge.
  private static let radio = 1

  private let client: BoardClient
  private let board: ServedBoard
  private let name: String

  /// Opens the radios and serves the board's characteristics.
  ///
  /// - Throws: `Failure` of kind unavailable if there is no stack or no radio.
  init(
    _ board: any BridgeBoard, _ profile: BoardProfile, _ radios: BoardRadios
  ) throws(Failure) {
    name = profile.name
    client = try BoardClient(transport: radios.client)
    try client.program.open(
      radio: Self.radio, address: ServedBoard.address, transport: radios.board)
    let served = ServedBoard(board, profile, client.program, radio: Self.radio)
    self.board = served
    client.handleOther = { served.handle($0) }
    try client.perform("serve", on: Self.radio, served.services)
  }

  /// `true` while the client is connected to the board.
  var isConnected: Bool { client.connection != nil }

  /// Starts advertising, finds the board by its name, connects to its address and discovers its services.
  ///
  /// - Throws: `Failure` of kind unavailable if the board is not found or does not answer.
  func connect() throws(Failure) {
    try client.perform("advertise", on: Self.radio, board.advertising)
    try client.connect(to: name)
  }

  /// Disconnects; the board does not advertise again.
  ///
  /// - Throws: `Failure` of kind unavailable if the stack fails.
  func disconnect() throws(Failure) {
    while client.connection != nil, board.connection == nil { try client.receive() }
    guard let number = board.connection else { return }
    try client.perform("disconnect", on: Self.radio, [("connection", .integer(number))])
    while client.connection != nil { try client.receive() }
  }

  /// Writes a value and waits for the response.
  func write(
    _ value: [UInt8], to characteristic: UInt16
  ) throws(Failure) -> Result<[UInt8], GATTError> {
    try client.write(value, to: characteristic)
  }

  /// Reads a value.
  func read(_ characteristic: UInt16) throws(Failure) -> Result<[UInt8], GATTError> {
    try client.read(characteristic)
  }
}

extension ServedBoard {
  /// The address of a board, a static random one: its two highest bits are set.
  package static let address = "C4:BE:84:70:00:01"
}

extension BoardProfile {
  /// Returns the advertising data element of a name.
  static func nameElement(of name: String) -> [UInt8] {
    [UInt8(name.utf8.count + 1), 0x09] + name.utf8
  }
}

extension GATTError {
  /// The ATT error code of a board's failure.
  fileprivate var attributeCode: Int {
    switch self {
    case .noResponse: 0x80
    case .valueTooLong: 0x0D
    case .noSuchCharacteristic: 0x0A
    case .disconnected: 0x0E
    }
  }

  /// Creates the error that a client throws from an error word of the bridge, or an ATT error code.
  fileprivate init(_ word: String?, _ code: Int?) {
    self =
      switch (word, code) {
      case ("too-long", _), (_, 0x0D): .valueTooLong
      case ("disconnected", _), (_, 0x0E): .disconnected
      case (_, 0x01), (_, 0x0A): .noSuchCharacteristic
      default: .noResponse
      }
  }
}

extension JSONValue {
  /// Creates a string of bytes as pairs of hexadecimal digits.
  fileprivate static func hexadecimal(_ bytes: [UInt8]) -> JSONValue {
    .string(bytes.map(Hexadecimal.digits).joined())
  }

  /// Creates a string of a 16-bit UUID.
  fileprivate static func uuid(_ uuid: UInt16) -> JSONValue {
    let digits = String(uuid, radix: 16, uppercase: true)
    return .string(String(repeating: "0", count: 4 - digits.utf8.count) + digits)
  }
}

/// The command that starts the bridge to a Bluetooth stack.
package struct BridgeCommand: Hashable, Sendable {
  /// The program and its arguments.
  package let words: [String]
  /// Environment variables to add or replace.
  package let environment: [String: String]

  /// Creates a command.
  ///
  /// The environment is that of this program with the given changes. Default: no changes.
  package init(_ words: [String], environment: [String: String] = [:]) {
    (self.words, self.environment) = (words, environment)
  }

  /// The bridge command for this program, chosen by the program's path and environment.
  package static var found: BridgeCommand {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = max(readlink("/proc/self/exe", &path, path.count), 0)
    return BridgeCommand(nextTo: String(decoding: path[..<count], as: UTF8.self)) { name in
      getenv(name).map { String(cString: $0) }
    }
  }

  /// Creates the command from ANEROID_BLE or, if it is unset, from the Python module found relative to a program.
  ///
  /// For a program in a checkout, the module is that of the checkout; the Python is that of a virtual environment in
  /// the checkout with Bumble, if there is one. For any other program, the module is searched in `python` next to the
  /// program and in `../share/aneroid/python`; a program in the `bin` of a virtual environment uses the Python of that
  /// environment. If nothing is found, `python3` must provide the module.
  ///
  /// - Parameters:
  ///   - program: the path of the program.
  ///   - variable: returns the value of an environment variable.
  package init(nextTo program: String, _ variable: (String) -> String?) {
    let words = variable("ANEROID_BLE")?.split(separator: " ").map(String.init) ?? []
    guard words.isEmpty else {
      self.init(words)
      return
    }
    let folder = FilePath.folder(of: program)
    let (modules, python) = Self.checkout(above: folder) ?? Self.installed(in: folder)
    var environment: [String: String] = [:]
    if let modules {
      let others = variable("PYTHONPATH") ?? ""
      environment["PYTHONPATH"] = modules + (others.isEmpty ? "" : ":" + others)
      environment["PYTHONDONTWRITEBYTECODE"] = variable("PYTHONDONTWRITEBYTECODE") ?? "1"
    }
    self.init([python ?? "python3", "-m", "aneroid.ble"], environment: environment)
  }

  /// The paths of the Python module and of the Python interpreter.
  private typealias Installation = (modules: String?, python: String?)

  /// The folders in a checkout that may be a virtual environment with Bumble: that of the tests of `aneroid hub`, then
  /// that of the other tests.
  private static let environments = [".build-hub-python", ".build-peers/bumble"]

  private static func checkout(above folder: String) -> Installation? {
    var folder = folder
    while folder.utf8.count > 1 {
      let modules = folder + "/Sources/Python"
      if holdsModule(modules) {
        let environment = environments.map { "\(folder)/\($0)" }.first(where: holdsBumble)
        return (modules, environment.map { $0 + "/bin/python" })
      }
      folder = FilePath.folder(of: folder)
    }
    return nil
  }

  private static func installed(in folder: String) -> Installation {
    let python = folder + "/python3"
    let isEnvironment = exists(folder + "/../pyvenv.cfg") && access(python, X_OK) == 0
    let candidates = [folder + "/python", folder + "/../share/aneroid/python"]
    return (candidates.first(where: holdsModule), isEnvironment ? python : nil)
  }

  private static func holdsModule(_ folder: String) -> Bool { exists(folder + "/aneroid/ble.py") }

  /// Returns `true` if a virtual environment has a Python with Bumble.
  private static func holdsBumble(_ environment: String) -> Bool {
    access(environment + "/bin/python", X_OK) == 0
      && (Folder.names(in: environment + "/lib") ?? []).contains {
        exists("\(environment)/lib/\($0)/site-packages/bumble/device.py")
      }
  }

  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
