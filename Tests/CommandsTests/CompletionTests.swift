import Foundation
import TestSupport
import Testing

/// Completions, tested in the shells with the generated scripts.
struct CompletionTests {
  /// Returns bash's completions for a line with the cursor at its end.
  static func bash(_ line: String) throws -> [String] {
    let script = """
      PATH="$(dirname "$0"):$PATH"
      source <("$0" --generate-completion-script bash)
      COMP_LINE="aneroid $1"; COMP_POINT=${#COMP_LINE}
      read -ra COMP_WORDS <<< "$COMP_LINE"
      [ "${COMP_LINE: -1}" = " " ] && COMP_WORDS+=("")
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      function_name=$(complete -p aneroid | sed 's/.* -F \\([^ ]*\\).*/\\1/')
      "$function_name" aneroid "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let result = try CommandLineTool.run(
      URL(filePath: "/bin/bash"), ["-c", script, CommandLineTool.path.path, line])
    return result.outputLines.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  @Test(
    "bash completes rigs, buses, calibrations, scenarios, personalities and parts",
    arguments: [
      ("run wea", "weather-station"), ("rig show thesis-b", "thesis-bug"),
      ("watch iss-", "iss-leak"), ("exec --rig stormy", "stormy-week"),
      ("read --bus many", "many-sensors"), ("calibration periph", "periph-i2c"),
      ("audit --scenario neg", "negative-h4"), ("audit --show neg", "negative-h4"),
      ("doctor --personalities raspberry-pi-4", "raspberry-pi-4"),
      ("doctor --personalities cp", "cp2112"), ("doctor --fidelity sht", "sht21"),
      ("run rigs/wea", "rigs/weather-station.yaml"), ("tra", "trace"),
    ])
  func bash(_ line: String, _ word: String) throws {
    #expect(try Self.bash(line).contains(word))
  }

  @Test(
    "zsh and fish complete the same names as bash at an interactive prompt",
    arguments: ["zsh", "fish"])
  func otherShells(_ shell: String) throws {
    let cases = [
      ("run wea", "weather-station"), ("exec --rig stormy", "stormy-week"),
      ("audit --scenario packed", "packed-h5"), ("doctor --personalities cp", "cp2112"),
      ("calibration periph-i", "periph-i2c"), ("score jfk", "jfk-2013"),
      ("firmware --mcu atm", "atmega328p"), ("run rigs/wea", "rigs/weather-station.yaml"),
    ]
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The file name that zsh searches for.
    let script = folder.appending(path: "_aneroid")
    let text = try CommandLineTool.run("--generate-completion-script", shell).output
    try text.write(to: script, atomically: true, encoding: .utf8)
    let tools = CommandLineTool.path.deletingLastPathComponent().path
    let path = "PATH=\(tools):/usr/local/bin:/usr/bin:/bin"
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/env"),
      [path, "python3", "Tests/Peers/completes.py", shell, script.path]
        + cases.map { "aneroid \($0.0)" })
    let expected = cases.map { typed, word in
      (["aneroid"] + typed.split(separator: " ").dropLast() + [Substring(word)])
        .joined(separator: " ")
    }
    #expect(result.outputLines == expected, "\(result)")
  }

  @Test(
    "the completion scripts of bash, zsh and fish get the names by calling aneroid",
    arguments: ["bash", "zsh", "fish"])
  func scripts(_ shell: String) throws {
    let script = try CommandLineTool.run("--generate-completion-script", shell)
    #expect(script.status == 0)
    #expect(script.output.contains("---completion"))
  }

  @Test("'doctor' describes an adapter personality, and suggests a name for an unknown one")
  func personality() throws {
    let page = try CommandLineTool.run("doctor", "--personalities", "raspberry-pi-4")
    #expect(page.status == 0 && page.output.hasPrefix("raspberry-pi\n  adapter: "), "\(page)")
    #expect(page.output.contains("in a rig: adapter: {personality: raspberry-pi}"))
    let wrong = try CommandLineTool.run("doctor", "--personalities", "raspbery-pi")
    #expect(wrong.status == 64 && wrong.errors.contains("did you mean 'raspberry-pi'?"))
    #expect(try CommandLineTool.run("doctor", "cp2112").status == 64)
  }
}
