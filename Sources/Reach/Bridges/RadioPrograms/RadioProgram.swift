package import Support

/// The bridge to a Bluetooth stack: a process of the Python package that exchanges commands and events as lines of
/// JSON.
package final class RadioProgram {
  private let program: LineProgram
  private let command: BridgeCommand
  private var commands = 0

  /// The remedy that messages about a missing bridge suggest.
  private static let advice =
    "install the wheel with Bluetooth, pip install './aneroid-VERSION.whl[ble]', or set "
    + "ANEROID_BLE='env PYTHONPATH=Sources/Python PYTHON -m aneroid.ble', where PYTHON has bumble==0.0.236"

  /// Starts the bridge.
  ///
  /// - Throws: `Failure` of kind unavailable if the bridge cannot be started.
  package init(_ command: BridgeCommand = .found) throws(Failure) {
    self.command = command
    do throws(Failure) {
      program = try LineProgram(command.words, environment: command.environment)
    } catch {
      throw Failure(
        .unavailable,
        "the Bluetooth bridge failed to start (\(error.messages[0])); \(Self.advice)")
    }
  }

  /// The process ID.
  package var process: Int32 { program.process }

  /// The descriptor that is readable when events may be pending.
  package var descriptor: Int32 { program.descriptor }

  /// Sends a command.
  ///
  /// - Parameters:
  ///   - word: the command.
  ///   - radio: the number of the radio.
  ///   - fields: the arguments.
  /// - Returns: the number of the command.
  @discardableResult
  package func send(
    _ word: String, radio: Int, _ fields: [(key: String, value: JSONValue)] = []
  ) -> Int {
    commands += 1
    let head: [(key: String, value: JSONValue)] = [
      ("id", .integer(commands)), ("radio", .integer(radio)), ("do", .string(word)),
    ]
    program.sendLine(JSONValue.object(head + fields).compact)
    return commands
  }

  /// Returns the next event; `nil` after the timeout.
  ///
  /// - Throws: `Failure` of kind unavailable if the program has ended.
  package func next(milliseconds: Int32) throws(Failure) -> JSONValue? {
    switch program.next(milliseconds: milliseconds) {
    case .nothing: return nil
    case .endless:
      throw Failure(.unavailable, "the Bluetooth bridge sent a line without an end")
    case .ended:
      throw Failure(
        .unavailable,
        "the Bluetooth bridge '\(command.words.joined(separator: " "))' has exited"
          + (program.lastError.map { " (\($0))" } ?? "") + "; \(Self.advice)")
    case .line(let bytes):
      guard let line = JSONValue(reading: bytes), line.object != nil else {
        throw Failure(.unavailable, "the Bluetooth bridge sent a line that is not valid JSON")
      }
      if line["event"]?.text == "gone" {
        throw Failure(.unavailable, "Bluetooth: \(line["what"]?.text ?? "the radio is gone")")
      }
      return line
    }
  }

  /// `true` if an event can be read at once.
  package var hasEvent: Bool { program.hasLine }

  /// The timeout for an answer from the stack, in milliseconds of real time.
  static let timeout: Int32 = 30_000

  /// Receives the next event.
  ///
  /// - Throws: `Failure` of kind unavailable if the program has ended, or sends nothing for 30 s.
  func receive() throws(Failure) -> JSONValue {
    guard let line = try next(milliseconds: Self.timeout) else {
      throw Failure(.unavailable, "Bluetooth: the stack did not answer within 30 s")
    }
    return line
  }

  /// Waits for the answer to a command.
  ///
  /// - Parameters:
  ///   - number: the number of the command.
  ///   - handle: called for every event that arrives, the answer included.
  /// - Returns: the event that answers the command.
  /// - Throws: `Failure` of kind unavailable if the program has ended or does not answer.
  func answer(
    to number: Int, _ handle: (JSONValue) -> Void
  ) throws(Failure) -> JSONValue {
    while true {
      let line = try receive()
      handle(line)
      if line["id"]?.whole(Int.self) == number { return line }
    }
  }

  /// Sends a command and waits for its answer.
  ///
  /// - Parameters:
  ///   - word: the command.
  ///   - radio: the number of the radio.
  ///   - fields: the arguments. Default: none.
  ///   - handle: called for every event that arrives meanwhile. Default: ignores them.
  /// - Returns: the event that answers the command.
  /// - Throws: `Failure` of kind unavailable if the command failed.
  @discardableResult
  package func perform(
    _ word: String, radio: Int, _ fields: [(key: String, value: JSONValue)] = [],
    handle: (JSONValue) -> Void = { _ in }
  ) throws(Failure) -> JSONValue {
    let line = try answer(to: send(word, radio: radio, fields), handle)
    guard line["event"]?.text == "done" else {
      let why = line["what"]?.text ?? line["error"]?.text ?? "no reason reported"
      throw Failure(.unavailable, "Bluetooth: \(word): \(why)")
    }
    return line
  }

  /// Opens a radio and waits until it is ready.
  ///
  /// - Parameters:
  ///   - radio: the number to assign.
  ///   - address: the Bluetooth address of the radio.
  ///   - transport: `virtual`, or an HCI transport of Bumble such as `usb:0`.
  /// - Throws: `Failure` of kind unavailable if there is no such radio.
  package func open(radio: Int, address: String, transport: String) throws(Failure) {
    let number = send(
      "open", radio: radio,
      [("address", .string(address)), ("transport", .string(transport))])
    while true {
      guard let line = try next(milliseconds: 60_000) else {
        throw Failure(.unavailable, "\(transport): the Bluetooth radio did not answer within 60 s")
      }
      guard line["id"]?.whole() == number else { continue }
      guard line["event"]?.text == "failed" else { return }
      throw Failure(.unavailable, line["what"]?.text ?? "\(transport): no Bluetooth radio")
    }
  }
}

/// A board that is reached through a real Bluetooth stack: each value that a client writes or reads travels through the
/// stack.
///
/// As for any board, the simulated link advances the clock of the simulation before and after each request; the stack
/// itself takes only machine time. After a lost connection or a crashed stack the next request reconnects.
package final class RadioBoard: GATTServer {
  /// Statistics of the connection.
  package private(set) var account = BoardRadios.Account()

  private let board: any BridgeBoard
  private let profile: BoardProfile
  private let radios: BoardRadios
  private var session: BoardSession?
  private var failures = 0
  /// The maximum number of consecutive attempts to restart a failed stack.
  private static let attempts = 3

  /// Starts advertising, finds the board and connects to it.
  ///
  /// - Parameters:
  ///   - board: the board.
  ///   - profile: its name and services.
  ///   - radios: the transports of the radios.
  /// - Throws: `Failure` of kind unavailable if there is no stack or radio, or the board is not found.
  package init(
    _ board: any BridgeBoard, _ profile: BoardProfile, _ radios: BoardRadios
  ) throws(Failure) {
    self.board = board
    self.profile = profile
    self.radios = radios
    _ = try connected()
  }

  /// Writes a value through the stack.
  ///
  /// - Throws: `GATTError`.
  package func take(_ value: [UInt8], for characteristic: UInt16) throws(GATTError) {
    _ = try answer { session throws(Failure) in try session.write(value, to: characteristic) }
  }

  /// Reads a value through the stack.
  ///
  /// - Throws: `GATTError`.
  package func value(of characteristic: UInt16) throws(GATTError) -> [UInt8] {
    try answer { session throws(Failure) in try session.read(characteristic) }
  }

  /// Disconnects and stops advertising, because the board is out of reach, silent or without power.
  package func lost() {
    guard let session, session.isConnected else { return }
    do throws(Failure) {
      try session.disconnect()
    } catch {
      end(error)
    }
  }

  // MARK: Connections

  private func answer(
    to request: (BoardSession) throws(Failure) -> Result<[UInt8], GATTError>
  ) throws(GATTError) -> [UInt8] {
    guard failures < Self.attempts else { throw .disconnected }
    let result: Result<[UInt8], GATTError>
    do throws(Failure) {
      let session = try connected()
      account.requests += 1
      result = try request(session)
      failures = 0
    } catch {
      end(error)
      throw .disconnected
    }
    return try result.get()
  }

  private func connected() throws(Failure) -> BoardSession {
    if let session, session.isConnected { return session }
    let open: BoardSession
    if let session { open = session } else { open = try BoardSession(board, profile, radios) }
    session = open
    try open.connect()
    account.connections += 1
    return open
  }

  private func end(_ failure: Failure) {
    session = nil
    failures += 1
    account.failure = failure.messages.first
  }
}

/// A connection to a real board, or to a virtual one of another process, as a client's radio has it.
package final class RemoteBoard: GATTLink {
  private let client: BoardClient
  private let name: String
  private let address: String?

  /// Opens a radio, finds a board and connects to it.
  ///
  /// - Parameters:
  ///   - name: the name that the board advertises.
  ///   - address: its address; `nil` for the first board with the name.
  ///   - transport: the HCI transport of the radio, such as `usb:0` or `hci-socket:0`.
  /// - Throws: `Failure` of kind unavailable if there is no stack, radio or board.
  package init(_ name: String, at address: String?, transport: String) throws(Failure) {
    (self.name, self.address) = (name, address)
    client = try BoardClient(transport: transport)
    try client.connect(to: name, at: address)
  }

  /// Writes a value; after a lost connection, connects again first.
  ///
  /// - Throws: `GATTError`.
  package func write(_ value: [UInt8], to characteristic: UInt16) throws(GATTError) {
    _ = try answer { client throws(Failure) in try client.write(value, to: characteristic) }
  }

  /// Reads a value; after a lost connection, connects again first.
  ///
  /// - Throws: `GATTError`.
  package func read(_ characteristic: UInt16) throws(GATTError) -> [UInt8] {
    try answer { client throws(Failure) in try client.read(characteristic) }
  }

  private func answer(
    to request: (BoardClient) throws(Failure) -> Result<[UInt8], GATTError>
  ) throws(GATTError) -> [UInt8] {
    let result: Result<[UInt8], GATTError>
    do throws(Failure) {
      if client.connection == nil { try client.connect(to: name, at: address) }
      result = try request(client)
    } catch {
      throw .disconnected
    }
    return try result.get()
  }
}

/// A defect in published code that reads wireless tags.
public struct TagDefect: Hashable, Sendable {
  /// The ID, such as T01.
  public let id: String
  /// A short description of the defect.
  public let title: String
  /// The symptom that users see.
  public let symptom: String
  /// The conditions under which the defect has no effect; `nil` if it always has one.
  public let hiddenBy: String?
  /// The correction.
  public let fix: String
  /// The published source of the defect.
  public let evidence: String
  /// The command or code that reproduces it.
  public let shownBy: String

  /// Code that applies the older tag's humidity formula to bytes from the newer tag.
  public static let wrongPart = TagDefect(
    id: "T01", title: "the humidity formula of the previous generation's sensor",
    symptom:
      "the humidity is off by a quarter of its value minus 6: 60 % is shown as 69 %, 24 % "
      + "as 24 %; an alarm at 65 % fires at 56.8 %",
    hiddenBy: "humidity near 24 %, and tags of the previous generation, which have that sensor",
    fix: "read the model number (2A24) and use the formula of the sensor in that model",
    evidence: "the published app of the warehouse; bluepy issue 52; evothings PR 5; contiki PR 986",
    shownBy: "`aneroid run rigs/warehouse.yaml`: counts false and missed alarms")

  /// Code that interprets two status bits as part of the value.
  public static let unmasked = TagDefect(
    id: "T02", title: "status bits are not masked",
    symptom: "the humidity is up to 0.006 % too high",
    hiddenBy: "displays with two decimals or fewer",
    fix: "clear the two low bits first",
    evidence: "the published app of the warehouse",
    shownBy: "`ArticleDecoding.humidity`, which decodes as the app does")

  /// Code that copies more bytes than the value has.
  public static let overlong = TagDefect(
    id: "T03", title: "the byte count is used as a word count",
    symptom:
      "8 bytes are copied of a value of 4: the last two words are zero if the copy is "
      + "bounded, otherwise adjacent memory; a value of 2 bytes crashes the app",
    hiddenBy: "code that uses only the first two words, as the app does",
    fix: "check the length and copy half as many words as bytes",
    evidence: "the published app of the warehouse; Foundation on Linux copies past the end",
    shownBy: "`aneroid run rigs/warehouse/article-alone.yaml`: copies 8 bytes of a value of 4")

  /// Code that stops its scan at the first tag.
  public static let singleTag = TagDefect(
    id: "T04", title: "the scan stops permanently at the first tag",
    symptom: "of all tags in a warehouse one is received, and none after its first disconnection",
    hiddenBy: "a single tag in range",
    fix: "continue scanning, hold or rotate connections, and reconnect with increasing delays",
    evidence: "the published app of the warehouse, which does not handle disconnections",
    shownBy:
      "`aneroid run rigs/warehouse/article-alone.yaml`: receives one of three tags, until "
      + "its first disconnection"
  )

  /// All defects.
  public static let all = [wrongPart, unmasked, overlong, singleTag]

  /// The catalogue page's section on these defects, in Markdown.
  public static var page: String {
    var lines = [
      "### Tags of a warehouse", "",
      "Defects in the published code of a warehouse hub that reads wireless tags. They are "
        + "not visible in a bus "
        + "trace, so `diagnose` does not check for them.", "",
    ]
    for defect in all {
      lines += ["### \(defect.id): \(defect.title)", "", "- Users see: \(defect.symptom)."]
      if let hidden = defect.hiddenBy { lines.append("- Hidden by: \(hidden).") }
      lines += [
        "- Fix: \(defect.fix).", "- Shipped in: \(defect.evidence).",
        "- Shown by: \(defect.shownBy).", "",
      ]
    }
    return lines.joined(separator: "\n")
  }
}
