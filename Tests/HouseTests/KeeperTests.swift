import Testing

/// The keeper of the house is itself kept: what it looks for is found in sources that are made wrong.
struct KeeperTests {
  @Test("a circle of two folders is told from both sides, with an example")
  func circle() {
    let room = Room(
      name: "T",
      files: [
        "A/One.swift": "struct One { var other: Two }\n",
        "B/Two.swift": "struct Two { var other: One? }\n",
      ])
    #expect(
      room.circles == [
        "T: 'A' needs 'B', which needs it: A/One.swift names Two",
        "T: 'B' needs 'A', which needs it: B/Two.swift names One",
      ])
  }

  @Test("a circle of three is one, a way down is none")
  func longCircle() {
    var files = [
      "A/One.swift": "struct One { var other: Two }",
      "B/Two.swift": "struct Two { var other: Three }",
      "C/Three.swift": "struct Three {}",
    ]
    #expect(Room(name: "T", files: files).circles == [])
    files["C/Four.swift"] = "extension One {}"
    #expect(Room(name: "T", files: files).circles.count == 3)
  }

  @Test("comments, strings and private types name nothing")
  func quiet() {
    let room = Room(
      name: "T",
      files: [
        "A/One.swift": "// Two\nstruct One { let text = \"Two\"; let long = \"\"\"\nTwo\n\"\"\" }",
        "B/Two.swift": "struct Two { let one: One }\nprivate struct Three {}",
        "A/Four.swift": "let x: Three",
      ])
    #expect(room.circles == [])
    #expect(room.types["B"] == ["Two"])
  }

  @Test(
    "a search in a message's words is found, a search for a form is not",
    arguments: [
      (#"if finding.message.contains(" fired 0 ") {"#, true),
      (#"story.filter { $0.text.hasPrefix("hatch") }"#, true),
      (#"text.hasPrefix("0x")"#, false), (#"// text.hasPrefix("hatch")"#, false),
      (#"names.contains("hatch")"#, false),
    ])
  func searches(line: String, isSearch: Bool) {
    #expect(SourceText.searches(in: line).isEmpty == !isSearch)
  }

  @Test("a row that is split by hand is found, a list of options is not")
  func rows() {
    let splits = [
      #"line.split(separator: ",", omittingEmptySubsequences: false)"#,
      #"line.split(omittingEmptySubsequences: false) { ",;".contains($0) }"#,
    ]
    #expect(SourceText.splitsRows(splits.joined(separator: "\n")).count == 2)
    #expect(SourceText.splitsRows(#"text.split(separator: ",")"#) == [])
  }

  @Test("a mark in a string is told, one in a comment is not")
  func marks() {
    #expect(SourceText.tells("<testsuite", in: #"let text = "<testsuite>""#))
    #expect(!SourceText.tells("<testsuite", in: "  /// It writes <testsuite>.\n"))
  }
}
