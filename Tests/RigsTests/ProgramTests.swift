import Files
import Foundation
import Runs
import Testing

/// What becomes of the programs that notifications run.
struct ProgramTests {
  @Test(
    "the exit status is told, and the signal that ends a program",
    arguments: [
      ("exit 0", nil), ("exit 3", "sh exited with 3"), ("kill -9 $$", "sh exited with 9"),
    ] as [(String, String?)])
  func status(script: String, told: String?) {
    #expect(Program.run(["sh", "-c", script]) == told)
  }

  @Test("a program that is not there is told by its status")
  func missing() {
    #expect(
      Program.run(["no-such-program-here"]) == "no-such-program-here exited with 127")
  }

  @Test("a program has no input, no files of ours, and a process group of its own")
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

  @Test("words with blanks, quotes and dashes stay whole")
  func words() throws {
    let file = Folder.temporaryPath("aneroid-program")
    defer { Folder.remove(file) }
    let script = "printf '%s|' \"$@\" > \(file)"
    #expect(Program.run(["sh", "-c", script, "sh", "a b", "", "'", "--", "-x"]) == nil)
    #expect(try TextFile.read(file) == "a b||'|--|-x|")
  }
}
