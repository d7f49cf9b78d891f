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

  @Test("a chip's name is found with its line, in code and in a sentence, but not in a comment")
  func chips() {
    let source = """
      import BME280
      /// Such as a BME280.
      let text = "no bme280 here"  // a BME280
      let other = 1  // a BME280
      """
    #expect(SourceText.names(of: ["BME280"], in: source).map(\.line) == [1, 3])
    #expect(SourceText.names(of: ["SHT21"], in: source).isEmpty)
  }

  @Test("a board's name is found in types, in a sentence and as the word of rigs, and in no adverb")
  func boards() {
    let source = """
      let board = TinyBoard()
      /// Such as a Tiny.
      let text = "behind a Tiny"
      let word = ["tiny"]
      let other = "Tinyish, destiny"
      """
    #expect(SourceText.names(ofBoard: "Tiny", in: source).map(\.line) == [1, 3, 4])
  }

  @Test("a page's files are found: from the top, next to the last, above it, by an ending; or not")
  func pages() {
    let there = [
      "Sources/Rig/A/B+C.swift", "Sources/Rig/A/B+D.swift", "Sources/Rig/F/G.swift", "Tests/Rig/x",
    ]
    let text = "`Rig/A/B+C.swift`, `+D`, `E.swift`, `a word`, `Word`, `F/G.swift`, `Tests/Rig/x`"
    let files = HousePage.files(in: text, exists: there.contains)
    #expect(
      files.map(\.path) == [
        "Sources/Rig/A/B+C.swift", "Sources/Rig/A/B+D.swift", nil, "Sources/Rig/F/G.swift",
        "Tests/Rig/x",
      ])
  }

  @Test("a mark in a string is told, one in a comment is not")
  func marks() {
    #expect(SourceText.tells("<testsuite", in: #"let text = "<testsuite>""#))
    #expect(!SourceText.tells("<testsuite", in: "  /// It writes <testsuite>.\n"))
  }
}
