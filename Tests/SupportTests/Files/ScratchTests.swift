import Foundation
import Glibc
import Support
import Testing

/// Temporary files and folders of a command, and their cleanup.
struct ScratchTests {
  @Test("a scratch file has no name, and is writable and readable by its path")
  func file() throws {
    let file = try ScratchFile()
    try OutputFile.write("text", to: file.path)
    #expect(try TextFile.read(file.path) == "text")
    var status = stat()
    #expect(stat(file.path, &status) == 0 && status.st_nlink == 0)
  }

  @Test("a scratch folder is private to the user, and is removed with its content")
  func folder() throws {
    var scratch: ScratchFolder? = try ScratchFolder()
    let path = try #require(scratch?.path)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    try OutputFile.write("text", to: "\(path)/file")
    scratch = nil
    #expect(access(path, F_OK) != 0)
  }

  @Test("a command removes the scratch folders of killed commands and keeps locked ones")
  func stale() throws {
    let folder = Folder.temporaryPath("aneroid-test")
    try Folder.make(folder)
    defer { Folder.remove(folder) }
    let names = [
      "aneroid-scratch-1f", "aneroid-scratch-2f", "aneroid-scratch-xyz", "aneroid-scratch",
    ]
    for name in names { try Folder.make("\(folder)/\(name)/within") }
    let holder = open("\(folder)/aneroid-scratch-2f", O_RDONLY)
    defer { close(holder) }
    Leftovers.hold(holder)
    ScratchFolder.sweep(folder, at: time(nil))
    #expect(Folder.names(in: folder)?.count == 4, "a recent folder may not be locked yet")
    ScratchFolder.sweep(folder, at: time(nil) + 3600)
    #expect(Folder.names(in: folder)?.sorted() == names.dropFirst().sorted())
  }
}
