import Files
import Foundation
import Testing

/// What a path says without a look at the disk.
struct FilePathTests {
  static let paths = [
    "ab", "ab/", "/ab", "aa/bb", "aa//bb", "aa/bb/", "/aa//bb//", "//aa", "./aa", "../aa", "/",
    "aa/../bb/./cc", "aa/bb/..", "/aa/bb/../../..", "éé/xx", "aa/./bb", "/aa/bb/", "~/xx",
  ]

  @Test("the folder of a path is the one that Foundation sees", arguments: paths)
  func folder(_ path: String) {
    let folder = (path as NSString).deletingLastPathComponent
    #expect(FilePath.folder(of: path) == folder)
    let joined = folder.isEmpty ? "x.csv" : (folder as NSString).appendingPathComponent("x.csv")
    #expect(TextFile.resolve("x.csv", beside: path) == joined)
  }

  @Test("a path of one letter is a name alone")
  func letter() {
    #expect(FilePath.folder(of: "a") == "")
    #expect(FilePath.folder(of: "") == "")
    #expect(TextFile.resolve("b", beside: "a") == "b")
    #expect(TextFile.resolve("/b", beside: "c/a") == "/b")
  }

  @Test("a slash parts names whatever stands behind it: the kernel sees bytes")
  func bytes() {
    #expect(FilePath.folder(of: "aa/\u{301}bb") == "aa")
    #expect(FilePath.joined("aa", "\u{301}bb") == "aa/\u{301}bb")
    #expect(FilePath.standardized("/aa/\u{301}bb/..") == "/aa")
  }

  @Test("the whole path is the one that Foundation sees", arguments: paths)
  func standardized(_ path: String) {
    // A tilde is a name like any other here: the shell has replaced what it means.
    guard !path.hasPrefix("~") else {
      #expect(FilePath.standardized(path).hasSuffix("/~/xx"))
      return
    }
    #expect(FilePath.standardized(path) == URL(filePath: path).standardizedFileURL.path)
  }

  @Test("one slash parts a folder and what lies in it")
  func joined() {
    #expect(FilePath.joined("a", "b") == "a/b")
    #expect(FilePath.joined("a/", "b") == "a/b")
    #expect(FilePath.joined("/", "b") == "/b")
    #expect(FilePath.joined("", "b") == "b")
  }
}
