import Glibc
import Support

/// The two radios of a connection over a Bluetooth stack: the board's radio, which serves and advertises, and the
/// client's radio, which scans and connects.
final class BoardSession {
  private enum Side {
    static let client = 0, board = 1
  }

  private let program: RadioProgram
  private let board: any BridgeBoard
  private let profile: BoardProfile
  private let characteristics: [UInt16]
  /// The number of the connection at the client's radio; `nil` without a connection.
  ///
  /// `boardConnection` is its number at the board's radio.
  private var connection: Int?
  private var boardConnection: Int?
  private var handles: [UInt16: Int] = [:]

  /// The timeout for an answer from the stack, in milliseconds of real time.
  private static let timeout: Int32 = 30_000

  /// Opens the radios and serves the board's characteristics.
  ///
  /// - Throws: `Failure` of kind unavailable if there is no stack or no radio.
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
        .object([("uuid", Self.text(one.uuid)), ("properties", .integer(one.properties))])
      }
      return .object([("uuid", Self.text(service.uuid)), ("characteristics", .array(held))])
    }
    try perform("serve", Side.board, [("services", .array(services))])
  }

  // MARK: Connecting

  /// `true` while the client is connected to the board.
  var isConnected: Bool { connection != nil }

  /// Starts advertising, finds the board by its name, connects to its address and discovers its services.
  ///
  /// - Throws: `Failure` of kind unavailable if the board is not found or does not answer.
  func connect() throws(Failure) {
    let first = profile.services.first?.uuid ?? 0
    let shown: [UInt8] = [
      2, 0x01, 0x06, 3, 0x02, UInt8(truncatingIfNeeded: first), UInt8(first >> 8),
    ]
    try perform(
      "advertise", Side.board,
      [
        ("data", Self.bytes(shown)), ("response", Self.bytes(nameElement)),
        ("interval", .integer(100_000_000)),
      ])
    try perform("scan", Side.client, [("active", .bool(true))])
    let identifier = try findBoard()
    try perform("stop-scan", Side.client)
    let link = try perform(
      "connect", Side.client, [("address", .string(identifier)), ("timeout", .integer(10))])
    guard let number = link["connection"]?.whole(Int.self) else {
      throw Failure(
        .unavailable, "Bluetooth: connect: the stack did not report a connection number")
    }
    connection = number
    let services = try perform("discover", Side.client, [("connection", .integer(number))])
    handles = [:]
    for service in services["services"]?.array ?? [] {
      for one in service["characteristics"]?.array ?? [] {
        guard let digits = one["uuid"]?.text, let uuid = UInt16(digits, radix: 16) else { continue }
        handles[uuid] = one["handle"]?.whole(Int.self)
      }
    }
  }

  /// The advertising data element that contains the board's name in its scan response.
  private var nameElement: [UInt8] {
    [UInt8(profile.name.utf8.count + 1), 0x09] + profile.name.utf8
  }

  /// Returns the address of the first device whose scan response contains the board's name.
  private func findBoard() throws(Failure) -> String {
    let wanted = nameElement.map(Hexadecimal.digits).joined()
    var end: UInt64?
    while let line = try program.next(milliseconds: Self.timeout) {
      handle(line)
      if line["response"]?.boolean == true, line["data"]?.text == wanted,
        let address = line["address"]?.text
      {
        return address
      }
      // Other devices may advertise forever.
      let now = line["t"]?.whole(UInt64.self) ?? 0
      end = end ?? now + UInt64(Self.timeout) * 1_000_000
      if let end, now > end { break }
    }
    throw Failure(
      .unavailable, "Bluetooth: no board with the name '\(profile.name)' is advertising")
  }

  /// Disconnects; the board does not advertise again.
  ///
  /// - Throws: `Failure` of kind unavailable if the stack fails.
  func disconnect() throws(Failure) {
    while connection != nil, boardConnection == nil { try receive() }
    guard let number = boardConnection else { return }
    try perform("disconnect", Side.board, [("connection", .integer(number))])
    while connection != nil { try receive() }
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
      to: program.send(
        word, radio: Side.client,
        [("connection", .integer(connection)), ("handle", .integer(handle))] + fields))
    guard line["event"]?.text == "failed" else {
      return .success(Hexadecimal.bytes(line["value"]?.text ?? ""))
    }
    return .failure(Self.error(line["error"]?.text, line["code"]?.whole(Int.self)))
  }

  // MARK: The board's answers

  /// Handles an event that does not answer a command: requests to the board and changes of the connection.
  private func handle(_ line: JSONValue) {
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
      let index = line["characteristic"]?.whole(Int.self),
      characteristics.indices.contains(index)
    else { return }
    var fields: [(key: String, value: JSONValue)] = [("request", .integer(request))]
    do throws(GATTError) {
      if line["event"]?.text == "write" {
        let value = Hexadecimal.bytes(line["value"]?.text ?? "")
        try board.take(value, for: characteristics[index])
      } else {
        fields.append(("value", Self.bytes(try board.value(of: characteristics[index]))))
      }
    } catch {
      fields.append(("code", .integer(Self.code(of: error))))
    }
    program.send("respond", radio: Side.board, fields)
  }

  // MARK: JSON lines

  /// Sends a command and waits for its answer.
  ///
  /// - Returns: the event that answers the command.
  /// - Throws: `Failure` of kind unavailable if the command failed.
  @discardableResult
  private func perform(
    _ word: String, _ radio: Int, _ fields: [(key: String, value: JSONValue)] = []
  ) throws(Failure) -> JSONValue {
    let line = try answer(to: program.send(word, radio: radio, fields))
    guard line["event"]?.text == "done" else {
      let why = line["what"]?.text ?? line["error"]?.text ?? "no reason reported"
      throw Failure(.unavailable, "Bluetooth: \(word): \(why)")
    }
    return line
  }

  /// Waits for the answer to a command, and handles requests to the board while waiting.
  private func answer(to number: Int) throws(Failure) -> JSONValue {
    while true {
      let line = try receive()
      if line["id"]?.whole(Int.self) == number { return line }
    }
  }

  /// Receives and handles the next event.
  @discardableResult
  private func receive() throws(Failure) -> JSONValue {
    guard let line = try program.next(milliseconds: Self.timeout) else {
      throw Failure(.unavailable, "Bluetooth: the stack did not answer within 30 s")
    }
    handle(line)
    return line
  }

  /// The ATT error code for a failure of the board.
  private static func code(of error: GATTError) -> UInt8 {
    switch error {
    case .noResponse: 0x80
    case .valueTooLong: 0x0D
    case .noSuchCharacteristic: 0x0A
    case .disconnected: 0x0E
    }
  }

  /// Converts an error word from the bridge, or an ATT error code, to the error that the client throws.
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

  private static func text(_ uuid: UInt16) -> JSONValue {
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
