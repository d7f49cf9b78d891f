import Foundation
import Glibc
import Support
import Testing

/// Drafts that a killed program left next to its output files are removed.
struct LeftoverTests {
  private static let stale = ".aneroid-1234567890abcdef.part"

  /// Creates a folder with an older draft and another file; returns its content after the file was replaced.
  private static func names(
    withDraft name: String, hours: Double = 1, prepare: (String) throws -> Void = { _ in }
  ) throws -> [String] {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try "old".write(toFile: "\(folder)/file", atomically: false, encoding: .utf8)
    try "half".write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
    try prepare("\(folder)/\(name)")
    let now = Int(time(nil)) + Int(hours * 3600)
    Leftovers.sweep(folder, at: now)
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test("an old draft without a lock is removed")
  func removed() throws { #expect(try Self.names(withDraft: Self.stale) == ["file"]) }

  @Test("a recent draft is kept, because it may not be locked yet")
  func young() throws {
    #expect(try Self.names(withDraft: Self.stale, hours: 0) == [Self.stale, "file"])
  }

  @Test("a draft that is being written is kept")
  func held() throws {
    var holder: Int32 = -1
    defer { close(holder) }
    let names = try Self.names(withDraft: Self.stale) {
      holder = open($0, O_WRONLY)
      Leftovers.hold(holder)
    }
    #expect(names == [Self.stale, "file"])
  }

  @Test(
    "a file with another name is kept",
    arguments: [
      ".aneroid-.part", ".aneroid-xyz.part", ".aneroid-00ff.part", ".aneroid-FF.part",
      ".aneroid-ff.parts",
      "aneroid-ff.part", ".aneroid-+f.part",
    ])
  func others(name: String) throws {
    #expect(try Self.names(withDraft: name) == [name, "file"].sorted())
  }

  @Test("a symbolic link and a file with two hard links are kept")
  func links() throws {
    let linked = try Self.names(withDraft: Self.stale) { path in
      unlink(path)
      symlink("file", path)
    }
    #expect(linked == [Self.stale, "file"])
    let twice = try Self.names(withDraft: Self.stale) { link($0, "\($0).copy") }
    #expect(twice == [Self.stale, "\(Self.stale).copy", "file"])
  }

  @Test("an output file under its final name is not locked, whether it is new or replaces a file")
  func released() throws {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for _ in 0..<2 {
      let file = try OutputFile("\(folder)/file")
      file.write(Array("new".utf8))
      file.appear()
      let other = open("\(folder)/file", O_RDONLY)
      #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
      close(other)
      try file.finish()
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
  }
}
