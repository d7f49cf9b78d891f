import Quantities
import Support

/// A program that is a part: it gets one JSON line for each event on the bus, and answers each with one JSON line.
///
/// The program is supervised: an answer that is late, wrong or missing is a failure, which names the event.
final class PartProgram {
  /// What happens to the part.
  enum Event: String {
    /// The supply is switched on; the first event.
    case on
    /// The supply is switched off.
    case off
    /// A byte is written; the message so far is `bytes`.
    case write
    /// The part is addressed for a read.
    case read
    /// The time for which the last answer asked has come.
    case time
  }

  /// The answer to an event; every key is optional.
  struct Answer {
    /// Whether the byte, or the address of a read, is acknowledged.
    ///
    /// Default: `true`.
    var isAcknowledged = true
    /// The bytes to read; ones after the last.
    ///
    /// Default: none.
    var bytes: [UInt8] = []
    /// The time until which the part does not acknowledge its address, in nanoseconds.
    ///
    /// Default: it does.
    var busyUntil: UInt64 = 0
    /// The time until which the part holds SCL, in nanoseconds.
    ///
    /// Default: it does not.
    var stretchUntil: UInt64 = 0
    /// The time of the next `time` event, in nanoseconds.
    ///
    /// Default: none.
    var next: UInt64?
  }

  /// The time within which a program answers, in milliseconds of the machine.
  static let patience: Int32 = 5000

  private let name: String
  private let program: LineProgram
  private var count = 0

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - arguments: the program, looked up in PATH, and its arguments.
  ///   - folder: its working directory.
  /// - Throws: `Failure` of kind unavailable if it cannot be started.
  init(_ arguments: [String], in folder: String) throws(Failure) {
    name = arguments.joined(separator: " ")
    program = try LineProgram(
      ["/bin/sh", "-c", #"cd -- "$0" && exec "$@""#, folder] + arguments,
      // Python would write the lines of a pipe late.
      environment: ["PYTHONUNBUFFERED": "1"])
  }

  /// Passes an event to the program and returns its answer.
  ///
  /// - Throws: `Failure` of kind unavailable if there is no valid answer; the program has been ended.
  func answer(
    to event: Event, at time: UInt64, _ fields: [(key: String, value: JSONValue)]
  ) throws(Failure) -> Answer {
    count += 1
    let line = JSONValue.object(
      [("t", .integer(time)), ("event", .string(event.rawValue))] + fields
    ).compact
    guard !program.hasLine else { throw fail("answered twice", before: line) }
    program.trimErrors()
    let isSent = program.sendLine(line)
    switch program.next(milliseconds: isSent ? Self.patience : 100) {
    case .nothing where !isSent: throw fail("does not take its input", line)
    case .nothing:
      throw fail(
        "did not answer within \(Self.patience / 1000) s (does it flush each line of its output?)",
        line)
    case .endless: throw fail("answered with more than \(LineProgram.longestLine) bytes", line)
    case .ended: throw fail("has ended with \(program.ending)", line)
    case .line(let bytes):
      do throws(AnswerError) {
        return try Answer(reading: bytes, after: time)
      } catch {
        throw fail(
          "answered '\(String(decoding: bytes, as: UTF8.self).clipped)': \(error.text)", line)
      }
    }
  }

  private func fail(_ what: String, _ event: String) -> Failure {
    program.stop()
    // What the program said itself is more than its last line.
    let said = program.lastErrors(12).map { "the part said: \($0.clipped)" }
    return Failure(
      .unavailable, ["the part '\(name)' \(what), at event \(count): \(event)"] + said)
  }

  private func fail(_ what: String, before event: String) -> Failure {
    program.stop()
    return Failure(.unavailable, "the part '\(name)' \(what), before event \(count): \(event)")
  }
}

/// What is wrong with an answer.
private struct AnswerError: Error {
  let text: String
}

extension PartProgram.Answer {
  private static let keys = ["ack", "bytes", "busy", "stretch", "next"]

  fileprivate init(reading line: [UInt8], after time: UInt64) throws(AnswerError) {
    guard let object = JSONValue(reading: line)?.object else {
      throw AnswerError(text: "it is not a JSON object")
    }
    for (key, value) in object {
      switch key {
      case "ack":
        guard case .bool(let isTrue) = value else {
          throw AnswerError(text: "ack is true or false")
        }
        isAcknowledged = isTrue
      case "bytes":
        let numbers = (value.array ?? []).map { $0.whole.flatMap(UInt8.init(exactly:)) }
        guard value.array != nil, numbers.allSatisfy({ $0 != nil }) else {
          throw AnswerError(text: "bytes is a list of numbers from 0 to 255")
        }
        bytes = numbers.compactMap(\.self)
      case "busy": busyUntil = try Self.time(value, key)
      case "stretch": stretchUntil = try Self.time(value, key)
      case "next":
        let next = try Self.time(value, key)
        guard next > time else { throw AnswerError(text: "next must be later than the event") }
        self.next = next
      default:
        throw AnswerError(
          text: "unknown key '\(key.clipped)'" + NearestWord.hint(key, among: Self.keys))
      }
    }
  }

  private static func time(_ value: JSONValue, _ key: String) throws(AnswerError) -> UInt64 {
    guard let time = value.whole.flatMap(UInt64.init(exactly:)) else {
      throw AnswerError(text: "\(key) is a time in nanoseconds, a whole number")
    }
    return time
  }
}

extension JSONValue {
  /// The whole number that this is; `nil` for other values.
  fileprivate var whole: Int? {
    guard case .number(let text) = self else { return nil }
    return Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
  }
}
