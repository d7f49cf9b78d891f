import FirmwareRuns
import Foundation
import Images
import Machines
import Rigs
import Runs
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

  /// Arduino's boot loader of 2009, which speaks STK500 and begins at 0x7800; a program of Debian's arduino-core-avr.
  private static let arduinoLoader =
    "/usr/share/arduino/hardware/arduino/avr/bootloaders/atmega/ATmegaBOOT_168_atmega328.hex"

  @Test(
    "a boot loader starts before the application that is added to it, unless the fuses say otherwise"
  )
  func loaderAndApplication() throws {
    let application = try FirmwareImage(path: FirmwareBuild.avr("avr-hello").path)
    let both = try application.adding(FirmwareImage(path: Self.arduinoLoader))
    func start(_ fuses: [String: UInt8]) throws -> (time: Double, notices: [String]) {
      let outcome = try Firmware.run(both, on: "atmega328p") {
        $0.duration = 5_000_000_000
        $0.fuses = fuses
      }
      let lines: [UInt64] = outcome.events.compactMap { event in
        guard case .serial(let line) = event, line.text.hasSuffix("hello from an AVR") else {
          return nil
        }
        return line.time
      }
      return (Double(try #require(lines.first)) / 1e9, outcome.notices)
    }
    let loaded = try start([:])
    #expect(loaded.time > 0.5)
    #expect(
      loaded.notices.first
        == "a boot loader begins at 0x7800: BOOTRST and BOOTSZ are programmed: the high fuse is 0xDA"
    )
    let direct = try start(["high": 0xDF])
    #expect(direct.time < 0.1)
    #expect(!direct.notices.contains { $0.contains("boot loader") })
  }

  @Test("a boot loader receives an application over the UART, programs it and starts it")
  func update() throws {
    let application = try FirmwareImage(path: FirmwareBuild.avr("avr-hello").path)
    var bytes: [UInt8] = []
    for segment in application.segments where segment.address == UInt32(bytes.count) {
      bytes += segment.bytes
    }
    // STK500, version 1: synchronise, then for each page its word address and its bytes, then leave.
    var commands: [[UInt8]] = [[0x30, 0x20], [0x50, 0x20]]
    for page in stride(from: 0, to: bytes.count, by: 128) {
      let content = Array(bytes[page..<min(page + 128, bytes.count)])
      let padded = content + [UInt8](repeating: 0xFF, count: 128 - content.count)
      let word = page / 2
      commands.append([0x55, UInt8(word & 0xFF), UInt8(word >> 8), 0x20])
      commands.append([0x64, 0, 128, 0x46] + padded + [0x20])
    }
    commands.append([0x51, 0x20])
    let stimuli = commands.enumerated().map { number, command in
      "{at: \(200 + 150 * number)ms, send: [\(command.map { "\($0)" }.joined(separator: ", "))]}"
    }
    let rig = try Rig(
      text: """
        name: update
        buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
        stimuli: [\(stimuli.joined(separator: ", "))]
        """, file: "update.yaml")
    let outcome = try Firmware.run(
      FirmwareImage(path: Self.arduinoLoader), on: "atmega328p", rig: rig
    ) { $0.duration = UInt64(3 + commands.count / 6) * 1_000_000_000 }
    #expect(outcome.output.contains("hello from an AVR"), "\(outcome.failure) \(outcome.notices)")
    // Each command was answered with "in sync" and "OK".
    let answers = Array(outcome.output.unicodeScalars.map(\.value))
    let count = zip(answers, answers.dropFirst()).count { $0 == 0x14 && $1 == 0x10 }
    #expect(count >= commands.count - 1, "\(count) of \(commands.count)")
  }

  @Test(
    "two files with other contents for one address, or for other processors, are rejected with both names"
  )
  func overlap() throws {
    let application = try FirmwareImage(path: FirmwareBuild.avr("avr-hello").path)
    #expect(try application.adding(application).segments == application.segments)
    let another = try FirmwareImage(path: FirmwareBuild.avr("avr-eeprom").path)
    let different = #expect(throws: Failure.self) { try application.adding(another) }
    #expect(different?.messages.first?.contains("overlaps segment 0x0..") == true)
    let arm = try FirmwareImage(path: FirmwareBuild.arm("hello").path)
    let other = #expect(throws: Failure.self) { try application.adding(arm) }
    #expect(other?.messages.first?.contains("the file is for an ARM, but ") == true)
    #expect(other?.exitStatus == 65)
  }

  @Test(
    "a fuse byte that the microcontroller lacks is rejected", arguments: ["nrf52832", "atmega328p"])
  func unknownFuse(_ part: String) throws {
    let model = try #require(MicrocontrollerModel.named(part))
    let failure = #expect(throws: Failure.self) { try model.make(seed: 0, fuses: ["hi": 1]) }
    #expect(failure?.exitStatus == 64)
    #expect(failure?.messages.first?.hasPrefix("\(part) has no fuse byte 'hi'") == true)
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
