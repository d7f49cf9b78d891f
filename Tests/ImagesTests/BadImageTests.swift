import Foundation
import Images
import Support
import TestSupport
import Testing

/// Tests with files that are not images, or are for a different microcontroller.
struct BadImageTests {
  static func hello() throws -> [UInt8] {
    Array(try Data(contentsOf: FirmwareBuild.arm("hello")))
  }

  static func message(_ bytes: [UInt8], at address: UInt32? = nil) -> String? {
    let failure = #expect(throws: Failure.self) {
      _ = try FirmwareImage(bytes, path: "a.elf", rawAddress: address).fitted(to: Profiles.nrf)
    }
    #expect(failure?.exitStatus == 65)
    return failure?.messages.first
  }

  @Test("an ELF for an unsupported processor is rejected with the processor's name")
  func foreign() throws {
    for (machine, name) in [
      (62, "x86-64"), (243, "RISC-V"), (94, "Xtensa"), (999, "processor 999"),
    ] {
      var elf = try Self.hello()
      (elf[18], elf[19]) = (UInt8(machine & 255), UInt8(machine >> 8))
      #expect(
        Self.message(elf)
          == "a.elf: the ELF is for \(name); supported: ARM (M profile), AVR")
    }
    let host = Array(try Data(contentsOf: URL(filePath: "/bin/true")).prefix(4096))
    #expect(Self.message(host)?.contains("; supported: ") == true)
  }

  @Test("a truncated ELF is rejected at any length up to its last segment")
  func truncated() throws {
    let elf = try Self.hello()
    #expect(Self.message(Array(elf.prefix(20))) == "a.elf: the ELF header is truncated")
    #expect(
      Self.message(Array(elf.prefix(60)))
        == "a.elf: the ELF file is truncated: its program headers are missing")
    #expect(
      Self.message(Array(elf.prefix(4100)))?.hasPrefix("a.elf: the ELF file is truncated: segment")
        == true)
  }

  @Test("an object file, an empty file and a text file are rejected")
  func otherFiles() throws {
    var object = try Self.hello()
    object[16] = 1
    #expect(Self.message(object) == "a.elf: the ELF is an object file (.o): link it first")
    #expect(Self.message([]) == "a.elf: the file is empty")
    #expect(
      Self.message(Array("hello".utf8))?.hasPrefix("a.elf: the file is neither ELF, Intel HEX nor")
        == true)
  }

  @Test(
    "the error for raw bytes suggests the load address of the matching part, or else all of them")
  func rawPlaces() {
    func message(_ bytes: [UInt8], _ profiles: [MemoryProfile]) -> String? {
      #expect(throws: Failure.self) { try FirmwareImage(bytes, path: "a.bin", for: profiles) }?
        .messages.first.map { String($0.drop { $0 != ";" }) }
    }
    // A stack pointer that is valid in both RAMs, and code in the flash of one of them.
    let stm: [UInt8] = [0, 0, 1, 0x20, 0x41, 1, 0, 8]
    let nrf: [UInt8] = [0, 0, 1, 0x20, 0x41, 1, 0, 0]
    let all = Profiles.all
    #expect(
      message(stm, all)?.hasSuffix("raw bytes: --at 0x8000000 (\(Profiles.stm.name))") == true)
    #expect(message(nrf, all)?.hasSuffix("raw bytes: --at 0x0 (\(Profiles.nrf.name))") == true)
    #expect(message([1, 2], [Profiles.stm])?.contains("--at 0x8000000") == true)
    #expect(
      message([1, 2], all)?.hasSuffix(
        "--at 0x0 (\(Profiles.nrf.name), \(Profiles.avr.name)) or --at 0x8000000 (\(Profiles.stm.name))"
      )
        == true)
  }

  @Test("raw bytes without a vector table are rejected")
  func rawBytes() throws {
    #expect(
      Self.message(Array(repeating: 0, count: 64), at: 0)?.hasPrefix(
        "a.elf: no vector table at 0x0: the first word, 0x0, is not a stack pointer") == true)
    #expect(
      Self.message([0, 0, 1, 0x20, 0, 1, 0, 0], at: 0)?.hasPrefix(
        "a.elf: no vector table at 0x0: the second word, 0x100, is not the address") == true)
    #expect(
      Self.message([0, 0, 1, 0x20], at: 0)
        == "a.elf: no vector table at 0x0: the image is shorter than two words")
    let good: [UInt8] = [0, 0, 1, 0x20, 9, 0, 0, 0, 0xFE, 0xE7]
    #expect(
      try FirmwareImage(good, path: "a.bin", rawAddress: 0).fitted(to: Profiles.nrf).reset == 8)
  }

  @Test("an image that is too large or outside the memories is rejected with its address range")
  func sizes() throws {
    #expect(
      Self.message(Array(repeating: 1, count: 0x8_0004), at: 0)
        == "a.elf: the image is larger than the flash of nrf52832: segment 0x0..0x80003, flash "
        + "0x0..0x7ffff (524288 bytes)")
    #expect(
      Self.message([1, 2, 3, 4], at: 0x3000_0000)
        == "a.elf: nrf52832 has no memory at segment 0x30000000..0x30000003")
    #expect(
      Self.message([1, 2, 3, 4], at: 0x2000_0000)
        == "a.elf: no part of the image is in the flash of nrf52832 (0x0..0x7ffff)")
    #expect(
      Self.message([1, 2, 3, 4], at: 0xFFFF_FFFE)?.contains("exceeds the 32-bit address space")
        == true)
  }

  @Test("an image for a different core is rejected")
  func otherCore() throws {
    let avr = try FirmwareImage(path: FirmwareBuild.avr("avr-hello").path)
    let failure = #expect(throws: Failure.self) { try avr.fitted(to: Profiles.nrf) }
    #expect(
      failure?.messages[0].hasSuffix("the image is for an AVR, but nrf52832 is an ARM") == true)
  }

  @Test("random files neither crash nor hang the reader")
  func hostile() throws {
    var generator = Seeded("hostile images")
    let hex = Array(":020000040800F2\n:0400100001020304E2\n:0400000508000011DE\n:00000001FF\n".utf8)
    let elfs = [
      try Self.hello(), Array(try Data(contentsOf: FirmwareBuild.avr("avr-hello"))), hex,
    ]
    var good = 0
    for index in 0..<Repetitions.mutations {
      var bytes = elfs[index % 3]
      if index % 7 == 0 {
        bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
        if index % 2 == 0 { bytes.replaceSubrange(0..<4, with: ElfFile.magic) }
      } else if index % 2 == 0 {
        for _ in 0..<3 {
          let offset = Int.random(in: 0..<min(bytes.count, 160), using: &generator)
          bytes[offset] = UInt8.random(in: 0...255, using: &generator)
        }
      } else {
        bytes = Mutator.mutated(bytes, using: &generator)
      }
      do throws(Failure) {
        let image = try FirmwareImage(bytes, path: "a", rawAddress: index % 5 == 0 ? 0 : nil)
        _ = image.symbols.location(UInt32.random(in: 0...UInt32.max, using: &generator))
        _ = try image.fitted(to: image.guessed(among: Profiles.all))
        good += 1
      } catch {
        #expect(error.kind == .badContent && !error.messages.isEmpty)
      }
    }
    #expect(good > 0)
  }
}

/// The memories of three microcontrollers, from their data sheets.
enum Profiles {
  static let nrf = MemoryProfile(
    name: "nrf52832", architecture: .arm, flash: 0..<0x8_0000, ram: 0x2000_0000..<0x2001_0000,
    others: [0x1000_1000..<0x1000_2000])
  static let stm = MemoryProfile(
    name: "stm32f411", architecture: .arm, flash: 0x800_0000..<0x808_0000,
    ram: 0x2000_0000..<0x2002_0000)
  static let avr = MemoryProfile(
    name: "atmega328p", architecture: .avr, flash: 0..<0x8000, ram: 0x100..<0x900, eeprom: 1024,
    hasFloat: false, avrFamily: 5)
  static let all = [nrf, stm, avr]
}
