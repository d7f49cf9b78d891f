import Foundation
import Support
import TestSupport
import Testing

/// Random documents are parsed as Python's JSON parser parses them.
struct JSONPythonTests {
  /// A Python program that prints the content of each document as a line in hexadecimal, or `-` if
  /// it is invalid.
  ///
  /// Python accepts three things that RFC 8259 does not: NaN, numbers beyond a double, and unpaired surrogates.
  private static let judge = """
    import json, math, sys
    def refuse(word): raise ValueError(word)
    def number(text):
        if math.isinf(float(text)): raise ValueError(text)
        return float(text)
    for line in sys.stdin:
        try:
            text = bytes.fromhex(line.strip()).decode('utf-8')
            value = json.loads(text, parse_constant=refuse, parse_int=number, parse_float=number)
            out = json.dumps(value, ensure_ascii=False, sort_keys=True)
            print(out.encode('utf-8').hex())
        except (ValueError, RecursionError):
            print('-')
    """

  private static func judged(_ documents: [[UInt8]]) throws -> [String] {
    let (python, input, output) = (Process(), Pipe(), Pipe())
    python.executableURL = URL(filePath: "/usr/bin/env")
    python.arguments = ["python3", "-c", judge]
    (python.standardInput, python.standardOutput) = (input, output)
    try python.run()
    let text = documents.map { hexadecimal($0) + "\n" }.joined()
    // Write in a separate thread, because the data do not fit in the buffers of the pipes.
    let writer = Thread {
      try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
      try? input.fileHandleForWriting.close()
    }
    writer.start()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    python.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map(Hexadecimal.digits).joined()
  }

  private static let good = [
    #"{"t":97500,"d":-1.5e-3,"m":[{"w":"d0"},{"r":"6\u0030","n":8}],"e":null,"é":"\ud83d\ude00"}"#,
    #"[true,false,null,"",{},[],0.1,1E5,-0,"\\\"\/\b\f\n\r\t",[[[["x"]]]]]"#,
    #"{"a":{"b":{"c":[1,2,{"d":"e"}]}},"b":"\u00e9 \u20ac","a2":12345678901234567890}"#,
  ]

  @Test("for damaged documents, the parser and Python's json module give the same result")
  func damaged() throws {
    var generator = Seeded("JSON")
    var documents: [[UInt8]] = []
    while documents.count < Repetitions.count(3000, long: 60_000) {
      let start = Array(Self.good.randomElement(using: &generator)?.utf8 ?? "".utf8)
      let document = Mutator.mutated(start, using: &generator)
      // Python rejects a byte order mark and accepts unpaired surrogates.
      let isForeign = document.starts(with: [0xEF, 0xBB, 0xBF]) || Self.hasHalf(document)
      if !isForeign { documents.append(document) }
    }
    let verdicts = try Self.judged(documents)
    try #require(verdicts.count == documents.count)
    for (document, verdict) in zip(documents, verdicts) {
      let shown = String(decoding: document, as: UTF8.self)
      let own = JSONValue(reading: document)
      #expect((own == nil) == (verdict == "-"), "\(shown.debugDescription)")
      guard let own, verdict != "-" else { continue }
      let other = try #require(JSONValue(reading: bytes(verdict)))
      #expect(Self.isSame(own, other), "\(shown.debugDescription)")
    }
    #expect(verdicts.contains("-") && verdicts.contains { $0 != "-" })
  }

  /// Returns whether a document may contain an escape of an unpaired surrogate.
  private static func hasHalf(_ document: [UInt8]) -> Bool {
    let text = String(decoding: document, as: UTF8.self)
    let whole = text.replacing("\\ud83d\\ude00", with: "")
    return whole.contains(/\\u[dD][89a-fA-F]/)
  }

  /// Returns whether two documents have the same content.
  ///
  /// If a key occurs several times, its last value counts.
  private static func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
    switch (one, other) {
    case (.null, .null): return true
    case (.bool(let one), .bool(let other)): return one == other
    case (.number, .number): return one.double == other.double
    case (.string(let one), .string(let other)): return Array(one.utf8) == Array(other.utf8)
    case (.array(let one), .array(let other)):
      return one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1) }
    case (.object(let one), .object(let other)):
      let keys = Set(one.map { Array($0.key.utf8) })
      guard keys == Set(other.map { Array($0.key.utf8) }) else { return false }
      return keys.allSatisfy { key in
        let mine = one.last { Array($0.key.utf8) == key }
        let theirs = other.last { Array($0.key.utf8) == key }
        guard let mine, let theirs else { return false }
        return isSame(mine.value, theirs.value)
      }
    default: return false
    }
  }
}
