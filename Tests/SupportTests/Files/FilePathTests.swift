import Foundation
import Support
import Testing

/// Operations on paths without the file system.
struct FilePathTests {
  static let paths = [
    "ab", "ab/", "/ab", "aa/bb", "aa//bb", "aa/bb/", "/aa//bb//", "//aa", "./aa", "../aa", "/",
    "aa/../bb/./cc", "aa/bb/..", "/aa/bb/../../..", "éé/xx", "aa/./bb", "/aa/bb/", "~/xx",
  ]

  @Test("the folder of a path equals the one computed by Foundation", arguments: paths)
  func folder(_ path: String) {
    let folder = (path as NSString).deletingLastPathComponent
    #expect(FilePath.folder(of: path) == folder)
    let joined = folder.isEmpty ? "x.csv" : (folder as NSString).appendingPathComponent("x.csv")
    #expect(TextFile.resolve("x.csv", relativeTo: path) == joined)
  }

  @Test("a path of one letter is a file name without a folder")
  func letter() {
    #expect(FilePath.folder(of: "a") == "")
    #expect(FilePath.folder(of: "") == "")
    #expect(TextFile.resolve("b", relativeTo: "a") == "b")
    #expect(TextFile.resolve("/b", relativeTo: "c/a") == "/b")
  }

  @Test("a slash before a combining character still separates names, as in the kernel")
  func bytes() {
    #expect(FilePath.folder(of: "aa/\u{301}bb") == "aa")
    #expect(FilePath.joined("aa", "\u{301}bb") == "aa/\u{301}bb")
    #expect(FilePath.standardized("/aa/\u{301}bb/..") == "/aa")
  }

  @Test("the standardized path equals the one computed by Foundation", arguments: paths)
  func standardized(_ path: String) {
    // A tilde is an ordinary character, because a shell would have expanded it already.
    guard !path.hasPrefix("~") else {
      #expect(FilePath.standardized(path).hasSuffix("/~/xx"))
      return
    }
    #expect(FilePath.standardized(path) == URL(filePath: path).standardizedFileURL.path)
  }

  @Test("a folder and a path are joined with one slash")
  func joined() {
    #expect(FilePath.joined("a", "b") == "a/b")
    #expect(FilePath.joined("a/", "b") == "a/b")
    #expect(FilePath.joined("/", "b") == "/b")
    #expect(FilePath.joined("", "b") == "b")
  }
}
