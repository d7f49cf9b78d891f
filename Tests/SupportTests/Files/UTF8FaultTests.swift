import Support
import Testing

/// The position of the first byte that is not UTF-8.
struct UTF8FaultTests {
  @Test("valid UTF-8 in any script has no fault")
  func sound() {
    for text in ["", "a", "caf\u{E9}\n", "\u{1F600}\u{FFFF}\u{0}", "\u{FEFF}a"] {
      #expect(UTF8Fault(in: Array(text.utf8)) == nil)
    }
  }

  @Test(
    "the reported offset, line and column are those of the first invalid byte",
    arguments: [
      ([0x61, 0xE9], 1, 1, 2), ([0x61, 0x0A, 0xC3, 0xA9, 0xE9, 0x0A, 0xE9], 4, 2, 2),
      // A truncated sequence, an overlong sequence, a surrogate, and a value beyond Unicode.
      ([0x0A, 0xE2, 0x82], 1, 2, 1), ([0xC0, 0x80], 0, 1, 1), ([0x61, 0xED, 0xA0, 0x80], 1, 1, 2),
      ([0xF4, 0x90, 0x80, 0x80], 0, 1, 1), ([0x80], 0, 1, 1),
    ] as [([UInt8], Int, Int, Int)])
  func place(bytes: [UInt8], offset: Int, line: Int, column: Int) throws {
    let fault = try #require(UTF8Fault(in: bytes))
    #expect((fault.offset, fault.line, fault.column) == (offset, line, column))
    #expect(fault.byte == bytes[offset])
  }

  @Test("a Latin-1 file is rejected with its byte, offset, line and column")
  func latin1() {
    let bytes: [UInt8] = Array("name: ok\nnote: caf".utf8) + [0xE9, 0x0A]
    let position = "byte 0xE9 at offset 18 (line 2, column 10)"
    let words = ["r.yaml: the file is not UTF-8 text: \(position); save it as UTF-8"]
    let whole = #expect(throws: Failure.self) { try InputFile(bytes, named: "r.yaml").text() }
    let read = #expect(throws: Failure.self) {
      try TextFile.read(InputFile(bytes, named: "r.yaml"))
    }
    #expect(whole?.messages == words && read?.messages == words)
  }

  @Test("a UTF-16 file is identified as UTF-16")
  func utf16() throws {
    let fault = try #require(UTF8Fault(in: [0xFF, 0xFE, 0x61, 0]))
    #expect(fault.words.contains("byte order mark of UTF-16"))
  }

  @Test("a table field that is not UTF-8 is rejected with its offset in the whole file")
  func table() throws {
    let rows = (0..<20_000).map { "\($0),ok\n" }.joined()
    let bytes = Array(rows.utf8) + Array("x,\u{B0}".utf8) + [0xB0, 0x0A]
    var chunks = stride(from: 0, to: bytes.count, by: 1000).map {
      Array(bytes[$0..<min(bytes.count, $0 + 1000)])
    }
    var table = CSV { () throws(Failure) in chunks.isEmpty ? nil : chunks.removeFirst() }
    for _ in 0..<20_001 { #expect(try table.nextRow()) }
    let error = #expect(throws: CSV.FormatError.self) { _ = try table.texts() }
    #expect(error?.line == 20_001 && error?.column == 4)
    let position = "byte 0xB0 at offset \(bytes.count - 2)"
    #expect(error?.message == "a field is not UTF-8 text: \(position); save the file as UTF-8")
  }
}
