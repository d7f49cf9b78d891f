import I2CTrace
import Testing

/// A trace that is not UTF-8 is rejected with the position of the first invalid byte in the file.
struct TraceEncodingTests {
  private static let header = #"{"i2ctrace":1,"buses":[{"number":1}]}"#
  private static let good = #"{"t":0,"d":1,"a":"0x76","m":[{"w":"d0"}]}"#

  /// Returns the error for a file that is read in chunks of a given size.
  private static func error(_ bytes: [UInt8], chunk: Int) -> TraceError? {
    var rest = bytes[...]
    do {
      var reader = try TraceReader {
        defer { rest = rest.dropFirst(chunk) }
        return rest.isEmpty ? nil : Array(rest.prefix(chunk))
      }
      while try reader.next() != nil {}
      return nil
    } catch {
      return error as? TraceError
    }
  }

  @Test(
    "a Latin-1 transfer line is rejected with its byte, offset and line", arguments: [7, 4096])
  func transfer(chunk: Int) {
    let before = Array("\(Self.header)\n\(Self.good)\n\(Self.good)\n{\"note\":\"caf".utf8)
    let error = Self.error(before + [0xE9] + Array("\"}\n\(Self.good)\n".utf8), chunk: chunk)
    #expect(error?.line == 4)
    #expect(
      error?.message
        == "the file is not UTF-8 text: byte 0xE9 at offset \(before.count) (line 4, column 13); save it as UTF-8"
    )
  }

  @Test("a Latin-1 header is rejected with its byte and offset")
  func header() {
    let bytes = Array(#"{"i2ctrace":1,"note":"20 "#.utf8)
    let error = Self.error(bytes + [0xB0] + Array("C\"}\n".utf8), chunk: 4096)
    #expect(
      error?.message
        == "the file is not UTF-8 text: byte 0xB0 at offset 25 (line 1, column 26); save it as UTF-8"
    )
  }

  @Test("a UTF-16 trace is identified as UTF-16")
  func utf16() {
    let units = "\(Self.header)\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let error = Self.error([0xFF, 0xFE] + units, chunk: 4096)
    #expect(error?.message.contains("the byte order mark of UTF-16; save it as UTF-8") == true)
  }

  @Test("a line cut off within a character is reported as cut off, not as invalid")
  func cutOff() {
    let bytes = Array("\(Self.header)\n{\"note\":\"caf".utf8) + [0xC3]
    #expect(Self.error(bytes, chunk: 4096)?.kind == .cutOff)
  }
}
