import Foundation
import Images
import Support
import TestSupport
import Testing

/// Tests with ELF files of real compilers.
struct ElfTests {
  @Test("an ARM ELF is loaded at its physical addresses, and its functions are known")
  func arm() throws {
    let image = try FirmwareImage(path: FirmwareBuild.arm("hello").path)
    #expect(image.form == .elf && image.architecture == .arm && image.hasLines)
    let start = try image.fitted(to: Profiles.nrf)
    #expect(start.stack == 0x2001_0000)
    #expect(image.symbols.function(at: start.reset)?.name == "Reset_Handler")
    #expect(image.entry.map { $0 & ~1 } == start.reset)
    let main = try #require(image.symbols.named("main"))
    #expect(
      image.symbols.location(main.address + 2)
        == "main+0x2 (0x\(String(main.address + 2, radix: 16)))"
    )
    #expect(image.symbols.function(at: 0x7_0000) == nil)
    #expect(image.requirements.isBeyondBaseline && !image.requirements.hasHardFloat)
  }

  @Test("initial values of variables are in flash, and the variables' addresses are known")
  func variables() throws {
    let image = try FirmwareImage(path: FirmwareBuild.arm("reader").path)
    #expect(image.segments.map(\.address) == [0])
    #expect(image.reserved.first?.lowerBound == 0x2000_0000)
    #expect(image.symbols.objects.contains { $0.name == "t_fine" && $0.address >= 0x2000_0000 })
  }

  @Test("the hard-float ABI and the processor of an ELF are recognized")
  func hardFloat() throws {
    let flags = ["-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]
    let image = try FirmwareImage(path: FirmwareBuild.arm("hello", flags: flags).path)
    #expect(image.requirements.hasHardFloat)
  }

  @Test("in an AVR ELF, data follow the code, and the microcontroller is named")
  func avr() throws {
    let image = try FirmwareImage(path: FirmwareBuild.avr("avr-hello").path)
    #expect(image.architecture == .avr && image.requirements.name == "atmega328p")
    #expect(image.requirements.avrFamily == 5)
    #expect(image.segments[0].address == 0)
    #expect(image.segments.allSatisfy { $0.address < 0x8000 })
    let start = try image.fitted(to: Profiles.avr)
    #expect(image.symbols.function(at: start.reset)?.name == "__ctors_end")
    #expect(image.symbols.named("count")?.address == 0x100)
    #expect(image.reserved.first?.lowerBound == 0x100)
    #expect(try image.guessed(among: Profiles.all) == Profiles.avr)
  }

  @Test(
    "of a family whose memories contain each other, the microcontroller listed first is guessed")
  func family() throws {
    let nrf = try FirmwareImage(path: FirmwareBuild.arm("hello").path)
    let larger = MemoryProfile(
      name: "larger", architecture: .arm, flash: 0..<0x10_0000, ram: Profiles.nrf.ram)
    #expect(try nrf.guessed(among: [Profiles.nrf, larger]) == Profiles.nrf)
    #expect(try nrf.guessed(among: [larger, Profiles.nrf]) == larger)
  }

  @Test("the microcontroller is guessed if only one has matching memories")
  func guess() throws {
    let nrf = try FirmwareImage(path: FirmwareBuild.arm("hello").path)
    #expect(try nrf.guessed(among: Profiles.all) == Profiles.nrf)
    let other = MemoryProfile(
      name: "other", architecture: .arm, flash: 0..<0x10_0000, ram: 0x2000_0000..<0x2004_0000)
    #expect(try nrf.guessed(among: [Profiles.nrf, other]) == Profiles.nrf)
    // Less flash and more RAM that ends at the same address: neither contains the other's memories.
    let rival = MemoryProfile(
      name: "rival", architecture: .arm, flash: 0..<0x4_0000, ram: 0x1FFF_0000..<0x2001_0000)
    #expect(throws: Failure.self) { try nrf.guessed(among: [Profiles.nrf, rival]) }
    #expect(throws: Failure.self) { try nrf.guessed(among: [Profiles.stm, Profiles.avr]) }
  }
}
