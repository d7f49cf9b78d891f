import FirmwareRuns
import Foundation
import Images
import Machines
import Rigs
import Support
import TestSupport
import Testing

/// Tests of images that do not begin at the start of the flash, and of programs without vectors.
struct StartTests {
  /// Returns an image of `hello.c` linked for a boot loader.
  private func bootImage(_ address: String, board: String) throws -> URL {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let script = folder.path + "/boot.ld"
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
    "an image that needs a missing boot loader is rejected with its start address",
    arguments: [("nrf52832", "0x26000", "0x0"), ("stm32f411", "0x8004000", "0x8000000")])
  func behindNothing(_ part: String, _ address: String, _ start: String) throws {
    let image = try bootImage(address, board: part)
    let failure = #expect(throws: Failure.self) { try Firmware.run(image, on: part) }
    let message = try #require(failure?.messages.first)
    #expect(
      message.contains(": there is no code at \(start), where ")
        && message.contains(" boots: the image begins at \(address), "), "\(message)")
    #expect(failure?.exitStatus == 65)
  }

  @Test("an AVR boot loader at 0x7e00 starts through BOOTRST, with a notice")
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

  @Test("an AVR program without vectors starts with its first instruction")
  func plain() throws {
    let image = try FirmwareBuild.avrAssembly("avr-plain")
    let outcome = try Firmware.run(image, on: "atmega328p") { $0.duration = 100_000_000 }
    #expect(outcome.output == "p", "\(outcome.failure)")
    #expect(
      try MicrocontrollerModel.chosen(nil, for: FirmwareImage(path: image.path)).name
        == "atmega328p")
  }
}

/// Tests that a microcontroller is deallocated after use.
struct FreedTests {
  @Test(
    "the simulated microcontroller and its core are deallocated after a run",
    arguments: ["nrf52832", "stm32f411", "atmega328p"])
  func freed(name: String) throws {
    weak var machine: (any Microcontroller)?
    weak var core: (any MachineCore)?
    func run() throws {
      let isAVR = name == "atmega328p"
      let file =
        try isAVR ? FirmwareBuild.avr("avr-hello") : FirmwareBuild.arm("reader", board: name)
      let model = try #require(MicrocontrollerModel.named(name))
      let bench = try FirmwareBench(
        FirmwareImage(path: file.path), on: model, Rig.builtIn(), options: FirmwareOptions())
      let run = try FirmwareRun(
        bench, options: FirmwareOptions(), standardOutput: { _ in }, report: { _ in })
      (machine, core) = (bench.machine, bench.machine.core)
      #expect(core != nil)
      _ = bench.machine.run(until: 50_000_000)
      withExtendedLifetime(run) {}
    }
    try run()
    #expect(machine == nil)
    #expect(core == nil)
  }
}
