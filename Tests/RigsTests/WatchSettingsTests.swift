import Foundation
import Support
import Testing
import Watch

/// The settings file of a watch, which older versions of the command also read and write.
struct WatchSettingsTests {
  private let path = Folder.temporaryPath("aneroid-watch", suffix: "/kept/watch.json")

  private func settings(_ text: String) throws -> WatchSettings {
    defer { Folder.remove(FilePath.folder(of: FilePath.folder(of: path))) }
    try Folder.make(FilePath.folder(of: path))
    try OutputFile.write(text, to: path)
    return WatchSettings(path: path)
  }

  @Test("the file is one object with sorted keys")
  func file() throws {
    defer { Folder.remove(FilePath.folder(of: FilePath.folder(of: path))) }
    try WatchSettings().save(path)
    let text =
      #"{"digits":2,"layout":"automatic","period":1,"scale":300,"scrolls":true,"unit":"mmHg"}"#
    #expect(try TextFile.read(path) == text + "\n")
  }

  @Test("the settings are read in any order and with keys of later versions")
  func taken() throws {
    let text =
      #"{"unit":"hPa","later":[1],"scrolls":false,"scale":1800,"period":5,"layout":"tall","digits":3}"#
    var expected = WatchSettings()
    (expected.unit, expected.scrolls, expected.scale) = ("hPa", false, 1800)
    (expected.period, expected.layout, expected.digits) = (5, .tall, 3)
    #expect(try settings(text) == expected)
  }

  @Test(
    "a file in which a key is missing or a value has the wrong type is ignored",
    arguments: [
      #"{"digits":3}"#, "[]", "",
      #"{"digits":"3","layout":"tall","period":1,"scale":300,"scrolls":true,"unit":"hPa"}"#,
      #"{"digits":3,"layout":"round","period":1,"scale":300,"scrolls":true,"unit":"hPa"}"#,
      #"{"digits":3,"layout":"tall","period":1,"scale":300,"scrolls":1,"unit":"hPa"}"#,
    ])
  func refused(_ text: String) throws { #expect(try settings(text) == WatchSettings()) }
}
