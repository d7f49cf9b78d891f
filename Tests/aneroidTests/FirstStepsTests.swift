import Foundation
import TestSupport
import Testing

/// Whoever types what the page says gets what it says.
struct FirstStepsTests {
  /// A block of the page: its language and its lines.
  private static func blocks() throws -> [(language: String, lines: [String])] {
    var blocks: [(String, [String])] = []
    var isInside = false
    for line in try Fixtures.text("Sources/aneroid/aneroid.docc/FirstSteps.md")
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

  @Test("every command works in its order, in an empty folder")
  func commands() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let blocks = try Self.blocks()
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
        script += "cat > cold.yaml <<'END'\n\(block.lines.joined(separator: "\n"))\nEND\n"
      default: break
      }
    }
    let result = try CommandLineTool.run(URL(filePath: "/bin/sh"), ["-c", script])
    #expect(result.status == 0, "\(result)")
    #expect(result.output.contains("(frost!)") && result.output.contains("status 1"), "\(result)")
  }
}
