import Foundation
import Support
import Testing

/// Command lines that people paste into a shell.
struct ShellCommandTests {
  static let words: [[String]] = [
    ["python3", "my_sensor.py", "--every=1s"],
    ["sh", "-c", "i2cset -y 1 0x76 0xf4 0x25; echo $HOME"],
    ["t/my reader.sh", "--label", "a;b", ""],
    ["it's", "\"quoted\"", "a\nb", "*", "~", "#", "`id`", "=x"],
  ]

  @Test("a shell parses a quoted command to the original words", arguments: words)
  func quoted(_ words: [String]) throws {
    let (shell, output) = (Process(), Pipe())
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", "printf '%s\\0' " + ShellCommand.text(words)]
    shell.standardOutput = output
    try shell.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    shell.waitUntilExit()
    #expect(String(decoding: bytes, as: UTF8.self) == words.map { $0 + "\0" }.joined())
  }

  @Test("words without special characters are not quoted")
  func plain() {
    #expect(ShellCommand.text(Self.words[0]) == "python3 my_sensor.py --every=1s")
  }
}
