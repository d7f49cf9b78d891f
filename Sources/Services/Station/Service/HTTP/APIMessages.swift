import CZlib
import Forecasts
package import Support

/// A GET request, whose path and parameters are parsed from the request target only.
package struct APIRequest: Sendable {
  /// The maximum length of the path and the query together, in bytes.
  package static let longest = 8192

  /// The decoded path.
  package let path: String
  /// The decoded parameters, in order.
  package let parameters: [(name: String, value: String)]

  /// Parses a request target; the result is `nil` if the target is too long or its encoding is
  /// invalid.
  package init?(target: String) {
    guard target.utf8.count <= Self.longest, target.hasPrefix("/") else { return nil }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = Self.decoded(parts[0], plus: false) else { return nil }
    self.path = path
    var parameters: [(name: String, value: String)] = []
    if parts.count == 2 {
      for pair in parts[1].split(separator: "&") {
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = Self.decoded(sides[0], plus: true),
          let value = Self.decoded(sides.count == 2 ? sides[1] : "", plus: true)
        else { return nil }
        parameters.append((name, value))
        guard parameters.count <= 500 else { return nil }
      }
    }
    self.parameters = parameters
  }

  private static func decoded(_ text: Substring, plus: Bool) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plus: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    guard !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }

  /// Returns the last value of a parameter, ignoring the case of its name; `nil` if it is missing or empty.
  package func value(_ name: String) -> String? {
    let wanted = name.lowercased()
    let found = parameters.last { $0.name.lowercased() == wanted }?.value
    return found?.isEmpty == true ? nil : found
  }

  /// The parameters that are lists of variables, and may be empty.
  private static let variables = ["hourly", "daily", "current", "minutely_15"]
  /// The parameters that are lists and may be repeated.
  private static let lists =
    variables + ["latitude", "longitude", "timezone", "elevation", "models"]

  /// The name of a parameter that is repeated, ignoring case; `nil` if no parameter is.
  ///
  /// Lists may be repeated.
  var repeated: String? {
    var seen: Set<String> = []
    return parameters.first {
      let name = $0.name.lowercased()
      return !Self.lists.contains($0.name) && !seen.insert(name).inserted
    }?.name
  }

  /// The name of a parameter that has no value; `nil` if all parameters have one.
  ///
  /// Lists of variables may be empty.
  var empty: String? {
    parameters.first { $0.value.isEmpty && !Self.variables.contains($0.name) }?.name
  }

  /// Returns the error for an unknown parameter, ignoring case; `nil` if all parameters are known.
  func unknownParameter(known: [String]) -> HTTPError? {
    let names = known.map { $0.lowercased() }
    let unknown = parameters.first { !names.contains($0.name.lowercased()) }
    return unknown.map {
      HTTPError(
        status: 400, code: "unknown_parameter",
        message: "unknown parameter \(HTTPError.quoted($0.name))"
          + NearestWord.hint($0.name, among: known) + "; "
          + (known.isEmpty
            ? "there are none for this path" : "accepted are \(known.joined(separator: ", "))"))
    }
  }

  /// Returns the comma-separated words in all parameters that have a name, without spaces around them.
  func words(_ name: String) -> [String] {
    parameters.filter { $0.name == name }.flatMap { parameter in
      parameter.value.split(separator: ",").map { word in
        var word = word.drop { $0 == " " }
        while word.last == " " { word.removeLast() }
        return String(word)
      }
    }
  }

  /// Parses a decimal number with an optional sign, fraction and exponent; words such as `nan` are
  /// rejected.
  static func decimal(_ text: String) -> Double? {
    guard text.utf8.count <= 24,
      text.utf8.allSatisfy({
        (48...57).contains($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
          || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E")
      }), let number = Double(text), number.isFinite
    else { return nil }
    return number
  }

  /// Parses a whole number.
  static func whole(_ text: String) -> Int? {
    guard text.utf8.count <= 18,
      text.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: "-") })
    else { return nil }
    return Int(text)
  }
}

/// A parser of times in RFC 3339, such as `2026-11-23T06:00:00+01:00`.
enum Moment {
  /// Parses a time as whole seconds since 1970; fractions of a second are dropped.
  ///
  /// A date alone means the first second of that day, and a time without a time zone is in UTC. A
  /// space before the offset is taken as a plus sign that was not encoded.
  static func read(_ text: String) -> Int? {
    var rest = Substring(text)
    guard let year = number(&rest, 4), take("-", &rest), let month = number(&rest, 2),
      take("-", &rest), let day = number(&rest, 2)
    else { return nil }
    if rest.isEmpty { return CivilTime.seconds(year, month, day) }
    guard take("T", &rest) || take("t", &rest) || take(" ", &rest) || take("_", &rest),
      let hour = number(&rest, 2), take(":", &rest), let minute = number(&rest, 2)
    else { return nil }
    var second = 0
    if take(":", &rest) {
      guard let read = number(&rest, 2), read <= 60 else { return nil }
      second = read
      if take(".", &rest) {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard (1...12).contains(digits.count) else { return nil }
        rest.removeFirst(digits.count)
      }
    }
    // Second 60 of a leap second is taken as the first second of the next minute.
    guard let shift = zone(&rest), rest.isEmpty,
      let moment = CivilTime.seconds(year, month, day, hour, minute, min(second, 59))
    else { return nil }
    return moment + (second == 60 ? 1 : 0) - shift
  }

  /// Parses the offset to UTC, in seconds east of Greenwich.
  private static func zone(_ rest: inout Substring) -> Int? {
    if rest.isEmpty || take("Z", &rest) || take("z", &rest) { return 0 }
    let isWest = take("-", &rest)
    guard isWest || take("+", &rest) || take(" ", &rest), let hours = number(&rest, 2), hours < 24,
      take(":", &rest), let minutes = number(&rest, 2), minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (isWest ? -60 : 60)
  }

  private static func take(_ letter: Character, _ rest: inout Substring) -> Bool {
    guard rest.first == letter else { return false }
    rest.removeFirst()
    return true
  }

  private static func number(_ rest: inout Substring, _ digits: Int) -> Int? {
    let head = rest.prefix(digits)
    guard head.utf8.count == digits, head.utf8.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    rest.removeFirst(digits)
    return Int(head)
  }
}

package struct APIResponse: Sendable {
  /// The HTTP status.
  package var status: Int
  /// The media type of the body.
  package var type: String
  package var body: [UInt8]
  /// `true` if the response stays the same until the forecasts change, so it may be cached.
  package var isKept = false
  /// The gzip-compressed body of a cached response; `nil` if it was not compressed.
  package var compressed: [UInt8]?
  /// The additional header fields.
  package var fields: [(String, String)] = []

  /// Creates a JSON response.
  package static func json(_ value: JSONValue, status: Int = 200) -> APIResponse {
    APIResponse(
      status: status, type: "application/json; charset=utf-8", body: Array(value.compact.utf8))
  }

  /// Creates an error response in the format shared by the four services and the station.
  package static func failure(_ status: Int, _ code: String, _ message: String) -> APIResponse {
    json(
      .object([("error", .object([("code", .string(code)), ("message", .string(message))]))]),
      status: status)
  }
}

/// An error that is returned to the client.
struct HTTPError: Error {
  let status: Int
  let code: String
  let message: String
  /// The additional members of the error in Open-Meteo's format.
  var more: [(key: String, value: JSONValue)] = []

  var response: APIResponse { .failure(status, code, message) }

  /// Returns the error in the format of a path, which is Open-Meteo's for its service.
  func response(for path: some StringProtocol) -> APIResponse {
    path == "/v1/forecast" ? openMeteo : response
  }

  /// The error response in Open-Meteo's format.
  var openMeteo: APIResponse {
    .json(
      .object(
        [("error", .bool(true)), ("reason", .string(message)), ("code", .string(code))] + more),
      status: status == 404 ? 400 : status)
  }

  /// Returns a word from the client in quotes, truncated to 40 characters.
  static func quoted(_ text: String) -> String {
    let plain = String(text.unicodeScalars.prefix(40).map { $0.value < 32 ? "?" : Character($0) })
    return "'\(plain)'"
  }
}

/// The gzip compression of bodies.
enum Gzip {
  /// Compresses bytes; the result is `nil` if they do not become smaller.
  static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard station_gzip_begin(&stream) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 32)
    let status = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        return deflate(&stream, Z_FINISH)
      }
    }
    guard status == Z_STREAM_END, Int(stream.total_out) < bytes.count else { return nil }
    return Array(output.prefix(Int(stream.total_out)))
  }
}
