import Foundation
import Parts
import Rigs
import Support
import TestSupport
import Testing

/// The embedded files equal the files of the repository and are found by name.
struct BuiltInFileTests {
  @Test(
    "every usable file of the repository's input folders is built in, and no other file",
    arguments: BuiltInFile.Kind.allCases)
  func list(_ kind: BuiltInFile.Kind) throws {
    guard kind != .beginning else {
      #expect(BuiltInFile.names(kind) == ["aneroid", "bench", "station", "test_station"])
      return
    }
    let endings: [BuiltInFile.Kind: String] = [
      .rig: ".yaml", .part: ".yaml", .skeleton: ".yaml", .calibration: ".yaml", .weather: ".csv",
      .trace: ".i2ctrace",
    ]
    let ending = try #require(endings[kind])
    let folder = Fixtures.root.appending(path: kind.folder).path
    let files =
      // The hub runs warehouse rigs.
      try kind == .rig ? Fixtures.rigs() : FileManager.default.contentsOfDirectory(atPath: folder)
    let names =
      files
      // A rig with firmware cannot be used without its image.
      .filter { $0.hasSuffix(ending) && !$0.hasSuffix("-firmware.yaml") }.sorted()
      .map { String($0.dropLast(ending.count)) }
    #expect(!names.isEmpty)
    #expect(BuiltInFile.names(kind) == names)
  }

  @Test(
    "every byte of a built-in file equals that of the file in the repository",
    arguments: BuiltInFile.all)
  func bytes(_ file: BuiltInFile) throws {
    let data = try Data(contentsOf: Fixtures.root.appending(path: file.path))
    #expect(file.bytes == Array(data))
  }

  @Test("the total size of the built-in files is less than a megabyte")
  func size() {
    #expect(BuiltInFile.all.map(\.bytes.count).reduce(0, +) < 1_000_000)
  }

  @Test(
    "a built-in rig equals the rig read from the file in the repository",
    arguments: BuiltInFile.names(.rig))
  func rigs(_ name: String) throws {
    let file = try Rig(path: Fixtures.root.appending(path: "rigs/\(name).yaml").path)
    let builtIn = try Rig(path: name)
    #expect(builtIn.digest == file.digest && builtIn.name == file.name)
    #expect(builtIn.file == name)
    #expect(builtIn.namedFiles == [] && file.namedFiles == [])
    #expect(try Rig(path: "rig:\(name)").digest == file.digest)
  }

  @Test("a file takes precedence over a built-in name, a folder does not")
  func order() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(
      at: folder.appending(path: "xft"), withIntermediateDirectories: true)
    let file = folder.appending(path: "saph").path
    try "device: own".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try NamedInput("saph", .calibration, at: file).path == file)
    #expect(try NamedInput("saph", .calibration).isBuiltIn)
    let hidden = try NamedInput("xft", .calibration, at: folder.appending(path: "xft").path)
    #expect(hidden.isBuiltIn)
  }

  @Test(
    "the error for a missing file lists what was searched",
    arguments: [
      (
        "weather-staton", BuiltInFile.Kind.rig,
        "weather-staton: no such file, and no built-in rig has this name; did you mean 'weather-station'?"
      ),
      (
        "nothing", .rig,
        "nothing: no such file, and no built-in rig has this name ('aneroid rig list'"
      ),
      ("rigs/none.yaml", .rig, "rigs/none.yaml: no such file"),
      (
        "nowhere/thesis.yaml", .rig,
        "nowhere/thesis.yaml: no such file; the built-in rig is named thesis"
      ),
      (
        "periph-i2d", .calibration,
        "periph-i2d: no such file, and no built-in calibration has this name; did you mean 'periph-i2c'?"
      ),
      ("jfk-2014", .weather, "jfk-2014: no such file, and no built-in weather table has this name"),
      ("/", .rig, "/: is a folder, not a rig"),
    ])
  func missing(_ word: String, _ kind: BuiltInFile.Kind, _ message: String) {
    let failure = #expect(throws: Failure.self) { try NamedInput(word, kind) }
    #expect(failure?.messages.first?.hasPrefix(message) == true, "\(failure?.messages ?? [])")
  }

  @Test(
    "if a rig references a missing file, the failure suggests a similar name and the rig's line")
  func fromRig() {
    let text = SampleRig.changed(
      "../fixtures/calibrations/periph-i2c.yaml", to: "periph-i2d")
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: SampleRig.file) }
    #expect(failure?.kind == .missingInput)
    #expect(failure?.messages.first?.contains("did you mean 'periph-i2c'?") == true)
    #expect(failure?.messages.last?.contains("the rig references this file") == true)
  }
}
