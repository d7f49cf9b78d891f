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

  private let program: SupervisedProgram

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - arguments: the program, looked up in PATH, and its arguments.
  ///   - folder: its working directory.
  /// - Throws: `Failure` of kind unavailable if it cannot be started.
  init(_ arguments: [String], in folder: String) throws(Failure) {
    program = try SupervisedProgram("part", arguments, in: folder)
  }

  /// Passes an event to the program and returns its answer.
  ///
  /// - Throws: `Failure` of kind unavailable if there is no valid answer; the program has been ended.
  func answer(
    to event: Event, at time: UInt64, _ fields: [(key: String, value: JSONValue)]
  ) throws(Failure) -> Answer {
    let line = JSONValue.object(
      [("t", .integer(time)), ("event", .string(event.rawValue))] + fields
    ).compact
    return try program.answer(to: line) { object throws(InvalidAnswer) in
      try Answer(object, after: time)
    }
  }
}

extension PartProgram.Answer {
  private static let keys = ["ack", "bytes", "busy", "stretch", "next"]

  fileprivate init(
    _ object: [(key: String, value: JSONValue)], after time: UInt64
  ) throws(InvalidAnswer) {
    for (key, value) in object {
      switch key {
      case "ack":
        guard case .bool(let isTrue) = value else {
          throw InvalidAnswer("ack is true or false")
        }
        isAcknowledged = isTrue
      case "bytes":
        let numbers = (value.array ?? []).map { $0.wholeNumber.flatMap(UInt8.init(exactly:)) }
        guard value.array != nil, numbers.allSatisfy({ $0 != nil }) else {
          throw InvalidAnswer("bytes is a list of numbers from 0 to 255")
        }
        bytes = numbers.compactMap(\.self)
      case "busy": busyUntil = try Self.time(value, key)
      case "stretch": stretchUntil = try Self.time(value, key)
      case "next":
        let next = try Self.time(value, key)
        guard next > time else { throw InvalidAnswer("next must be later than the event") }
        self.next = next
      default:
        throw InvalidAnswer(unknownKey: key, of: Self.keys)
      }
    }
  }

  private static func time(_ value: JSONValue, _ key: String) throws(InvalidAnswer) -> UInt64 {
    guard let time = value.wholeNumber.flatMap(UInt64.init(exactly:)) else {
      throw InvalidAnswer("\(key) is a time in nanoseconds, a whole number")
    }
    return time
  }
}
