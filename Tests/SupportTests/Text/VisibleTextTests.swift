import Support
import TestSupport
import Testing

/// Text from outside is displayed completely and without side effects.
struct VisibleTextTests {
  @Test(
    "a character that a terminal would interpret becomes a visible escape",
    arguments: [
      ("plain", "plain"), ("21 °C, ±0.5 %, é, 漢字, ⣿", "21 °C, ±0.5 %, é, 漢字, ⣿"),
      ("a\n::error::x", "a\\n::error::x"), ("a\r\nb\tc", "a\\r\\nb\\tc"),
      ("\u{1B}[31mred", "\\u{1B}[31mred"), ("\u{7F}\u{9B}2J", "\\u{7F}\\u{9B}2J"),
      ("user\u{202E}gpj.exe", "user\\u{202E}gpj.exe"),
      ("a\u{2066}b\u{2069}", "a\\u{2066}b\\u{2069}"),
      ("a\u{2028}b\u{2029}c\u{85}", "a\\u{2028}b\\u{2029}c\\u{85}"), ("\u{FEFF}a", "\\u{FEFF}a"),
      ("\u{E0041}", "\\u{E0041}"), ("\0", "\\u{0}"), ("👩\u{200D}🚀", "👩\u{200D}🚀"),
    ])
  func visible(_ text: String, _ shown: String) {
    #expect(text.visible == shown)
    #expect(text.visible.visible == shown, "it is safe already")
    #expect(TerminalText.safe(text.visible) == shown)
  }

  @Test(
    "text that a CI service would interpret as a command is escaped",
    arguments: [
      ("::error::x", "\\u{3A}:error::x"), ("  ::group::", "  \\u{3A}:group::"),
      ("a ::error:: b", "a ::error:: b"), ("a ##[error]b", "a \\u{23}#[error]b"), ("a::b", "a::b"),
    ])
  func services(_ text: String, _ shown: String) {
    #expect(text.visible == shown)
    #expect(TerminalText.line(text) == shown)
    #expect("first\n\(text)".visibleLines == "first\n\(shown)")
  }

  @Test("'visibleLines' keeps line endings")
  func lines() {
    #expect("a\nb\r\u{1B}".visibleLines == "a\nb\\r\\u{1B}")
  }

  @Test("a quoted text is clipped to 60 characters")
  func clipped() {
    #expect("short".clipped == "short")
    #expect(String(repeating: "x", count: 60).clipped.count == 60)
    #expect(String(repeating: "x", count: 61).clipped == String(repeating: "x", count: 57) + "...")
    #expect(String(repeating: "\u{1B}", count: 1000).clipped.unicodeScalars.count == 60)
    let tall = "e" + String(repeating: "\u{301}", count: 1_000_000)
    #expect(tall.clipped.unicodeScalars.count == 60)
  }

  @Test("escape sequences for styles and the progress line are kept, and others are escaped")
  func terminal() {
    let own = "\u{1B}[32mok\u{1B}[0m\n\r\u{1B}[Kaneroid: 3 %"
    #expect(TerminalText.safe(own) == own)
    #expect(
      TerminalText.safe("\u{1B}[8mhidden\u{1B}]0;title\u{7}")
        == "\\u{1B}[8mhidden\\u{1B}]0;title\\u{7}")
    #expect(TerminalText.line("\u{1B}[1ma\nb\u{1B}[0m") == "\u{1B}[1ma\\nb\u{1B}[0m")
    #expect(TerminalText.safe("a\rb\u{1B}") == "a\\rb\\u{1B}")
  }

  @Test("escaped text contains nothing that a terminal interprets")
  func any() {
    var generator = Seeded("hostile text")
    for _ in 0..<5000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...20, using: &generator) {
        let range: ClosedRange<UInt32> =
          Bool.random(using: &generator)
          ? 0...0x20 : Bool.random(using: &generator) ? 0x2000...0x2070 : 0...0x10FFFF
        if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) {
          text.unicodeScalars.append(scalar)
        }
      }
      let forbidden: (Unicode.Scalar) -> Bool = {
        $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || (0x202A...0x202E).contains($0.value)
          || (0x2066...0x2069).contains($0.value)
          || [0x2028, 0x2029, 0x200E, 0x200F, 0x61C].contains($0.value)
      }
      #expect(!text.visible.unicodeScalars.contains(where: forbidden), "seed \(generator.seed)")
    }
  }
}
