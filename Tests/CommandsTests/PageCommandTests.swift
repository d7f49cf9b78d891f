import Foundation
import TestSupport
import Testing

/// `aneroid run --report` and `--plots`.
struct PageCommandTests {
  @Test("a run writes the same page and plots for the same seed, and removes its temporary trace")
  func writes() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    var pages: [String] = []
    for _ in 0..<2 {
      let page = folder.appending(path: "page.html").path
      let result = try CommandLineTool.run(
        "run", "rigs/iss-severe.yaml", "--plots", folder.path, "--report", page)
      #expect(result.status == 0, "\(result.errors)")
      pages.append(try String(contentsOfFile: page, encoding: .utf8))
    }
    #expect(pages[0] == pages[1])
    #expect(pages[0].contains("SAFE HAVEN"))
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(
      files == [
        "activity.svg", "charge.svg", "humidity.svg", "leak.svg", "page.html", "pressure.svg",
        "temperature.svg",
      ])
  }

  @Test(
    "the page shows transfers only for failed expectations that have a time",
    arguments: [("that: readings, count: 1", false), ("that: forecast, at: 1min, is: rainy", true)])
  func keepsTransfers(_ expectation: String, _ isKept: Bool) throws {
    let rig = try String(
      contentsOf: Fixtures.root.appending(path: "rigs/thesis.yaml"), encoding: .utf8
    )
    .replacing(/expect:[\s\S]*/, with: "expect:\n  - {\(expectation)}\n")
    .replacing("../fixtures", with: Fixtures.root.appending(path: "fixtures").path)
    let page = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).html").path
    defer { try? FileManager.default.removeItem(atPath: page) }
    try CommandLineTool.withFile(rig, suffix: ".yaml") { path in
      let result = try CommandLineTool.run("run", path, "--report", page)
      #expect(result.status == 1, "\(result.errors)")
      let text = try String(contentsOfFile: page, encoding: .utf8)
      #expect(text.contains("Transfers around") == isKept)
      // If the transfers cannot be stored, only a page that contains them fails.
      let command =
        "TMPDIR=/no/such/folder exec '\(CommandLineTool.path.path)' run '\(path)' --report '\(page)'"
      let without = try CommandLineTool.run(URL(filePath: "/bin/sh"), ["-c", command], input: "")
      #expect(without.status == (isKept ? 74 : 1), "\(without.errors)")
    }
  }

  @Test("an unwritable output is reported with status 74")
  func unwritable() throws {
    let result = try CommandLineTool.run(
      "run", "rigs/iss-severe.yaml", "--report", "/no/such/folder/page.html")
    #expect(result.status == 74 && result.errors.contains("/no/such/folder/page.html"))
    #expect(
      try CommandLineTool.run(
        "run", "rigs/iss-severe.yaml", "--report", "/tmp/x.html", "--against", "trace:x"
      ).status == 64)
  }
}
