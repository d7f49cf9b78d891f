import Foundation
import Images
import Support
import TestSupport
import Testing

/// Tests of valid and damaged Intel HEX files.
struct HexTests {
  static func image(_ text: String) throws -> FirmwareImage {
    try FirmwareImage(Array(text.utf8), path: "a.hex")
  }

  @Test(
    "an Intel HEX file made by objcopy gives the same bytes as its ELF",
    arguments: ["arm-none-eabi", "avr"])
  func twin(tools: String) throws {
    let elf = tools == "avr" ? try FirmwareBuild.avr("avr-hello") : try FirmwareBuild.arm("reader")
    let hex = elf.appendingPathExtension("hex")
    let process = try Process.run(
      URL(filePath: "/usr/bin/\(tools)-objcopy"),
      arguments: ["-O", "ihex", "-R", ".eeprom", elf.path, hex.path])
    process.waitUntilExit()
    let read = try FirmwareImage(path: hex.path)
    let original = try FirmwareImage(path: elf.path)
    #expect(read.form == .hex && read.architecture == nil)
    #expect(Self.bytes(read) == Self.bytes(original))
    #expect(
      try read.guessed(among: Profiles.all) == (tools == "avr" ? Profiles.avr : Profiles.nrf))
  }

  private static func bytes(_ image: FirmwareImage) -> [UInt64: UInt8] {
    var all: [UInt64: UInt8] = [:]
    for segment in image.segments {
      for (address, byte) in zip(segment.range, segment.bytes) { all[address] = byte }
    }
    return all
  }

  @Test("linear and segmented addresses and both start records are supported")
  func kinds() throws {
    let linear = try Self.image(
      ":020000040800F2\n:0400100001020304E2\n:0400000508000011DE\n:00000001FF\n")
    #expect(linear.segments == [ImageSegment(address: 0x800_0010, bytes: [1, 2, 3, 4])])
    #expect(linear.entry == 0x800_0011)
    let segmented = try Self.image(
      ":020000021000EC\r\n:0200200005FFDA\r\n:0400000310000020C9\r\n:00000001FF\r\n")
    #expect(segmented.segments == [ImageSegment(address: 0x1_0020, bytes: [5, 255])])
    #expect(segmented.entry == 0x1_0020)
  }

  @Test(
    "errors are reported with their line number",
    arguments: [
      (":0400100001020304E3\n:00000001FF\n", "a.hex: line 1: the checksum is wrong"),
      (
        ":0400100001020304E2\n",
        "a.hex: the file is truncated: the end record (:00000001FF) is missing"
      ),
      (
        ":00000001FF\n:0400100001020304E2\n", "a.hex: line 2: a record follows the end record"
      ),
      (":040010000102030\n", "a.hex: line 1: odd number of hexadecimal digits"),
      (":04001000010203G4E2\n", "a.hex: line 1: invalid hexadecimal digit"),
      (":05001000010203E2\n", "a.hex: line 1: the record length does not match its byte count"),
      (":0000000AF6\n", "a.hex: line 1: unknown record type 10"),
      (":0100000400FB\n", "a.hex: line 1: a record of type 4 must have 2 bytes"),
      (":00000001FF\n", "a.hex: the file has nothing to load"),
      (
        ":0400100001020304E2\n:0400120001020304E0\n:00000001FF\n",
        "a.hex: two segments overlap: 0x10..0x13 and 0x12..0x15"
      ),
    ])
  func mistakes(text: String, message: String) throws {
    let failure = #expect(throws: Failure.self) { try Self.image(text) }
    #expect(failure?.messages == [message])
    #expect(failure?.exitStatus == 65)
  }
}
