import Files
import Foundation
import Testing

/// Folders are made, looked into and removed.
struct FolderTests {
  private let place = Folder.temporaryPath("aneroid-test")

  @Test("a folder is made with all above it, and again without harm")
  func make() throws {
    defer { Folder.remove(place) }
    try Folder.make("\(place)/a/b/c")
    try Folder.make("\(place)/a/b/c/")
    #expect(Folder.names(in: "\(place)/a/b") == ["c"])
    #expect(Folder.names(in: "\(place)/a/b/c") == [])
  }

  @Test("why no folder can be made is said, with its path")
  func refused() throws {
    defer { Folder.remove(place) }
    try Folder.make(place)
    try Data("x".utf8).write(to: URL(filePath: "\(place)/file"))
    let long = "\(place)/" + String(repeating: "a", count: 300)
    for (path, reason) in [
      ("\(place)/file", "File exists"), ("\(place)/file/a/b", "Not a directory"),
      ("/proc/none/a", "No such file or directory"), ("", "No such file or directory"),
      (long, "File name too long"),
    ] {
      let failure = #expect(throws: Failure.self) { try Folder.make(path) }
      #expect(failure?.kind == .inputOutput)
      #expect(failure?.messages == ["\(path): cannot be made: \(reason)"])
    }
  }

  @Test("all in a folder is removed, names that are no text too, and no link is followed")
  func remove() throws {
    let other = place + "-other"
    defer { Folder.remove(other) }
    try Folder.make("\(place)/a/b")
    try Folder.make(other)
    try Data("x".utf8).write(to: URL(filePath: "\(other)/kept"))
    symlink(other, "\(place)/a/link")
    let odd = Array("\(place)/a/b/".utf8) + [0xFF, 0xFE, 0]
    close(creat(odd.map { CChar(bitPattern: $0) }, 0o600))
    #expect(Folder.names(in: "\(place)/a/b")?.count == 1)
    Folder.remove(place)
    #expect(!TextFile.exists(place))
    #expect(Folder.names(in: other) == ["kept"])
    Folder.remove("\(other)/kept")
    #expect(Folder.names(in: other) == [])
  }

  @Test("what is no folder has no names")
  func names() {
    #expect(Folder.names(in: "/proc/self/stat") == nil)
    #expect(Folder.names(in: "/proc/none") == nil)
    #expect(Folder.names(in: "/proc/self")?.contains("fd") == true)
  }

  @Test("temporary paths lie in one folder, and none twice")
  func temporary() {
    let path = Folder.temporaryPath("aneroid", suffix: ".i2ctrace")
    #expect(path.hasPrefix("\(Folder.temporary)/aneroid-") && path.hasSuffix(".i2ctrace"))
    #expect(path != Folder.temporaryPath("aneroid", suffix: ".i2ctrace"))
  }
}
