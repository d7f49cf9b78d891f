import Images
import Support
import Testing

/// Tests of valid and damaged UF2 files.
struct UF2Tests {
  private static let rp2040: UInt32 = 0xE48B_FF56

  /// Returns a block with 256 bytes, all of which are `fill`.
  private static func block(
    _ number: UInt32, of count: UInt32, at address: UInt32, fill: UInt8 = 0xA5,
    family: UInt32 = rp2040, flags: UInt32 = 0x2000
  ) -> [UInt8] {
    func bytes(_ word: UInt32) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
    let header = [0x0A32_4655, 0x9E5D_5157, flags, address, 256, number, count, family] as [UInt32]
    return header.flatMap(bytes) + [UInt8](repeating: fill, count: 256)
      + [UInt8](repeating: 0, count: 220) + bytes(0x0AB1_6F30)
  }

  private static func image(_ bytes: [UInt8]) throws(Failure) -> FirmwareImage {
    try FirmwareImage(bytes, path: "app.uf2")
  }

  @Test("adjacent blocks are one segment, in any order, and the family names the microcontroller")
  func valid() throws {
    let file =
      Self.block(1, of: 3, at: 0x1000_0100, fill: 2) + Self.block(0, of: 3, at: 0x1000_0000)
      + Self.block(2, of: 3, at: 0x1000_8000, fill: 3)
    let image = try Self.image(file)
    #expect(image.form == .uf2 && image.requirements.name == "rp2040")
    #expect(image.segments.map(\.address) == [0x1000_0000, 0x1000_8000])
    #expect(image.segments.map(\.bytes.count) == [512, 256])
    #expect(image.segments[0].bytes[255] == 0xA5 && image.segments[0].bytes[256] == 2)
  }

  @Test("blocks that are not for the main flash, and the block for RP2350-E10, are skipped")
  func skipped() throws {
    let file =
      Self.block(0, of: 2, at: 0x10FF_FF00, family: 0xE48B_FF57)
      + Self.block(0, of: 1, at: 0x1000_0000)
      + Self.block(0, of: 1, at: 0x2000_0000, flags: 0x2001)
    #expect(try Self.image(file).segments.map(\.address) == [0x1000_0000])
  }

  private static let first = block(0, of: 2, at: 0x1000_0000)
  private static let damages: [(bytes: [UInt8], message: String)] = [
    (Array(first.dropLast()), "truncated"),
    (first, "1 of 2 blocks"),
    (
      first + block(1, of: 2, at: 0x1000_0100, family: 1),
      "block 1: the blocks are for several families"
    ),
    (first + [UInt8](repeating: 0, count: 512), "block 1: the magic numbers are wrong"),
    (first + block(1, of: 2, at: 0x1000_0080), "overlap"),
  ]

  @Test("a damaged file is rejected with its block", arguments: damages.indices)
  func damaged(_ index: Int) {
    let (bytes, message) = Self.damages[index]
    let error = #expect(throws: Failure.self) { try Self.image(bytes) }
    #expect(error?.messages[0].contains(message) == true, "\(error?.messages ?? [])")
  }
}
