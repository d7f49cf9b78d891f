import Files
import Foundation
import Images
import TestSupport
import Testing

@testable import FirmwareRuns

/// Images that do not begin where the flash does, and programs without vectors.
struct StartTests {
  /// An image of `hello.c` behind a boot loader.
  private func behind(_ address: String, board: String) throws -> URL {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let script = folder.path + "/behind.ld"
    let text = """
      MEMORY {
        FLASH (rx) : ORIGIN = \(address), LENGTH = 128K
        RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 64K
      }
      INCLUDE cortex-m.ld
      """
    try Data(text.utf8).write(to: URL(filePath: script))
    return try FirmwareBuild.arm("hello", board: board, script: script)
  }

  @Test(
    "an image behind a boot loader that is not there is refused with where it begins",
    arguments: [("nrf52832", "0x26000", "0x0"), ("stm32f411", "0x8004000", "0x8000000")])
  func behindNothing(_ part: String, _ address: String, _ start: String) throws {
    let image = try behind(address, board: part)
    let failure = #expect(throws: Failure.self) { try Firmware.run(image, on: part) }
    let message = try #require(failure?.messages.first)
    #expect(
      message.contains(": nothing is at \(start), where ")
        && message.contains(" starts: the image begins at \(address), "), "\(message)")
    #expect(failure?.exitStatus == 65)
  }

  @Test("an AVR's boot loader at 0x7e00 starts by BOOTRST, and that is said")
  func bootLoader() throws {
    let image = try FirmwareBuild.avr(
      "avr-hello", flags: ["-Wl,--section-start=.text=0x7e00"])
    let outcome = try Firmware.run(image, on: "atmega328p") { $0.duration = 100_000_000 }
    #expect(outcome.output == "hello from an AVR\r\n", "\(outcome.failure)")
    #expect(
      outcome.notices.contains {
        $0.contains(" begins at 0x7e00, as a boot loader does: BOOTRST and BOOTSZ are programmed")
          && $0.hasSuffix(": the high fuse is 0xDE")
      }, "\(outcome.notices)")
  }

  @Test("an AVR's program without vectors begins with its first instruction")
  func plain() throws {
    let image = try FirmwareBuild.avrAssembly("avr-plain")
    let outcome = try Firmware.run(image, on: "atmega328p") { $0.duration = 100_000_000 }
    #expect(outcome.output == "p", "\(outcome.failure)")
    #expect(
      try MicrocontrollerModel.chosen(nil, for: FirmwareImage(path: image.path)).name
        == "atmega328p")
  }
}
