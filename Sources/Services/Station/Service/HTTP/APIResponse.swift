import CZlib
package import Support

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
