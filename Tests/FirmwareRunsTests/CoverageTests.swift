import FirmwareRuns
import Foundation
import Images
import Machines
import Rigs
import Support
import TestSupport
import Testing

/// Tests of code coverage.
struct CoverageTests {
  private static func coverage(_ image: URL, on name: String) throws -> String {
    var options = FirmwareOptions()
    options.coverage = true
    options.duration = 1_000_000_000
    let model = try #require(MicrocontrollerModel.named(name))
    let bench = try FirmwareBench(
      .init(path: image.path), on: model, Rig.builtIn(), options: options)
    let run = try FirmwareRun(
      bench, options: options, standardOutput: { _ in }, report: { _ in })
    _ = try run.run()
    return try #require(try run.coverage?.text())
  }

  @Test(
    "executed and missed lines and functions are reported in the format that genhtml reads",
    arguments: [("branches", "nrf52832"), ("branches", "atmega328p")])
  func lines(program: String, microcontroller: String) throws {
    let image =
      microcontroller == "atmega328p"
      ? try FirmwareBuild.avr(program) : try FirmwareBuild.arm(program)
    let text = try Self.coverage(image, on: microcontroller)
    let source = try Fixtures.text("Tests/Firmware/C/\(program).c").components(separatedBy: "\n")
    let section = try #require(
      text.components(separatedBy: "end_of_record\n").first { $0.contains("\(program).c\n") })
    for (index, line) in source.enumerated() {
      guard let mark = line.range(of: "// ran: ") else { continue }
      let wanted = line[mark.upperBound...] == "yes" ? 1 : 0
      #expect(section.contains("DA:\(index + 1),\(wanted)\n"), "line \(index + 1): \(section)")
    }
    #expect(section.contains("FNDA:1,main\n") && section.contains("FNDA:1,inlined\n"))
    #expect(section.contains("FNDA:0,never\n"))
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    try Data(text.utf8).write(to: URL(filePath: scratch.path + "/run.info"))
    let said = try Self.genhtml(scratch.path)
    #expect(said.contains("lines......: ") && said.contains("functions..: "), "\(said)")
    let page = try FileManager.default.subpathsOfDirectory(atPath: scratch.path + "/html")
    #expect(page.contains { $0.hasSuffix("\(program).c.gcov.html") })
  }

  @Test("an image with stabs is rejected with the compiler option to use")
  func stabs() throws {
    let image = try FirmwareBuild.avr("avr-hello", debug: "-gstabs")
    let failure = #expect(throws: Failure.self) {
      try Self.coverage(image, on: "atmega328p")
    }
    #expect(
      failure?.messages.first
        == "\(image.path): the image has stabs line information, but --coverage needs DWARF: build with -gdwarf-2"
    )
    let bare = #expect(throws: Failure.self) {
      try Self.coverage(FirmwareBuild.avr("avr-hello", debug: "-g0"), on: "atmega328p")
    }
    #expect(bare?.messages.first?.hasSuffix("build with -g") == true)
  }

  private static func genhtml(_ folder: String) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/genhtml")
    process.arguments = [folder + "/run.info", "-o", folder + "/html"]
    (process.standardOutput, process.standardError) = (pipe, pipe)
    try process.run()
    let said = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: said, as: UTF8.self)
  }

  @Test("addr2line output for inlined functions is parsed, and question marks are ignored")
  func frames() {
    let text = """
      0x00000010
      inner
      /a/b.c:3
      outer(int, char)
      /a/b.c:12 (discriminator 2)
      0x00000012
      ??
      ??:0
      0x00000014
      f
      /a (1)/b.c:?

      """
    let frames = AddressLines.read(text)
    #expect(
      frames == [
        [
          .init(function: "inner", file: "/a/b.c", line: 3),
          .init(function: "outer(int, char)", file: "/a/b.c", line: 12),
        ], [], [],
      ])
  }

  @Test("an image without line information is rejected before it runs")
  func noLines() throws {
    let failure = #expect(throws: Failure.self) {
      try Self.coverage(FirmwareBuild.arm("hello", flags: ["-g0", "-s"]), on: "nrf52832")
    }
    #expect(
      failure?.messages[0].hasSuffix(
        "the image has no line information, which --coverage needs: build with -g") == true)
  }

  @Test("a warning is issued if no source file exists on this machine")
  func foreign() throws {
    let image = try FirmwareBuild.arm("hello", flags: ["-g0"])
    var options = FirmwareOptions()
    options.coverage = true
    let model = try #require(MicrocontrollerModel.named("nrf52832"))
    let bench = try FirmwareBench(
      .init(path: image.path), on: model, Rig.builtIn(), options: options)
    let run = try FirmwareRun(
      bench, options: options, standardOutput: { _ in }, report: { _ in })
    _ = try run.run()
    let map = try #require(run.coverage)
    #expect(try map.text().contains("libgcc"))
    #expect(map.warning("run.info")?.hasPrefix("none of the ") == true)
  }
}
