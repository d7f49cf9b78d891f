import Foundation
import Support
import TestSupport
import Testing

/// JSON is parsed as defined by RFC 8259, and anything else is rejected.
struct JSONReadingTests {
  static func read(_ text: String) -> JSONValue? { JSONValue(reading: text.utf8) }

  @Test(
    "valid JSON is parsed and written unchanged",
    arguments: [
      "{}", "[]", "[[],{}]", "true", "false", "null", "\"\"", "0", "-0", "12", "-1.5e-3", "1E+2",
      "{\"a\":[1,{\"b\":null}],\"\":\"é😀\"}", "{\"z\":1,\"a\":2}", "9223372036854775808",
      "1e308", "5e-324", "1e-400",
    ])
  func good(_ text: String) throws {
    #expect(try #require(Self.read(text)).compact == text)
    #expect(try #require(Self.read(" \t\r\n\(text)\n ")).compact == text)
  }

  @Test(
    "invalid JSON is rejected",
    arguments: [
      "", " ", "[1,]", "{\"a\":1,}", "[,]", "[1 2]", "[1", "]", "[]]", "{1:2}", "{\"a\" 1}",
      "{\"a\":}", "{\"a\"}", "{a:1}", "01", "-", "+1", ".5", "5.", "1e", "1e+", "0x10", "NaN",
      "-Infinity", "nul", "True", "'a'", "\"a", "\"\t\"", "\"\\x\"", "\"\\u12\"", "\"\\u+123\"",
      "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\U0041\"", "// a\n1", "1 x",
      "\u{C}1", "\u{A0}1", "1e400", "-1e400",
    ])
  func bad(_ text: String) { #expect(Self.read(text) == nil) }

  @Test("strings that are not UTF-8 are rejected, with and without escapes")
  func encoding() {
    for content: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] {
      for more in ["", "\\n"] {
        let quote = UInt8(ascii: "\"")
        #expect(JSONValue(reading: [quote] + content + Array(more.utf8) + [quote]) == nil)
      }
    }
  }

  @Test("escapes are decoded to their characters")
  func escapes() {
    #expect(Self.read(#""\"\\\/\b\f\n\r\t""#)?.text == "\"\\/\u{8}\u{C}\n\r\t")
    #expect(Self.read(#""\u0041\u00e9\u20AC\u0000""#)?.text == "Aé€\0")
    #expect(Self.read(#""\ud83d\ude00 \uD800\uDC00 \udbff\udfff""#)?.text == "😀 𐀀 \u{10FFFF}")
  }

  @Test("a byte order mark is skipped at the start only")
  func mark() {
    #expect(Self.read("\u{FEFF}[1]")?.compact == "[1]")
    #expect(Self.read("[\u{FEFF}1]") == nil)
  }

  @Test(
    "128 levels of nesting are accepted, 129 are rejected, and a million do not overflow the stack")
  func depth() {
    func nested(_ depth: Int, _ open: String, _ close: String) -> String {
      String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      #expect(Self.read(nested(128, open, close)) != nil)
      #expect(Self.read(nested(129, open, close)) == nil)
      #expect(Self.read(nested(1_000_000, open, close)) == nil)
    }
  }

  @Test("of duplicate keys the last one is used, and only objects have keys")
  func keys() {
    #expect(Self.read(#"{"a":1,"b":2,"a":3}"#)?["a"]?.whole() == 3)
    #expect(Self.read(#"{"a":1}"#)?["b"] == nil)
    #expect(Self.read(#"["a"]"#)?["a"] == nil)
  }

  @Test("whole numbers at their limits are accepted in any notation")
  func wholeNumbers() {
    #expect(Self.read("9223372036854775807")?.whole() == Int.max)
    #expect(Self.read("-9223372036854775808")?.whole() == Int.min)
    #expect(Self.read("18446744073709551615")?.whole(UInt64.self) == UInt64.max)
    for text in ["3.0", "3e0", "0.3e1", "30E-1"] { #expect(Self.read(text)?.whole() == 3) }
    for text in ["9223372036854775808", "-9223372036854775809", "3.5", "1e300", "true", "\"3\""] {
      #expect(Self.read(text)?.whole() == Int?.none, "\(text)")
    }
    #expect(Self.read("-1")?.whole(UInt64.self) == nil)
    #expect(Self.read("18446744073709551616")?.whole(UInt64.self) == nil)
  }

  @Test("numbers are parsed to the nearest double, and true is not a number")
  func doubles() {
    #expect(Self.read("0.1")?.double == 0.1)
    #expect(Self.read("1.7976931348623157e308")?.double == Double.greatestFiniteMagnitude)
    #expect(Self.read("5e-324")?.double == Double.leastNonzeroMagnitude)
    #expect(Self.read("-0")?.double?.sign == .plus)
    #expect(Self.read("-0.0")?.double?.sign == .minus)
    #expect(Self.read("true")?.double == nil)
    #expect(Self.read(String(repeating: "9", count: 400)) == nil)
  }
}
