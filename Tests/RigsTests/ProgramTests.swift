import Foundation
import Runs
import Support
import Testing

/// The programs of notifications.
struct ProgramTests {
  @Test(
    "the exit status of a program is reported, or the signal that ended it",
    arguments: [
      ("exit 0", nil), ("exit 3", "sh exited with 3"), ("kill -9 $$", "sh exited with 9"),
    ] as [(String, String?)])
  func status(script: String, reported: String?) {
    #expect(Program.run(["sh", "-c", script]) == reported)
  }

  @Test("a missing program is reported with exit status 127")
  func missing() {
    #expect(
      Program.run(["no-such-program-here"]) == "no-such-program-here exited with 127")
  }

  @Test("a program has no input, no inherited descriptors, and its own process group")
  func surroundings() throws {
    let file = Folder.temporaryPath("aneroid-program")
    defer { Folder.remove(file) }
    let foreign = open("/proc/self/stat", O_RDONLY)
    defer { close(foreign) }
    let script = """
      { wc -c; ls -l /proc/$$/fd | grep -c /proc/.*/stat; ps -o pgid= -p $$; echo $$; } > \(file)
      """
    #expect(Program.run(["sh", "-c", script]) == nil)
    let words = try TextFile.read(file).split { $0.isWhitespace }.map(String.init)
    try #require(words.count == 4)
    #expect(Array(words[..<2]) == ["0", "0"])
    #expect(words[2] == words[3])
  }

  @Test("arguments with spaces, quotes and dashes are passed unchanged")
  func words() throws {
    let file = Folder.temporaryPath("aneroid-program")
    defer { Folder.remove(file) }
    let script = "printf '%s|' \"$@\" > \(file)"
    #expect(Program.run(["sh", "-c", script, "sh", "a b", "", "'", "--", "-x"]) == nil)
    #expect(try TextFile.read(file) == "a b||'|--|-x|")
  }
}
