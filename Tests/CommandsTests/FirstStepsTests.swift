import Foundation
import TestSupport
import Testing

/// The commands of pages work as documented.
struct FirstStepsTests {
  /// A code block of a page: its language and its lines.
  private static func blocks(of page: String) throws -> [(language: String, lines: [String])] {
    var blocks: [(String, [String])] = []
    var isInside = false
    for line in try Fixtures.text("Sources/aneroid/aneroid.docc/\(page).md")
      .components(separatedBy: "\n")
    {
      if line.hasPrefix("```") {
        if !isInside { blocks.append((String(line.dropFirst(3)), [])) }
        isInside.toggle()
      } else if isInside {
        blocks[blocks.count - 1].1.append(line)
      }
    }
    return blocks
  }

  @Test(
    "the commands of the documented first steps work in order, in an empty folder",
    arguments: [
      ("FirstSteps", ["(frost!)", "status 1"]),
      ("Recipes", ["Raspberry Pi 4", "0x00", "identical: 1 transfers", "76 77"]),
    ])
  func commands(_ page: String, _ shown: [String]) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let blocks = try Self.blocks(of: page)
    #expect(blocks.count { $0.language == "sh" } >= 6)
    var script = "set -e\nPATH='\(CommandLineTool.path.deletingLastPathComponent().path)':$PATH\n"
    script += "cd '\(folder.path)'\n"
    for block in blocks {
      switch block.language {
      case "sh":
        for line in block.lines {
          script += "echo \"\\$ \"'\(line.replacing("'", with: "'\\''"))' >&2\n\(line)\n"
        }
      case "yaml":
        // A rig is written to a file of its name.
        let name = try #require(block.lines.first { $0.hasPrefix("name: ") }).dropFirst(6)
        script += "cat > \(name).yaml <<'END'\n\(block.lines.joined(separator: "\n"))\nEND\n"
      default: break
      }
    }
    let result = try CommandLineTool.run(URL(filePath: "/bin/sh"), ["-c", script])
    #expect(result.status == 0, "\(result)")
    for text in shown { #expect(result.output.contains(text), "\(text): \(result)") }
  }
}
