package import Files
package import Text

/// The bridge to a Bluetooth stack: a program of the Python package, which is told commands and tells events as lines of JSON.
package final class RadioProgram {
  private let program: LineProgram
  private let command: BridgeCommand
  private var commands = 0

  /// What to try where there is no bridge.
  private static let advice =
    "install the wheel with Bluetooth, pip install './aneroid-VERSION.whl[ble]', or set "
    + "ANEROID_BLE='env PYTHONPATH=Sources/Python PYTHON -m aneroid.ble', PYTHON being one with bumble==0.0.236"

  /// Starts it.
  ///
  /// - Throws: `Failure` of kind unavailable when it cannot be started.
  package init(_ command: BridgeCommand = .found) throws(Failure) {
    self.command = command
    do throws(Failure) {
      program = try LineProgram(command.words, environment: command.environment)
    } catch {
      throw Failure(
        .unavailable,
        "the bridge to Bluetooth does not start (\(error.messages[0])); \(Self.advice)")
    }
  }

  /// Its number.
  package var process: Int32 { program.process }

  /// Tells it a command.
  ///
  /// - Parameters:
  ///   - word: what to do.
  ///   - radio: which radio.
  ///   - fields: what belongs to it.
  /// - Returns: the number of the command.
  @discardableResult
  package func tell(
    _ word: String, radio: Int, _ fields: [(key: String, value: JSONValue)] = []
  ) -> Int {
    commands += 1
    let head: [(key: String, value: JSONValue)] = [
      ("id", .integer(commands)), ("radio", .integer(radio)), ("do", .string(word)),
    ]
    program.tell(JSONValue.object(head + fields).compact)
    return commands
  }

  /// The next event; `nil` where none comes in time.
  ///
  /// - Throws: `Failure` of kind unavailable when the program is gone, in its words.
  package func next(milliseconds: Int32) throws(Failure) -> JSONValue? {
    switch program.next(milliseconds: milliseconds) {
    case .nothing: return nil
    case .ended:
      throw Failure(
        .unavailable,
        "the bridge to Bluetooth, '\(command.words.joined(separator: " "))', has ended"
          + (program.lastError.map { " (\($0))" } ?? "") + "; \(Self.advice)")
    case .line(let bytes):
      guard let line = JSONValue(reading: bytes), line.object != nil else {
        throw Failure(.unavailable, "the bridge to Bluetooth said no line of JSON")
      }
      if line["event"]?.text == "gone" {
        throw Failure(.unavailable, "Bluetooth: \(line["what"]?.text ?? "the radio is gone")")
      }
      return line
    }
  }

  /// Opens a radio and waits until it is ready.
  ///
  /// - Parameters:
  ///   - radio: the number that it gets.
  ///   - address: who it is to others.
  ///   - transport: a virtual one, or an HCI transport of Bumble such as `usb:0`.
  /// - Throws: `Failure` of kind unavailable when there is no such radio.
  package func open(radio: Int, address: String, transport: String) throws(Failure) {
    let number = tell(
      "open", radio: radio,
      [("address", .string(address)), ("transport", .string(transport))])
    while true {
      guard let line = try next(milliseconds: 60_000) else {
        throw Failure(.unavailable, "\(transport): the Bluetooth radio does not answer")
      }
      guard line["id"]?.whole() == number else { continue }
      guard line["event"]?.text == "failed" else { return }
      throw Failure(.unavailable, "\(transport): \(line["what"]?.text ?? "no Bluetooth radio")")
    }
  }
}
