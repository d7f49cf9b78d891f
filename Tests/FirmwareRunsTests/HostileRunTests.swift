import FirmwareRuns
import Foundation
import Images
import Support
import TestSupport
import Testing

/// Tests with random and damaged images.
struct HostileRunTests {
  /// The kind of a hostile image.
  enum Kind: CaseIterable {
    /// Random bytes after a valid vector table.
    case random
    /// A valid image with some changed bytes.
    case mutated
    /// Random instructions that are copied to RAM and executed there.
    case inRAM
    /// A vector table of random words.
    case vectors
  }

  /// A part, and the load address of its images.
  struct Target: CustomStringConvertible, Sendable {
    let name: String
    let base: UInt32
    var description: String { name }
  }

  private static let arm = [
    Target(name: "nrf52832", base: 0),
    Target(name: "stm32f411", base: 0x0800_0000),
  ]

  /// Copies the 512 bytes that follow it to 0x20000400, and jumps there.
  ///
  /// ldr r0, =0x20000400; adr r1, code; movs r2, #128; ldr r3, [r1]; str r3, [r0]; adds r1, #4; adds r0, #4; subs r2,
  /// #1; bne .-10; ldr r0, =0x20000401; bx r0
  private static let copier: [UInt8] = [
    0x05, 0x48, 0x07, 0xA1, 0x80, 0x22, 0x0B, 0x68, 0x03, 0x60, 0x04, 0x31, 0x04, 0x30, 0x01, 0x3A,
    0xF9, 0xD1, 0x02, 0x48, 0x00, 0x47, 0x00, 0xBF, 0x00, 0x04, 0x00, 0x20, 0x01, 0x04, 0x00, 0x20,
  ]

  private static func bytes(
    _ kind: Kind, of good: [UInt8], base: UInt32, _ chance: inout Seeded
  ) -> [UInt8] {
    var bytes = Array(good.prefix(0x90))
    let entry = (base + 0x91).littleEndian
    withUnsafeBytes(of: entry) { bytes.replaceSubrange(4..<8, with: $0) }
    switch kind {
    case .random:
      for _ in 0..<512 { bytes.append(UInt8.random(in: 0...255, using: &chance)) }
    case .mutated:
      bytes = good
      for _ in 0..<Int.random(in: 1...200, using: &chance) {
        let offset = Int.random(in: 0x90..<bytes.count, using: &chance)
        bytes[offset] = UInt8.random(in: 0...255, using: &chance)
      }
    case .inRAM:
      bytes += copier
      for _ in 0..<512 { bytes.append(UInt8.random(in: 0...255, using: &chance)) }
    case .vectors:
      bytes = good
      for offset in 8..<0x90 { bytes[offset] = UInt8.random(in: 0...255, using: &chance) }
    }
    return bytes
  }

  @Test(
    "random images end or reach their duration, and never crash the simulator",
    arguments: arm, Kind.allCases)
  func random(target: Target, kind: Kind) throws {
    var chance = Seeded("hostile images that run \(target) \(kind)")
    let good = try FirmwareImage(
      path: FirmwareBuild.arm("reader", board: target.name).path
    ).segments[0].bytes
    var ends: [Int32: Int] = [:]
    for _ in 0..<Repetitions.count(23, long: 2_500) {
      let bytes = Self.bytes(kind, of: good, base: target.base, &chance)
      let image = try FirmwareImage(bytes, path: "hostile.bin", rawAddress: target.base)
      let outcome = try Firmware.run(image, on: target.name) { $0.duration = 2_000_000 }
      ends[outcome.ending?.status ?? -1, default: 0] += 1
    }
    // Each ends by its duration, by a reported failure, or by the program's own exit.
    #expect(ends[-1] == nil && (ends[1] ?? 0) + (ends[0] ?? 0) > 0, "\(ends)")
  }

  @Test("random AVR images, where every word is an instruction, never crash the simulator")
  func avr() throws {
    var chance = Seeded("hostile images of an AVR")
    var ends: [Int32: Int] = [:]
    for _ in 0..<Repetitions.count(23, long: 2_500) {
      // jmp 0x68, after the vectors; the rest is random.
      let bytes: [UInt8] =
        [0x0C, 0x94, 0x34, 0x00]
        + (4..<2048).map { _ in UInt8.random(in: 0...255, using: &chance) }
      let image = try FirmwareImage(bytes, path: "hostile.bin", rawAddress: 0)
      let outcome = try Firmware.run(image, on: "atmega328p") { $0.duration = 80_000_000 }
      ends[outcome.ending?.status ?? -1, default: 0] += 1
    }
    #expect(ends[-1] == nil && (ends[1] ?? 0) + (ends[0] ?? 0) > 0, "\(ends)")
  }
}
