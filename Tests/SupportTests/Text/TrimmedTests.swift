import Foundation
import Support
import Testing

/// Surrounding blanks are removed as in Foundation, and inner blanks are kept.
struct TrimmedTests {
  @Test("the characters trimmed as blanks are exactly those of Foundation's CharacterSet")
  func everyCharacter() {
    for scalar in (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
      let text = "\(Character(scalar))"
      let isBlank = CharacterSet.whitespaces.contains(scalar)
      let isBlankOrEnd = CharacterSet.whitespacesAndNewlines.contains(scalar)
      if text.trimmed.isEmpty != isBlank || text.trimmedLines.isEmpty != isBlankOrEnd {
        Issue.record("U+\(String(scalar.value, radix: 16))")
      }
    }
  }

  @Test(
    "inner blanks are kept",
    arguments: [
      (" \t a b \t", "a b"), ("", ""), (" \t ", ""), ("a", "a"), ("\u{A0}é\u{3000}", "é"),
      ("\n a \n", "\n a \n"), (" \u{301}a", " \u{301}a".trimmingCharacters(in: .whitespaces)),
    ])
  func within(text: String, trimmed: String) { #expect(text.trimmed == trimmed) }

  @Test("'trimmedLines' removes line endings, and 'trimmed' keeps them")
  func lines() { #expect("\r\n\u{2028} a\nb \n\n".trimmedLines == "a\nb") }
}
