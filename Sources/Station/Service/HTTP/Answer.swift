/// What a client is told.
package struct Answer: Sendable {
  /// The status.
  package var status: Int
  /// The kind of the body.
  package var type: String
  /// The body.
  package var body: [UInt8]
  /// Whether it is the same until the forecasts change, and may be kept.
  package var isKept = false
  /// The body in gzip, of an answer that is given more than once.
  package var squeezed: [UInt8]?
  /// More header fields.
  package var fields: [(String, String)] = []

  /// An answer in JSON.
  package static func json(_ value: JSON, status: Int = 200) -> Answer {
    Answer(status: status, type: "application/json; charset=utf-8", body: value.bytes)
  }

  /// A refusal of the four services and of the station's own.
  package static func failure(_ status: Int, _ code: String, _ message: String) -> Answer {
    json(
      .object([("error", .object([("code", .string(code)), ("message", .string(message))]))]),
      status: status)
  }
}

/// Why a question cannot be answered.
struct Refusal: Error {
  let status: Int
  let code: String
  let message: String
  /// What programs may want to know besides, in Open-Meteo's shape.
  var more: [(String, JSON)] = []

  var answer: Answer { .failure(status, code, message) }

  /// The same in Open-Meteo's shape.
  var openMeteo: Answer {
    .json(
      .object(
        [("error", .bool(true)), ("reason", .string(message)), ("code", .string(code))] + more),
      status: status == 404 ? 400 : status)
  }

  /// A word of a client, short enough to be repeated to it.
  static func quoted(_ text: String) -> String {
    let plain = String(text.unicodeScalars.prefix(40).map { $0.value < 32 ? "?" : Character($0) })
    return "'\(plain)'"
  }
}
