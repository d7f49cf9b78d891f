import Support
import Testing

/// Fields, rows and lines of CSV tables.
struct CSVTests {
  /// Returns all rows of a text, each with the number of its first line.
  static func rows(_ text: String, _ form: CSV.Form = CSV.Form()) throws -> [(Int, [String])] {
    var csv = CSV(Array(text.utf8), form)
    var rows: [(Int, [String])] = []
    while try csv.nextRow() { rows.append((csv.line, try csv.texts())) }
    return rows
  }

  @Test("quotes, both line endings, a byte order mark and empty lines are parsed")
  func usual() throws {
    let rows = try Self.rows("\u{FEFF}a,\"b, \"\"c\"\"\"\r\n\r\n\"x\ny\",2\n,\n")
    #expect(rows.map(\.0) == [1, 3, 5])
    #expect(rows.map(\.1) == [["a", "b, \"c\""], ["x\ny", "2"], ["", ""]])
  }

  @Test("a line that begins with # is a row unless the dialect has comments")
  func comments() throws {
    let text = "# one\na,b\n#two\r\n1,2\n# three"
    #expect(try Self.rows(text).count == 5)
    let rows = try Self.rows(text, CSV.Form(hasComments: true))
    #expect(rows.map(\.0) == [2, 4] && rows.map(\.1) == [["a", "b"], ["1", "2"]])
  }

  @Test("blanks around a field are kept unless the dialect ignores padding")
  func padding() throws {
    let text = " a , \"b c\" ,\td"
    #expect(try Self.rows(text).first?.1 == [" a ", " \"b c\" ", "\td"])
    #expect(try Self.rows(text, CSV.Form(isPadded: true)).first?.1 == ["a", "b c", "d"])
  }

  @Test(
    "semicolons and tabs can separate fields, and a tab that separates is not skipped as a blank")
  func separators() throws {
    let form = CSV.Form(separators: ",;\t", isPadded: true)
    #expect(CSV.fields(of: "1;2,\"3;4\"\t\t 5 ".utf8, form) == ["1", "2", "3;4", "", "5"])
    #expect(CSV.fields(of: "".utf8, form) == nil)
    #expect(CSV.fields(of: "\"1".utf8, form) == nil)
  }

  @Test(
    "an invalid table is rejected with its line and column",
    arguments: [
      ("a\n\"b", 2, 1, "a quote is not closed"),
      ("a\n\"b\"c\n", 2, 4, "text after a closing quote"),
      ("a\n\n\"b\nc\"d", 4, 3, "text after a closing quote"),
      ("a\nä,ü,\"", 2, 5, "a quote is not closed"),
    ])
  func problems(_ text: String, _ line: Int, _ column: Int, _ message: String) {
    let problem = #expect(throws: CSV.FormatError.self) { try Self.rows(text) }
    #expect(problem?.line == line && problem?.column == column)
    #expect(problem?.message.hasPrefix(message) == true)
    let position = "t.csv:\(line):\(column): "
    #expect(problem?.failure(in: "t.csv").messages.first?.hasPrefix(position) == true)
  }

  @Test(
    "an invalid field is reported with its line and column, even after a multi-line field")
  func fields() throws {
    var table = CSV(Array("\u{FEFF}a,b,c\nx,\"y\nz\",no\n".utf8))
    #expect(try table.nextRow())
    #expect(table.problem(0, "no") == CSV.FormatError(line: 1, column: 1, message: "no"))
    #expect(try table.nextRow())
    #expect(table.problem(1, "no") == CSV.FormatError(line: 2, column: 4, message: "no"))
    #expect(table.problem(2, "no") == CSV.FormatError(line: 3, column: 4, message: "no"))
  }

  @Test("a text read in chunks is parsed like the whole text, wherever it is cut")
  func chunks() throws {
    let text = Array("\u{FEFF}a,\"b\"\"\"\r\n# no\r\n1,2\n".utf8)
    for cut in 0...text.count {
      var parts = [Array(text[..<cut]), Array(text[cut...])]
      var csv = CSV({ parts.isEmpty ? nil : parts.removeFirst() }, CSV.Form(hasComments: true))
      var rows: [[String]] = []
      while try csv.nextRow() { rows.append(try csv.texts()) }
      #expect(rows == [["a", "b\""], ["1", "2"]], "\(cut)")
    }
  }
}
