import Support
import Testing

/// Tables for a terminal.
struct PlainTableTests {
  @Test("words are left-aligned and numbers right-aligned below their headings")
  func columns() {
    let table = PlainTable(["word", "hours"], [["fine", "7"], ["becoming fine", "1042"]])
    #expect(
      table.lines == [
        "word            hours",
        "fine                7",
        "becoming fine    1042",
      ])
  }
}
