import Foundation
import Support
import Testing

/// Creating, listing and removing folders.
struct FolderTests {
  private let folder = Folder.temporaryPath("aneroid-test")

  @Test("a folder is created with its parents, and creating it again has no effect")
  func make() throws {
    defer { Folder.remove(folder) }
    try Folder.make("\(folder)/a/b/c")
    try Folder.make("\(folder)/a/b/c/")
    #expect(Folder.names(in: "\(folder)/a/b") == ["c"])
    #expect(Folder.names(in: "\(folder)/a/b/c") == [])
  }

  @Test("the error for a folder that cannot be created names its path and the reason")
  func refused() throws {
    defer { Folder.remove(folder) }
    try Folder.make(folder)
    try Data("x".utf8).write(to: URL(filePath: "\(folder)/file"))
    let long = "\(folder)/" + String(repeating: "a", count: 300)
    for (path, reason) in [
      ("\(folder)/file", "File exists"), ("\(folder)/file/a/b", "Not a directory"),
      ("/proc/none/a", "No such file or directory"), ("", "No such file or directory"),
      (long, "File name too long"),
    ] {
      let failure = #expect(throws: Failure.self) { try Folder.make(path) }
      #expect(failure?.kind == .inputOutput)
      #expect(failure?.messages == ["\(path): cannot be created: \(reason)"])
    }
  }

  @Test(
    "a folder is removed with its content, including names that are not UTF-8, without following links"
  )
  func remove() throws {
    let other = folder + "-other"
    defer { Folder.remove(other) }
    try Folder.make("\(folder)/a/b")
    try Folder.make(other)
    try Data("x".utf8).write(to: URL(filePath: "\(other)/kept"))
    symlink(other, "\(folder)/a/link")
    let odd = Array("\(folder)/a/b/".utf8) + [0xFF, 0xFE, 0]
    close(creat(odd.map { CChar(bitPattern: $0) }, 0o600))
    #expect(Folder.names(in: "\(folder)/a/b")?.count == 1)
    Folder.remove(folder)
    #expect(!TextFile.exists(folder))
    #expect(Folder.names(in: other) == ["kept"])
    Folder.remove("\(other)/kept")
    #expect(Folder.names(in: other) == [])
  }

  @Test("the names in a folder are listed, and a path that is not a folder returns nil")
  func names() {
    #expect(Folder.names(in: "/proc/self/stat") == nil)
    #expect(Folder.names(in: "/proc/none") == nil)
    #expect(Folder.names(in: "/proc/self")?.contains("fd") == true)
  }

  @Test("temporary paths are in one folder and unique")
  func temporary() {
    let path = Folder.temporaryPath("aneroid", suffix: ".i2ctrace")
    #expect(path.hasPrefix("\(Folder.temporary)/aneroid-") && path.hasSuffix(".i2ctrace"))
    #expect(path != Folder.temporaryPath("aneroid", suffix: ".i2ctrace"))
  }
}
