import Testing
import Text

/// Tables of a terminal.
struct PlainTableTests {
  @Test("columns stand below their heads, words to the left and numbers to the right")
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
