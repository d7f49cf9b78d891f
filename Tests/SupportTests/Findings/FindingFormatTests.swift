import Foundation
import FoundationXML
import Support
import TestSupport
import Testing

/// The same findings in each output format.
struct FindingFormatTests {
  /// A finding of each severity; two of them are in a file.
  static let inspection: Inspection = {
    var known = Finding(.known, "damp", "shows 3 %", evidence: [Finding.Evidence("right", "4 %")])
    known.word = "wrong"
    known.summary = "wet <air>"
    known.seconds = 1.25
    var absent = Finding(.skipped, "adapters", "none here")
    absent.word = "--"
    var inspection = Inspection(
      "aneroid test", of: "a|b",
      nouns: Inspection.Nouns(rule: "case", message: "shown", defect: "are wrong"),
      [
        Finding(.passed, "rig", at: Finding.Location(file: "a.yaml"), "ok"),
        absent, Finding(.note, "former name", at: Finding.Location(file: "a.yaml", line: 3), "new"),
        known, Finding(.warning, "accuracy", at: Finding.Location(file: "a,b.yaml"), "too much"),
        Finding(
          .error, "mistake", at: Finding.Location(file: "a.yaml", line: 2, column: 7),
          "50 % <b>\nno"),
      ])
    inspection.hasBaseline = true
    inspection.seconds = 2.5
    inspection.notes = ("Also:", ["B01 | twice"])
    return inspection
  }()

  @Test("a finding is printed like a compiler message, or with the command's severity and the rule")
  func lines() {
    #expect(
      Self.inspection.findings.map(\.line) == [
        "a.yaml: ok", "--    adapters: none here", "a.yaml:3: note: new", "wrong  damp: shows 3 %",
        "a,b.yaml: warning: too much", "a.yaml:2:7: error: 50 % <b>\nno",
      ])
    let row = Finding(.error, "table", at: Finding.Location(file: "a.csv", line: 4), "no number")
    #expect(row.line == "a.csv:4: error: no number")
  }

  @Test("JUnit: errors are failed tests; known errors and skipped checks are skipped tests")
  func junit() throws {
    let text = FindingFormat.junit.text(Self.inspection)
    let document = try XMLDocument(xmlString: text)
    let suite = try #require(try document.nodes(forXPath: "//testsuite").first as? XMLElement)
    func attribute(_ name: String) -> String? { suite.attribute(forName: name)?.stringValue }
    #expect(attribute("tests") == "6" && attribute("failures") == "1")
    #expect(attribute("skipped") == "2" && attribute("name") == "aneroid test a|b")
    #expect(text.contains(#"<skipped message="known: shows 3 %"/>"#))
    #expect(
      text.contains(
        #"<testcase name="mistake" classname="aneroid.test" file="a.yaml" line="2" time="0.000">"#))
    #expect(text.contains(#"<failure message="50 % &lt;b&gt; no">"#))
    #expect(try document.nodes(forXPath: "//system-out").count == 3)
  }

  @Test("GitHub: each error, warning and note is one line with an escaped annotation")
  func github() {
    #expect(
      FindingFormat.github.text(Self.inspection) == """
        ::notice file=a.yaml,line=3,title=aneroid test%3A a|b::former name: new
        ::notice title=aneroid test%3A damp::shows 3 %25
        ::warning file=a%2Cb.yaml,title=aneroid test%3A a|b::accuracy: too much
        ::error file=a.yaml,line=2,col=7,title=aneroid test%3A a|b::mistake: 50 %25 <b>%0Ano

        """)
  }

  @Test("evidence that is data follows the message in JUnit and GitHub, and is in JSON as data")
  func facts() throws {
    let value = JSONValue.object([("fault", .string("bit-flip")), ("count", .integer(2))])
    let found = Finding(
      .error, "every fault fired", at: Finding.Location(file: "a.yaml", line: 2), "one did not",
      evidence: [
        Finding.Evidence("time", "0:00:10"), Finding.Evidence("fault", "bit-flip <2>", value),
      ])
    let inspection = Inspection("aneroid run", nouns: Self.inspection.nouns, [found])
    let junit = FindingFormat.junit.text(inspection)
    #expect(
      junit.contains(
        "<failure message=\"one did not\">one did not\nfault: bit-flip &lt;2&gt;</failure>"),
      "\(junit)")
    #expect(
      FindingFormat.github.text(inspection).hasSuffix(
        "::every fault fired: one did not%0Afault: bit-flip <2>\n"))
    #expect(
      FindingFormat.json.text(inspection).contains(
        #"{"name":"fault","text":"bit-flip <2>","value":{"fault":"bit-flip","count":2}}"#))
    #expect(FindingFormat.markdown.text(inspection).contains("| bit-flip &lt;2> |"))
  }

  @Test("Markdown: problems come first with their evidence, and other findings are collapsed")
  func markdown() {
    #expect(
      FindingFormat.markdown.text(Self.inspection) == """
        ### aneroid test: `a|b`

        **3 of 6 cases are wrong**, 2 of them new.

        | case | verdict | shown | right |
        |---|---|---|---|
        | damp: wet &lt;air> | **wrong (known)** | shows 3 % | 4 % |
        | accuracy | **warning** | too much |  |
        | mistake | **error** | 50 % &lt;b>\\nno (a.yaml:2:7) |  |

        <details><summary>3 without a finding</summary>

        | case | verdict | shown |
        |---|---|---|
        | rig | passed | ok |
        | adapters | -- | none here |
        | former name | note | new |

        </details>

        Also:

        - B01 \\| twice

        """)
    let clean = Inspection(
      "aneroid test", nouns: Self.inspection.nouns, [Finding(.passed, "one", "fine")])
    #expect(
      FindingFormat.markdown.text(clean).hasPrefix(
        "### aneroid test\n\nNothing wrong in 1 case.\n\n<details>"))
  }

  @Test("JSON: one object contains each finding with its location, if known")
  func json() throws {
    let text = FindingFormat.json.text(Self.inspection)
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["command"] as? String == "aneroid test" && object["errors"] as? Int == 1)
    #expect(object["warnings"] as? Int == 1)
    let findings = try #require(object["findings"] as? [[String: Any]])
    #expect(findings.map { $0["severity"] as? String } == Finding.Severity.allCasesInOrder)
    #expect(findings[5]["line"] as? Int == 2 && findings[5]["column"] as? Int == 7)
    #expect(Set(findings[1].keys) == ["rule", "severity", "message"])
    #expect(findings[3]["evidence"] as? [[String: String]] == [["name": "right", "text": "4 %"]])
  }
}

extension Finding.Severity {
  /// The text of all findings above.
  fileprivate static var allCasesInOrder: [String] {
    ["passed", "skipped", "note", "known", "warning", "error"]
  }
}
