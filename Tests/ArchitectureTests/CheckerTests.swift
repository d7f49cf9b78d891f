import Testing

/// The checks themselves find what they look for in deliberately wrong sources.
struct CheckerTests {
  @Test("if two folders depend on each other, both dependencies are reported with an example")
  func circle() {
    let graph = TargetGraph(
      name: "T",
      files: [
        "A/One.swift": "struct One { var other: Two }\n",
        "B/Two.swift": "struct Two { var other: One? }\n",
      ])
    #expect(
      graph.circles == [
        "T: 'A' and 'B' depend on each other: A/One.swift names Two",
        "T: 'B' and 'A' depend on each other: B/Two.swift names One",
      ])
  }

  @Test("a circular dependency of three folders is reported, but a chain of three folders is not")
  func longCircle() {
    var files = [
      "A/One.swift": "struct One { var other: Two }",
      "B/Two.swift": "struct Two { var other: Three }",
      "C/Three.swift": "struct Three {}",
    ]
    #expect(TargetGraph(name: "T", files: files).circles == [])
    files["C/Four.swift"] = "extension One {}"
    #expect(TargetGraph(name: "T", files: files).circles.count == 3)
  }

  @Test("names in comments or strings and private types do not count as dependencies")
  func quiet() {
    let graph = TargetGraph(
      name: "T",
      files: [
        "A/One.swift": "// Two\nstruct One { let text = \"Two\"; let long = \"\"\"\nTwo\n\"\"\" }",
        "B/Two.swift": "struct Two { let one: One }\nprivate struct Three {}",
        "A/Four.swift": "let x: Three",
      ])
    #expect(graph.circles == [])
    #expect(graph.types["B"] == ["Two"])
  }

  @Test(
    "code that searches a message's text is reported; code that searches parsed input is not",
    arguments: [
      (#"if finding.message.contains(" fired 0 ") {"#, true),
      (#"story.filter { $0.text.hasPrefix("hatch") }"#, true),
      (#"text.hasPrefix("0x")"#, false), (#"// text.hasPrefix("hatch")"#, false),
      (#"names.contains("hatch")"#, false),
    ])
  func searches(line: String, isSearch: Bool) {
    #expect(SourceText.searches(in: line).isEmpty == !isSearch)
  }

  @Test("code that splits a table row is reported; code that splits a list of options is not")
  func rows() {
    let splits = [
      #"line.split(separator: ",", omittingEmptySubsequences: false)"#,
      #"line.split(omittingEmptySubsequences: false) { ",;".contains($0) }"#,
    ]
    #expect(SourceText.splitsRows(splits.joined(separator: "\n")).count == 2)
    #expect(SourceText.splitsRows(#"text.split(separator: ",")"#) == [])
  }

  @Test("a chip's name is found with its line number in code and strings, but not in comments")
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

  @Test("a board's name is found in types, sentences and rig keys, but not inside other words")
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

  @Test(
    "file names on a page are resolved as full paths, partial paths or suffixes of the last file")
  func pages() {
    let there = [
      "Sources/Rig/A/B+C.swift", "Sources/Rig/A/B+D.swift", "Sources/Rig/F/G.swift", "Tests/Rig/x",
    ]
    let text = "`Rig/A/B+C.swift`, `+D`, `E.swift`, `a word`, `Word`, `F/G.swift`, `Tests/Rig/x`"
    let files = PageFiles.find(in: text, exists: there.contains)
    #expect(
      files.map(\.path) == [
        "Sources/Rig/A/B+C.swift", "Sources/Rig/A/B+D.swift", nil, "Sources/Rig/F/G.swift",
        "Tests/Rig/x",
      ])
  }

  @Test("the search for an output format finds text in strings, but not in comments")
  func marks() {
    #expect(SourceText.contains("<testsuite", in: #"let text = "<testsuite>""#))
    #expect(!SourceText.contains("<testsuite", in: "  /// It writes <testsuite>.\n"))
  }

  @Test("a function of 61 lines is reported with the number of its first line; one of 60 is not")
  func functions() {
    func source(_ lines: Int) -> String {
      "struct A {\n  func long() {\n"
        + String(repeating: "    work()\n", count: lines - 2) + "  }\n}\n"
    }
    #expect(Layout.longFunctions(in: source(60)) == [])
    #expect(Layout.longFunctions(in: source(61)) == ["2: 61 lines"])
    let requirement = "protocol A {\n  func short(\n    a: Int)\n\n" + source(60) + "}\n"
    #expect(Layout.longFunctions(in: requirement) == [])
  }

  @Test("imports are found in every syntactic form, but not in comments or strings")
  func imports() {
    for line in ["import Glibc", "package import Glibc", "  import struct Glibc.tm"] {
      #expect(Layout.imports(in: line) == ["Glibc"])
    }
    #expect(Layout.imports(in: "// import Glibc\nlet text = \"import Glibc\"") == [])
  }

  @Test("a banned phrase is reported with its line and a replacement, even across a line break")
  func phrases() {
    let found = Language.findings(
      in: "/// A limit.\n/// 15min unless\n/// given.\n", path: "A.swift")
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("A.swift:2: 'unless given'") == true)
    #expect(found.first?.contains("Default: ") == true)
    #expect(Language.findings(in: "/// The default is 15 min.\n", path: "A.swift") == [])
    for name in [
      "json[\"beside\"]", "`goes on`", "{beside: 1}", "{that: beside, at: 1s}", "### beside",
    ] {
      #expect(Language.findings(in: name, path: "A.swift") == [], "\(name)")
    }
  }
}
