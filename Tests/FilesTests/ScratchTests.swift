import Foundation
import Glibc
import Testing

@testable import Files

/// What a command needs only while it runs, and what is left of it.
struct ScratchTests {
  @Test("a scratch file has no name, and can be written and read by its path")
  func file() throws {
    let file = try ScratchFile()
    try OutputFile.write("text", to: file.path)
    #expect(try TextFile.read(file.path) == "text")
    var status = stat()
    #expect(stat(file.path, &status) == 0 && status.st_nlink == 0)
  }

  @Test("a scratch folder is this user's alone, and goes with all that lies in it")
  func folder() throws {
    var scratch: ScratchFolder? = try ScratchFolder()
    let path = try #require(scratch?.path)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    try OutputFile.write("text", to: "\(path)/file")
    scratch = nil
    #expect(access(path, F_OK) != 0)
  }

  @Test("what a killed command has left is removed by the next one, what is held stays")
  func stale() throws {
    let place = Folder.temporaryPath("aneroid-test")
    try Folder.make(place)
    defer { Folder.remove(place) }
    let names = [
      "aneroid-scratch-1f", "aneroid-scratch-2f", "aneroid-scratch-xyz", "aneroid-scratch",
    ]
    for name in names { try Folder.make("\(place)/\(name)/within") }
    let holder = open("\(place)/aneroid-scratch-2f", O_RDONLY)
    defer { close(holder) }
    Leftovers.hold(holder)
    ScratchFolder.sweep(place, at: time(nil))
    #expect(Folder.names(in: place)?.count == 4, "a young one may not have its lock yet")
    ScratchFolder.sweep(place, at: time(nil) + 3600)
    #expect(Folder.names(in: place)?.sorted() == names.dropFirst().sorted())
  }
}
